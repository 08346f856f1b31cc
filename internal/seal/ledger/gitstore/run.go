package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// git runs the git command in one folder and environment.
type git struct {
	path    string // of the program
	dir     string
	env     []string
	flags   []string // before the command's name
	timeout time.Duration
}

// failure is a call of git that did not end well.
type failure struct {
	command string
	err     error
	stdout  string
	stderr  string
	timeout bool // the call, or what it is part of, ran out of time
}

func (f *failure) Error() string {
	switch {
	case f.timeout:
		return fmt.Sprintf("git %s did not answer in time", f.command)
	case f.lastLine() != "":
		return fmt.Sprintf("git %s: %s", f.command, f.lastLine())
	}
	return fmt.Sprintf("git %s: %v", f.command, f.err)
}

func (f *failure) Unwrap() error { return f.err }

var password = regexp.MustCompile(`://[^/@\s]*@`)

// lastLine returns the last line that git itself printed for a person, without
// hints and passwords.
func (f *failure) lastLine() string {
	last, noise := "", ""
	for line := range strings.Lines(f.stderr) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "hint:"):
		case isNoise(line):
			noise = line
		default:
			last = line
		}
	}
	if last == "" {
		last = noise
	}
	return clean(last)
}

// isNoise says that line only says that something went wrong, after a line that
// says what.
func isNoise(line string) bool {
	for _, n := range []string{
		"Please make sure", "and the repository exists", "error: failed to push some refs", "Everything up-to-date",
		"fatal: the remote end hung up", "send-pack: unexpected disconnect", "fatal: expected",
	} {
		if strings.HasPrefix(line, n) {
			return true
		}
	}
	return false
}

// clean takes passwords and control characters out of what git printed.
func clean(s string) string {
	s = password.ReplaceAllString(s, "://***@")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "") + "..."
	}
	return s
}

// out runs git and returns what it printed. The error is a *failure.
func (g *git) out(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	var stdout bytes.Buffer
	err := g.run(ctx, stdin, &stdout, args...)
	var f *failure
	if errors.As(err, &f) {
		f.stdout = stdout.String()
	}
	return stdout.String(), err
}

// run runs git with its output going to stdout, until the end, the context's end
// or the timeout; then git and all its children are killed.
func (g *git) run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, g.path, append(append([]string{}, g.flags...), args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = g.dir, g.env, stdin, stdout, &limited{w: &stderr, left: 1 << 20}
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	err := cmd.Run()
	if err == nil {
		return nil
	}
	return &failure{command: args[0], err: err, stderr: stderr.String(), timeout: ctx.Err() != nil}
}

// line runs git and returns its output without the newline.
func (g *git) line(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	s, err := g.out(ctx, stdin, args...)
	return strings.TrimSuffix(s, "\n"), err
}

// limited drops what is more than left bytes: a server may talk for ever.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// environ returns base without the variables of git that would lead it elsewhere,
// with ours. keep says which of git's variables stay.
func environ(base []string, keep func(name string) bool, add ...string) []string {
	var env []string
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !keep(name) || name == "LANGUAGE" {
			continue
		}
		env = append(env, kv)
	}
	return append(append(env,
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull, "GIT_NO_LAZY_FETCH=1",
	), add...)
}

// transports are the variables by which a user tells git how to reach a server.
func transports(name string) bool {
	switch name {
	case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND",
		"GIT_ALLOW_PROTOCOL", "GIT_HTTP_PROXY_AUTHMETHOD", "GIT_HTTP_USER_AGENT", "GIT_HTTP_LOW_SPEED_LIMIT", "GIT_HTTP_LOW_SPEED_TIME":
		return true
	}
	return strings.HasPrefix(name, "GIT_SSL_")
}

// configures are the variables by which a user adds to git's configuration.
func configures(name string) bool {
	return strings.HasPrefix(name, "GIT_CONFIG") || name == "GIT_EXEC_PATH"
}
