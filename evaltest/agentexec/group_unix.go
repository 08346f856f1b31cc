//go:build unix

package agentexec

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// ownGroup makes cmd the leader of a new process group, so that one signal
// reaches every process it starts and the terminal's Ctrl-C reaches none.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// group is a process group. Its number is its leader's process id, which the
// system may give away once the leader is reaped and the group is empty, so
// nothing is sent after that.
type group struct {
	leader *os.Process

	mu   sync.Mutex
	gone bool
}

func (g *group) terminate() { g.signal(syscall.SIGTERM) }

func (g *group) kill() { g.signal(syscall.SIGKILL) }

func (g *group) signal(s syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		_ = syscall.Kill(-g.leader.Pid, s) // ESRCH: nobody is left, which is what we want
	}
}

// reap waits for the leader, kills what is left of its group and returns how
// the leader ended.
func (g *group) reap() (*os.ProcessState, error) {
	if awaitExit(g.leader.Pid) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.gone = true
		_ = syscall.Kill(-g.leader.Pid, syscall.SIGKILL)
		return g.leader.Wait()
	}
	state, err := g.leader.Wait()
	g.kill()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = true
	return state, err
}
