//go:build unix

package seal

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openPrivate opens a file without following a link and without waiting for the
// writer of a FIFO.
func openPrivate(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
}

// private checks that an open file is regular and ours alone.
func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("found %v, need a regular file", info.Mode())
	}
	const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if info.Mode().Perm() != 0o600 || info.Mode()&special != 0 {
		return fmt.Errorf("found mode %v, need 0600", info.Mode())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("found a file of another user, need one of our own")
	}
	return nil
}
