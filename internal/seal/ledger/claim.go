package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/capeval/capeval/internal/durable"
)

// claim creates path with data, once, by a link, and where there are no links by
// O_EXCL.
func claim(path string, data []byte) error {
	err := durable.Claim(path, data)
	var link *os.LinkError
	if errors.As(err, &link) && !errors.Is(err, durable.ErrClaimed) && noLinks(link.Err) {
		return claimExcl(path, data)
	}
	return err
}

func noLinks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EMLINK)
}

// claimExcl creates path with data, once, so that a writer who dies in the middle
// leaves a torn record: readers refuse it, and nobody takes its number.
func claimExcl(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		won, rerr := os.ReadFile(path)
		if rerr != nil {
			return rerr
		}
		return &durable.ClaimedError{Path: path, Content: won}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return errors.Join(err, os.Remove(path)) // a full disk: the number is free again
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a folder survive a power cut, where it can.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
