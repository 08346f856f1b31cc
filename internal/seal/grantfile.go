package seal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxGrant bounds a grant file: some hundred thousand tasks.
const maxGrant = 16 << 20

// MakeDir makes the private folder (0700) of one finalize, outside the
// repository, with a path short enough for a socket in it. The caller removes
// it.
func MakeDir(repository string) (string, error) {
	root, err := filepath.Abs(repository)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return "", fmt.Errorf("seal: the repository: %w", err)
	}
	var errs []error
	for _, base := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		dir, err := makeDir(base, root)
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("seal: no place for the private folder of this job: %w", errors.Join(errs...))
}

func makeDir(base, root string) (string, error) {
	base, err := filepath.Abs(base)
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, base); err == nil && filepath.IsLocal(rel) {
		return "", fmt.Errorf("found the folder for temporary files %s inside the repository, need one outside: set TMPDIR", base)
	}
	dir, err := os.MkdirTemp(base, "capeval-") // 0700
	if err != nil {
		return "", err
	}
	if err := checkAddr(filepath.Join(dir, "broker")); err != nil {
		_ = os.Remove(dir)
		return "", fmt.Errorf("%s: %w; set TMPDIR to a shorter path", dir, err)
	}
	return dir, nil
}

// WriteGrant writes g into a new private file (0600). The folder must be
// private too, as [MakeDir] makes it.
func WriteGrant(path string, g Grant) error {
	g.V = 1
	if err := g.check(); err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	info, err := os.Lstat(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("seal: found %s with mode %v, need a folder of mode 0700 for a grant", filepath.Dir(path), info.Mode())
	}
	data, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	if len(data) > maxGrant {
		return fmt.Errorf("seal: found a grant of %d bytes, need at most %d: leave out its tasks", len(data), maxGrant)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o600), f.Close()); err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	return nil
}

// ReadGrant reads the grant at path. It wants a regular file that is ours alone:
// no symbolic link, mode 0600, owned by this user, at most 16 MB. Every error is
// a [Refusal] S03; it tells nothing of what the file holds.
func ReadGrant(path string) (Grant, error) {
	g, err := readGrant(path)
	if err != nil {
		return Grant{}, DeadGrant("", strings.TrimPrefix(err.Error(), "open "))
	}
	return g, nil
}

func readGrant(path string) (Grant, error) {
	f, err := openPrivate(path)
	if err != nil {
		return Grant{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Grant{}, err
	}
	if err := private(info); err != nil {
		return Grant{}, fmt.Errorf("%s: %w", path, err)
	}
	if info.Size() > maxGrant {
		return Grant{}, fmt.Errorf("%s: found %d bytes, need at most %d", path, info.Size(), maxGrant)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxGrant+1))
	if err != nil {
		return Grant{}, err
	}
	if len(data) > maxGrant {
		return Grant{}, fmt.Errorf("%s: found a file that grows", path)
	}
	g, err := decodeGrant(data)
	if err != nil {
		return Grant{}, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}
