package agentexec

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitExit returns when process pid has ended, and leaves it to be reaped, so
// that its number still belongs to it. It reports whether it could wait.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
