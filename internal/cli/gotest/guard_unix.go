//go:build unix

package gotest

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// guard is a small process that lives as long as the command. When the command
// is gone, even by SIGKILL, its end of the pipe is closed: the guard then kills
// the group that was running and removes the bench. Without it an orphaned suite
// would go on spending money, and writing beside the run that resumes it.
type guard struct {
	pipe *os.File
	cmd  *exec.Cmd
}

const guardScript = `g=0
while read -r line; do g=$line; done
if [ "$g" -gt 1 ]; then kill -s KILL -- "-$g" 2>/dev/null; fi
rm -rf -- "$1"`

// newGuard returns nil, which guards nothing, where there is no shell.
func newGuard(dir string) *guard {
	read, write, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer read.Close()
	cmd := exec.Command("/bin/sh", "-c", guardScript, "capeval-ci-guard", dir)
	cmd.Dir, cmd.Stdin = "/", read
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // out of reach of what kills our group
	if err := cmd.Start(); err != nil {
		_ = write.Close()
		return nil
	}
	return &guard{pipe: write, cmd: cmd}
}

// watch tells which group is running; 0 is none.
func (g *guard) watch(pgid int) {
	if g != nil {
		_, _ = fmt.Fprintln(g.pipe, pgid) // a guard that is gone guards nothing
	}
}

// dismiss ends the guard.
func (g *guard) dismiss() {
	if g != nil {
		g.watch(0)
		_ = g.pipe.Close()
		_ = g.cmd.Wait()
	}
}
