//go:build unix

package gotest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Find on this module: packages that use the library, and those that do not.
func TestFind(t *testing.T) {
	pkgs, err := Find(context.Background(), "../../..", []string{"./stats", "./evaltest/agentexec"})
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) != 1 || pkgs[0].ImportPath != "github.com/capeval/capeval/evaltest/agentexec" || !filepath.IsAbs(pkgs[0].Dir) {
		t.Errorf("found %v, want agentexec alone", pkgs)
	}
	var failed *GoError
	if _, err = Find(context.Background(), ".", []string{"./absent"}); !errors.As(err, &failed) || !strings.Contains(failed.Output, "absent") {
		t.Errorf("a package that is not there: %v, want what go says", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("interrupted")
	cancel(reason)
	if _, err = Find(ctx, ".", []string{"."}); !errors.Is(err, reason) {
		t.Errorf("cancelled: %v, want %v", err, reason)
	}
}

// A word survives the shell, whatever is in it.
func TestQuote(t *testing.T) {
	for _, word := range []string{"plain", "two words", "it's", `"$HOME" \ * ; & |`, "-n", "line\nbreak"} {
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+quote("/"+word)).Output()
		if err != nil || string(out) != "/"+word {
			t.Errorf("%q became %q (%v)", "/"+word, out, err)
		}
	}
}

// The end of the leader is the end of its group.
func TestReapKillsTheGroup(t *testing.T) {
	note := filepath.Join(t.TempDir(), "child")
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & echo $! > "+quote(note))
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g := &group{leader: cmd.Process}
	if err := g.reap(cmd); err != nil {
		t.Fatal(err)
	}
	gone(t, note)
	g.signal(syscall.SIGKILL) // nobody's by now: nothing is sent
}

// When the command's end of the pipe is closed, as its death does, the guard
// kills the group that it was told of and removes the bench.
func TestGuard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bench")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(t.TempDir(), "leader")
	cmd := exec.Command("/bin/sh", "-c", "echo $$ > "+quote(note)+"; sleep 60; true")
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g := newGuard(dir)
	g.watch(cmd.Process.Pid)
	for _, err := os.ReadFile(note); err != nil; _, err = os.ReadFile(note) {
		time.Sleep(time.Millisecond)
	}
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
	_ = cmd.Wait()
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGKILL {
		t.Errorf("the group ended with %v, want SIGKILL", cmd.ProcessState)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the bench is still there: %v", err)
	}
}

// gone waits until the process whose number stands in the file note has ended.
func gone(t *testing.T, note string) {
	t.Helper()
	data, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return // dead, and nobody has collected it yet
		}
	}
	t.Errorf("process %d is still there", pid)
}
