package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/record"
)

// WriteRun writes run.json, whole and synced. It is written before the first
// trial and again at the end of a pass.
func (d Dir) WriteRun(r record.Run) error {
	return d.write("run.json", func(w io.Writer) error { return record.WriteRun(w, r) })
}

// ReadRun reads run.json. Where there is none, the error is fs.ErrNotExist: the
// suite never came to its first trial.
func (d Dir) ReadRun() (record.Run, error) {
	f, err := os.Open(d.file("run.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return record.Run{}, fmt.Errorf("suite %q has no plan, need the run.json of a run that began: %w", d.Name, err)
	}
	if err != nil {
		return record.Run{}, err
	}
	defer f.Close()
	return record.ReadRun(f, d.file("run.json"))
}

// WriteResult writes result.json, whole and synced.
func (d Dir) WriteResult(r record.SplitResult) error {
	return d.write("result.json", func(w io.Writer) error { return record.WriteResult(w, r) })
}

// Result is the plan less the journal: the summary of what is there now,
// whether the run is running, was killed or is finished.
func (d Dir) Result(o record.Options) (record.SplitResult, error) {
	run, err := d.ReadRun()
	if err != nil {
		return record.SplitResult{}, err
	}
	paths, err := d.rowFiles()
	if err != nil {
		return record.SplitResult{}, err
	}
	s := record.NewSummarizer(&run, o)
	for _, path := range paths {
		if err := readFile(path, s.Read); err != nil {
			return record.SplitResult{}, err
		}
	}
	return s.Result()
}

// readFile gives path to read. A torn last line is no error: its trial is one
// that did not end. Nor is a file that is gone: Finish took it away meanwhile.
func readFile(path string, read func(r io.Reader, name string) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var torn *record.Torn
	if err := read(f, path); err != nil && !errors.As(err, &torn) {
		return err
	}
	return nil
}

// write makes what a writer of package record writes a whole file.
func (d Dir) write(name string, to func(io.Writer) error) error {
	if err := os.MkdirAll(d.Path, 0o755); err != nil {
		return err
	}
	return durable.Write(d.file(name), to, durable.Options{})
}
