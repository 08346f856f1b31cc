package merge

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// stagePrefix begins the name of a folder in which a merge is made.
const stagePrefix = ".capeval-merge-"

// ErrOccupied says that the place of the merged run holds something.
var ErrOccupied = errors.New("the output is not empty")

// Stage is a folder beside the output in which the output is made, so that the
// output is whole or absent whenever the process dies. What a killed merge
// leaves behind has a name that begins with .capeval-merge- and may be deleted.
type Stage struct {
	Dir string // where to write
	out string
}

// NewStage makes the stage of out, which must be absent or an empty folder.
func NewStage(out string) (*Stage, error) {
	out = real(out)
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrOccupied, err)
	case len(entries) > 0:
		return nil, fmt.Errorf("%w: %s holds %s, need a new or empty folder", ErrOccupied, out, entries[0].Name())
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, err
	}
	dir := filepath.Join(filepath.Dir(out), stagePrefix+rand.Text())
	return &Stage{Dir: dir, out: out}, os.Mkdir(dir, 0o755)
}

// Around returns the run directory of a shard in which path lies, "" where there
// is none. It wants path as the caller named it, and need not exist.
func (m *Merged) Around(path string) string {
	place := real(path)
	for _, s := range m.Suites {
		for _, sh := range s.Shards {
			if rel, err := filepath.Rel(real(sh.Root), place); err == nil && filepath.IsLocal(rel) {
				return sh.Root
			}
		}
	}
	return ""
}

// real is the absolute path without symbolic links, as far as it exists.
func real(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if p, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
		return p
	}
	return filepath.Join(real(filepath.Dir(path)), filepath.Base(path))
}

// Commit puts the stage in the place of the output, in one step. Where the
// output has come to hold something meanwhile, that stays and the error is
// [ErrOccupied].
func (s *Stage) Commit() error {
	if err := os.Remove(s.out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrOccupied, err)
	}
	return os.Rename(s.Dir, s.out)
}

// Drop removes the stage. After Commit it does nothing.
func (s *Stage) Drop() error { return os.RemoveAll(s.Dir) }
