//go:build unix

// Package clitest runs sessions of the command as users type them, for the tests of
// several packages: each has its own time limit.
package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/capeval/capeval/internal/cli"
)

// Main makes the test binary the command, and a second one that ends it in the middle.
func Main(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"capeval-ci": func() {
			os.Exit(cli.Main(os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
		"signalling": signalling,
	})
}

// signalling runs a command and sends it a signal, once or several times, when a
// file appears: signalling INT[,INT..]|KILL FILE command args... KILL goes to the
// command's whole process group, as it does when a job is cancelled.
func signalling() {
	cmd := exec.Command(os.Args[3], os.Args[4:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	go func() {
		for {
			if _, err := os.Stat(os.Args[2]); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		for i, name := range strings.Split(os.Args[1], ",") {
			if i > 0 {
				time.Sleep(300 * time.Millisecond)
			}
			switch name {
			case "KILL":
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			case "TERM":
				_ = cmd.Process.Signal(syscall.SIGTERM)
			default:
				_ = cmd.Process.Signal(os.Interrupt)
			}
		}
	}()
	_ = cmd.Wait()
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signaled() {
		os.Exit(100 + int(s.Signal()))
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// Repo is the root of this checkout.
func Repo(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// Module writes the module of a user who works with this checkout, and
// returns its root. drop leaves modules out of go.sum.
func Module(t testing.TB, drop ...string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(Repo(t), "internal/cli/testdata/module"))); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(Repo(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/capeval/capeval", "module example.org/user", 1)
	text += "\nrequire github.com/capeval/capeval v0.0.0\n\nreplace github.com/capeval/capeval => " + Repo(t) + "\n"
	sum, err := os.ReadFile(filepath.Join(Repo(t), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	var sums []string
	for _, line := range strings.SplitAfter(string(sum), "\n") {
		module, _, _ := strings.Cut(line, " ")
		kept := true
		for _, d := range drop {
			kept = kept && module != d
		}
		if kept {
			sums = append(sums, line)
		}
	}
	for name, data := range map[string]string{"go.mod": text, "go.sum": strings.Join(sums, "")} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// GoEnv is what the go command needs to work in a script as it does outside:
// the caches of this machine, so that a build is a link.
func GoEnv(t testing.TB) []string {
	t.Helper()
	var env []string
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOROOT"}
	for i, v := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		env = append(env, names[i]+"="+v)
	}
	return append(env, "GOFLAGS=-mod=mod -ldflags=-w", "GOTOOLCHAIN=local", "GONOSUMDB=*", "GONOSUMCHECK=1", "GIT_CEILING_DIRECTORIES="+os.TempDir())
}

// Scripts runs every script of a folder.
func Scripts(t *testing.T, dir string) {
	if testing.Short() {
		t.Skip("-short: the scripts build and run suites")
	}
	module := Module(t)
	bare := Module(t, "github.com/go-task/slim-sprig/v3", "github.com/google/pprof")
	env := GoEnv(t)
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			e.Vars = append(e.Vars, "MODULE="+module, "BARE="+bare, "MARKS="+filepath.Join(e.WorkDir, "marks"), "CAPEVAL_RUN_DIR=")
			e.Cd = module
			return os.Mkdir(filepath.Join(e.WorkDir, "marks"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "edit": edit},
	})
}

// exits runs a command and asks for an exact exit code: exits N command args...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args...]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// edit changes a file as sed does: edit 's/regexp/text/' file.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: edit s/regexp/text/ file")
	}
	parts := strings.Split(args[0], "/")
	if len(parts) != 4 || parts[0] != "s" {
		ts.Fatalf("found %q, need s/regexp/text/", args[0])
	}
	was := ts.ReadFile(args[1])
	text := regexp.MustCompile(parts[1]).ReplaceAllString(was, parts[2])
	if text == was {
		ts.Fatalf("%s has no %s", args[1], parts[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}
