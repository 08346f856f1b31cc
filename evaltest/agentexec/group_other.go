//go:build !unix

package agentexec

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no process groups here.
func ownGroup(*exec.Cmd) {}

// group is the command alone.
type group struct{ leader *os.Process }

func (g *group) terminate() { g.kill() }

func (g *group) kill() { _ = g.leader.Kill() }

func (g *group) reap() (*os.ProcessState, error) { return g.leader.Wait() }
