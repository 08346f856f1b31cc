package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/record"
)

// WriteTrials writes trials.jsonl, whole and synced, for a folder that no
// process measures into: the trials of several runs, brought together. It sorts
// trials into the order of Finish.
func (d Dir) WriteTrials(trials []record.Trial) error {
	sorted, err := distinct(trials)
	if err != nil {
		return err
	}
	return d.write("trials.jsonl", func(w io.Writer) error { return record.WriteTrials(w, sorted) })
}

// Unfinished reports whether journals lie in the folder: the run is running, or
// was killed.
func (d Dir) Unfinished() (bool, error) {
	paths, err := d.journals()
	return len(paths) > 0, err
}

// Snapshot copies the plan and the trials of d into the folder to, which must
// not hold any, so that the copy can be finished while d stays as it is. It may
// be taken while the run is running.
func (d Dir) Snapshot(to Dir) error {
	rows, err := d.rowFiles() // in the order in which they must be read
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to.file("journal"), 0o755); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for _, path := range append([]string{d.file("run.json")}, rows...) {
		below, err := filepath.Rel(d.Path, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // Finish took it away meanwhile; its rows are in trials.jsonl
		}
		if err == nil {
			err = durable.WriteFile(to.file(below), data, durable.Options{NoSync: true})
		}
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
	}
	return nil
}
