package durable

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrClaimed says that somebody else claimed the path before.
var ErrClaimed = errors.New("already claimed")

// ClaimedError is the error of a lost claim.
type ClaimedError struct {
	Path    string
	Content []byte // what the winner wrote, whole
}

// Error names the path and the beginning of what the winner wrote.
func (e *ClaimedError) Error() string {
	return fmt.Sprintf("%s: %v by %.100q", e.Path, ErrClaimed, e.Content)
}

// Unwrap returns [ErrClaimed].
func (e *ClaimedError) Unwrap() error { return ErrClaimed }

// Claim creates path with content, once: of any number of processes that call
// it for one path, exactly one gets nil. Every other gets a [*ClaimedError]
// with the content of the winner, who includes the caller itself in an earlier
// life. A claim is never released by this package.
//
// It rests on link(2), because a rename replaces what is there and so has as
// many winners as callers, and a file opened with O_EXCL can be seen before its
// content. A file system without hard links gives an error.
func Claim(path string, content []byte) error { return host().claim(path, content) }

func (d disk) claim(path string, content []byte) error {
	temp, err := d.writeTemp(parent(path), writing(content), Options{})
	if err != nil {
		return fmt.Errorf("claim %s: %w", path, err)
	}
	err = d.link(temp, path)
	rmErr := d.remove(temp)
	switch {
	case errors.Is(err, fs.ErrExist):
		won, err := d.read(path)
		if err != nil {
			return fmt.Errorf("claim %s: %w, but the winner's content cannot be read: %w", path, ErrClaimed, err)
		}
		return &ClaimedError{Path: path, Content: won}
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("claim %s: %w; a claim needs a folder on a file system with hard links", path, err)
	case err != nil:
		return fmt.Errorf("claim %s: %w", path, err)
	case rmErr != nil:
		return fmt.Errorf("claim %s: the claim stands, but its temporary file stays: %w", path, rmErr)
	}
	if err := d.syncDir(parent(path)); err != nil {
		return fmt.Errorf("claim %s: the claim stands, but its folder could not be synced: %w", path, err)
	}
	return nil
}
