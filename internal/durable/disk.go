package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// disk is every step this package takes on a file system, so that a test can
// make each of them fail in turn.
type disk struct {
	create  func(path string, perm fs.FileMode) (file, error)
	rename  func(from, to string) error
	link    func(from, to string) error
	remove  func(path string) error
	read    func(path string) ([]byte, error)
	syncDir func(path string) error
}

// file is the part of os.File that a writer needs.
type file interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
}

// host returns the file system of the machine.
func host() disk {
	return disk{
		create: func(path string, perm fs.FileMode) (file, error) {
			return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		},
		rename:  os.Rename,
		link:    os.Link,
		remove:  os.Remove,
		read:    os.ReadFile,
		syncDir: syncDir,
	}
}

// syncDir makes the names in a folder survive a power cut. Where a folder
// cannot be synced (Windows, some network and user-space file systems) it does
// nothing: there is no stronger promise to be had.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// parent returns the folder that holds path.
func parent(path string) string { return filepath.Dir(path) }
