//go:build unix

package agentexec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cell is trial 2 of a task, with seed 9.
type cell struct{}

func (cell) Task() string { return "late delivery/1" }
func (cell) Index() int   { return 2 }
func (cell) Seed() int64  { return 9 }

// cause returns the cause that err carries, or "" for nil.
func cause(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("got %T (%v), want a *Failure", err, err)
	}
	return f.Cause()
}

func TestAnswers(t *testing.T) {
	res, err := role(t, "echo").Exec(t.Context(), cell{}, "hello")
	if err != nil || res.Stdout != "hello" || res.ExitCode != 0 || res.Elapsed <= 0 {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestExitCodes(t *testing.T) {
	check := func(cmd Command, wantCause, wantError string, wantCode int) {
		t.Helper()
		res, err := cmd.Exec(t.Context(), cell{}, "")
		if got := cause(t, err); got != wantCause || res.ExitCode != wantCode {
			t.Errorf("%v: got cause %q, code %d, want %q, %d", cmd.Args, got, res.ExitCode, wantCause, wantCode)
		}
		if err != nil && !strings.Contains(err.Error(), wantError) {
			t.Errorf("%v: got %q, want %q in it", cmd.Args, err, wantError)
		}
	}
	check(role(t, "exit", "0"), "", "", 0)
	check(role(t, "exit", "1"), "agent_error", "agent exited 1: last words", 1)
	check(role(t, "exit", "75"), "runner", "agent exited 75 (temporary failure): last words", 75)
	check(role(t, "exit", "127"), "agent_error", "agent exited 127", 127) // a shell's: the agent's own
	check(role(t, "die"), "agent_error", "agent ended by signal: killed", -1)
	check(Command{Path: "/bin/sh", Args: []string{"-c", "exit 75"}}, "runner", "75", 75)

	notRunnable := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(notRunnable, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(Command{Path: "no-such-agent-anywhere"}, "runner", "agent not started", -1)
	check(Command{Path: notRunnable}, "runner", "permission denied", -1)
	check(Command{Path: ""}, "runner", "agent not started", -1)
	lost := role(t, "echo")
	lost.Dir = filepath.Join(t.TempDir(), "gone")
	check(lost, "runner", "no such file", -1)
}

// What the agent said before it failed is kept: it is what a reader wants to see.
func TestFailureKeepsOutput(t *testing.T) {
	res, _ := role(t, "exit", "3").Exec(t.Context(), cell{}, "")
	if res.Stdout != "half an answer" || res.Stderr != "first line\nlast words\n" {
		t.Errorf("got %+v", res)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("CAPEVAL_SEAL_GRANT", "secret")
	t.Setenv("CAPEVAL_RUN_DIR", "/runs")
	t.Setenv("CAPEVAL_SEED", "1000")
	t.Setenv("capeval_lower", "x")
	t.Setenv("AGENT_KEY", "k")
	t.Setenv("AGENT_TOKEN", "t")
	t.Setenv("OTHER", "o")
	names := func(cmd Command) []string {
		t.Helper()
		res, err := cmd.Exec(t.Context(), cell{}, "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for pair := range strings.SplitSeq(strings.TrimSpace(res.Stdout), "\n") {
			name, _, _ := strings.Cut(pair, "=")
			if strings.HasPrefix(strings.ToUpper(name), "CAPEVAL") || strings.HasPrefix(name, "AGENT") || name == "OTHER" {
				got = append(got, pair)
			}
		}
		return got
	}
	trial := []string{"CAPEVAL_SEED=9", "CAPEVAL_TASK=late delivery/1", "CAPEVAL_TRIAL=2"}
	check := func(cmd Command, want ...string) {
		t.Helper()
		want = append(want, trial...)
		slices.Sort(want)
		if got := names(cmd); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	cmd := role(t, "environ")
	check(cmd, "AGENT_KEY=k", "AGENT_TOKEN=t", "OTHER=o")
	cmd.DenyEnv = []string{"AGENT_T*", "OTHER"}
	check(cmd, "AGENT_KEY=k")
	cmd.AllowEnv = []string{"AGENT_*"} // deny wins
	check(cmd, "AGENT_KEY=k")
	cmd.Env = []string{"AGENT_KEY=mine", "AGENT_NEW="}
	check(cmd, "AGENT_KEY=mine", "AGENT_NEW=")
	check(Command{Path: cmd.Path, Args: cmd.Args, AllowEnv: []string{}})
	check(Command{Path: cmd.Path, Args: cmd.Args, AllowEnv: []string{"CAPEVAL_*"}}) // no list lets these through
}

func TestEnvRefused(t *testing.T) {
	for _, pair := range []string{"CAPEVAL_RUN_DIR=x", "capeval_x=y", "no-equals-sign", "=value"} {
		cmd := role(t, "echo")
		cmd.Env = []string{pair}
		_, err := cmd.Exec(t.Context(), cell{}, "")
		if cause(t, err) != "runner" || !strings.Contains(err.Error(), "in Env") {
			t.Errorf("%s: got %v, want it refused", pair, err)
		}
	}
}

// A flood of 100 MB leaves MaxOutput bytes and does not pass through the heap.
func TestFlood(t *testing.T) {
	const size, limit = 100 << 20, 64 << 10
	cmd := role(t, "flood", fmt.Sprint(size))
	cmd.MaxOutput = limit
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := cmd.Exec(t.Context(), cell{}, "")
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(size + len("begin") + len("end"))
	if res.StdoutCut != total-limit {
		t.Errorf("got %d bytes cut, want %d", res.StdoutCut, total-limit)
	}
	if !strings.HasPrefix(res.Stdout, "begin0123") || !strings.HasSuffix(res.Stdout, "end") ||
		!strings.Contains(res.Stdout, fmt.Sprintf("\n[%d bytes cut]\n", res.StdoutCut)) {
		t.Errorf("got %.20q ... %.20q", res.Stdout, res.Stdout[len(res.Stdout)-20:])
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("allocated %d bytes for a flood of %d", grown, size)
	}
}

// 10 MB of stdin do not hold up a command that reads none of it.
func TestStdinUnread(t *testing.T) {
	big := strings.Repeat("x", 10<<20)
	res, err := role(t, "deaf").Exec(t.Context(), cell{}, big)
	if err != nil || res.Stdout != "answered" {
		t.Errorf("closed early: got %q, %v", res.Stdout, err)
	}
	if _, err := role(t, "exit", "0").Exec(t.Context(), cell{}, big); err != nil {
		t.Errorf("never read: %v", err)
	}
	res, err = role(t, "flood", "10").Exec(t.Context(), cell{}, "")
	if err != nil || res.Stdout != "begin0123456789end" || res.StdoutCut != 0 {
		t.Errorf("empty stdin: got %+v, %v", res, err)
	}
}

// exchange takes calls from processes under test.
type exchange struct {
	t *testing.T
	l net.Listener
}

func newExchange(t *testing.T) exchange {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return exchange{t, l}
}

// caller is one process that called.
type caller struct {
	pid  int
	line *bufio.Reader
	conn net.Conn
}

// take waits for n calls.
func (x exchange) take(n int) []caller {
	x.t.Helper()
	var all []caller
	for range n {
		conn, err := x.l.Accept()
		if err != nil {
			x.t.Fatal(err)
		}
		c := caller{line: bufio.NewReader(conn), conn: conn}
		if _, err := fmt.Fscan(c.line, &c.pid); err != nil {
			x.t.Fatal(err)
		}
		_, _ = c.line.ReadString('\n')
		all = append(all, c)
		x.t.Cleanup(func() { _ = conn.Close() })
	}
	return all
}

// dead reports whether the caller ends within wait.
func (c caller) dead(wait time.Duration) bool {
	_ = c.conn.SetReadDeadline(time.Now().Add(wait))
	_, err := c.line.ReadByte()
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

func TestLimitKillsTheWholeGroup(t *testing.T) {
	x := newExchange(t)
	limited, fire := newDeadline(t.Context())
	cmd := role(t, "family", x.l.Addr().String())
	cmd.Grace = 50 * time.Millisecond
	var callers []caller
	begun := make(chan time.Time, 1)
	go func() {
		callers = x.take(3)
		begun <- time.Now()
		fire()
	}()
	res, err := cmd.Exec(limited, cell{}, "")
	if took := time.Since(<-begun); took > 3*time.Second {
		t.Errorf("took %v after the limit", took)
	}
	if cause(t, err) != "agent_timeout" || res.Signal != "signal: killed" {
		t.Errorf("got %v, signal %q", err, res.Signal)
	}
	for _, c := range callers {
		if !c.dead(5 * time.Second) {
			t.Errorf("process %d survived", c.pid)
			_ = syscall.Kill(c.pid, syscall.SIGKILL)
		}
	}
}

// deadline is a context whose deadline passes when it is told to, so that no
// test has to guess how long a process takes to start.
type deadline struct {
	context.Context
	done chan struct{}
}

func newDeadline(ctx context.Context) (deadline, func()) {
	d := deadline{ctx, make(chan struct{})}
	return d, func() { close(d.done) }
}

func (d deadline) Done() <-chan struct{} { return d.done }

func (d deadline) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A command that cleans up at SIGTERM is let to, and its last words are kept;
// that it exits 0 then does not make it an answer in time.
func TestPoliteEnd(t *testing.T) {
	x := newExchange(t)
	limited, fire := newDeadline(t.Context())
	cmd := role(t, "polite", x.l.Addr().String())
	cmd.Grace = 10 * time.Second
	go func() { x.take(1); fire() }()
	res, err := cmd.Exec(limited, cell{}, "")
	if cause(t, err) != "agent_timeout" || res.Stdout != "goodbye" || res.ExitCode != 0 {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestInterrupt(t *testing.T) {
	x := newExchange(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { x.take(1); cancel() }()
	_, err := role(t, "polite", x.l.Addr().String()).Exec(ctx, cell{}, "")
	if cause(t, err) != "interrupted" {
		t.Errorf("got %v", err)
	}
	_, err = role(t, "echo").Exec(ctx, cell{}, "") // never starts
	if cause(t, err) != "interrupted" || !errors.Is(err, context.Canceled) {
		t.Errorf("ended before the start: got %v", err)
	}
}

// ownCause is a context cause that names its own kind.
type ownCause struct{}

func (ownCause) Error() string { return "budget spent" }
func (ownCause) Cause() string { return "not_started" }

func TestContextCauseWins(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("stopped: %w", ownCause{}))
	if _, err := role(t, "echo").Exec(ctx, cell{}, ""); cause(t, err) != "not_started" {
		t.Errorf("got %v", err)
	}
}

func TestLeftBehindIsKilled(t *testing.T) {
	x := newExchange(t)
	taken := make(chan []caller, 1)
	go func() {
		callers := x.take(2)
		for _, c := range callers {
			_, _ = c.conn.Write([]byte("!")) // the leader may go
		}
		taken <- callers
	}()
	res, err := role(t, "leaves", x.l.Addr().String()).Exec(t.Context(), cell{}, "")
	if err != nil || res.Stdout != "done" {
		t.Errorf("got %+v, %v", res, err)
	}
	for _, c := range <-taken {
		if !c.dead(5 * time.Second) {
			t.Errorf("process %d survived", c.pid)
			_ = syscall.Kill(c.pid, syscall.SIGKILL)
		}
	}
}

// A daemon holds the pipes open for ever; the trial goes on without it.
func TestDaemonDoesNotHang(t *testing.T) {
	x := newExchange(t)
	res, err := role(t, "daemon", x.l.Addr().String()).Exec(t.Context(), cell{}, "")
	if err != nil || res.Stdout != "done" {
		t.Errorf("got %+v, %v", res, err)
	}
	if res.Elapsed > 5*time.Second {
		t.Errorf("took %v", res.Elapsed)
	}
	for _, c := range x.take(1) {
		_ = syscall.Kill(c.pid, syscall.SIGKILL)
	}
}

// Nothing is left open: descriptors after many runs are those of before.
func TestNoDescriptorLeaks(t *testing.T) {
	count := func() int {
		fds, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Skipf("cannot list the open files: %v", err)
		}
		return len(fds)
	}
	run := func(n int) {
		for range n {
			_, _ = role(t, "exit", "0").Exec(t.Context(), cell{}, "in")
			_, _ = Command{Path: "no-such-agent-anywhere"}.Exec(t.Context(), cell{}, "in")
		}
	}
	run(1)
	before := count()
	run(20)
	if after := count(); after > before {
		t.Errorf("%d files open before, %d after", before, after)
	}
}

func TestTempCopy(t *testing.T) {
	src := t.TempDir()
	if err := os.MkdirAll(filepath.Join(src, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(src, "sub", "run.sh"), []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub/run.sh", filepath.Join(src, "link")); err != nil {
		t.Fatal(err)
	}
	box, err := TempCopy(src)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(box)
	info, err := os.Stat(filepath.Join(box, "sub", "run.sh"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("got %v, %v", info, err)
	}
	if to, err := os.Readlink(filepath.Join(box, "link")); err != nil || to != "sub/run.sh" {
		t.Errorf("link: got %q, %v", to, err)
	}
	cmd := role(t, "cwd")
	cmd.Dir = box
	res, err := cmd.Exec(t.Context(), cell{}, "")
	want, _ := filepath.EvalSymlinks(box)
	if got, _ := filepath.EvalSymlinks(res.Stdout); err != nil || got != want {
		t.Errorf("ran in %q, want %q (%v)", got, want, err)
	}
	if _, err := TempCopy(filepath.Join(src, "gone")); err == nil {
		t.Error("a copy of nothing succeeded")
	}
}
