package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/capeval/capeval/internal/durable"
)

// ignored keeps what runs leave out of version control, all but the checkpoint
// of the seal, whose place is there.
const ignored = "*\n!/checkpoint.json\n"

// Create makes the run directory root, which may be there already, and returns
// its absolute path. Below a folder .capeval it also writes .capeval/.gitignore
// where there is none, and below .capeval/runs it points the symbolic link
// .capeval/runs/latest at the run. A file or folder of that name is left alone,
// and where there are no symbolic links there is no latest.
func Create(root string) (string, error) {
	path, err := create(root)
	if err != nil {
		return "", fmt.Errorf("run directory %s: %w", root, err)
	}
	return path, nil
}

func create(root string) (string, error) {
	path, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", err
	}
	home, below, ok := home(path)
	if !ok {
		return path, nil
	}
	ignore := filepath.Join(home, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := durable.WriteFile(ignore, []byte(ignored), durable.Options{NoSync: true}); err != nil {
			return "", err
		}
	}
	parts := strings.Split(below, string(filepath.Separator))
	if len(parts) < 2 || parts[0] != "runs" {
		return path, nil
	}
	return path, pointLatest(filepath.Join(home, "runs"), parts[1])
}

// home returns the nearest folder .capeval above path, and the rest of path.
func home(path string) (dir, below string, ok bool) {
	for dir = filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == ".capeval" {
			below, err := filepath.Rel(dir, path)
			return dir, below, err == nil
		}
	}
	return "", "", false
}

// pointLatest makes runs/latest a symbolic link to id, in one step.
func pointLatest(runs, id string) error {
	latest := filepath.Join(runs, "latest")
	info, err := os.Lstat(latest)
	if id == "latest" || err == nil && info.Mode().Type() != fs.ModeSymlink {
		return nil
	}
	temp := filepath.Join(runs, ".latest-"+id)
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(id, temp); errors.Is(err, fs.ErrExist) {
		return nil // another process of this run is doing the same
	} else if err != nil {
		return nil // no symbolic links here: latest is a convenience
	}
	if err := os.Rename(temp, latest); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
