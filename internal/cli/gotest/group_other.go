//go:build !unix

package gotest

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: there are no process groups here.
func ownGroup(*exec.Cmd) {}

// group is the leader alone.
type group struct{ leader *os.Process }

func (g *group) signal(os.Signal) { _ = g.leader.Kill() }

func (g *group) reap(cmd *exec.Cmd) error { return cmd.Wait() }
