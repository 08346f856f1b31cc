package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/record"
)

// Journal is where one process writes its trials while a run is running. It is
// safe for several goroutines.
//
// A line goes out in one write(2) and is not synced: the kernel has it when the
// call returns, so that a killed process loses nothing that was written. Only
// the death of the machine can take lines away, and then the trials are
// measured again; Close syncs them.
type Journal struct {
	lines *durable.Appender
	path  string
}

// OpenJournal opens a new journal called name, such as "p1". Where that name is
// taken, by an earlier pass or a process that died, a number is added: a
// journal has one writer, because only its last line may be torn.
func (d Dir) OpenJournal(name string) (*Journal, error) {
	dir := d.file("journal")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	base := fileName(name, maxName)
	for n := 1; ; n++ {
		path := filepath.Join(dir, base+".jsonl")
		if n > 1 {
			path = filepath.Join(dir, base+"."+strconv.Itoa(n)+".jsonl")
		}
		lines, err := durable.CreateAppender(path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		return &Journal{lines: lines, path: path}, nil
	}
}

// Path returns where the journal lies until Finish.
func (j *Journal) Path() string { return j.path }

// Start marks the beginning of an attempt. Without it, a trial that was in
// flight when its process died is taken for one that never started.
func (j *Journal) Start(s record.Start) error { return record.WriteStart(j.lines, s) }

// End writes what an attempt left behind. When it returns nil, the death of the
// process can no longer lose the trial.
func (j *Journal) End(t record.Trial) error { return record.WriteTrial(j.lines, t) }

// Close syncs and closes the journal.
func (j *Journal) Close() error {
	return errors.Join(j.lines.Sync(), j.lines.Close())
}
