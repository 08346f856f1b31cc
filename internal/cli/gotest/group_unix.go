//go:build unix

package gotest

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// ownGroup makes cmd the leader of a new process group: the terminal's Ctrl-C
// reaches the command alone, which hands it on once.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// group is the process group of a suite.
type group struct {
	leader *os.Process

	mu   sync.Mutex
	gone bool // its number may belong to somebody else
}

func (g *group) signal(s os.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if sig, ok := s.(syscall.Signal); ok && !g.gone {
		_ = syscall.Kill(-g.leader.Pid, sig) // ESRCH: nobody is left
	}
}

// reap waits for the leader and kills whom it left behind in its group: a
// process that goes on after its suite has ended would write into records that
// are closed.
func (g *group) reap(cmd *exec.Cmd) error {
	err := cmd.Wait()
	g.signal(syscall.SIGKILL)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = true
	return err
}
