//go:build unix

package gitstore

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives cmd a session of its own, so that all of its children end with
// it, and none of them can ask for a password on the terminal.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		if syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}
