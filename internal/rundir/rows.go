package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/capeval/capeval/record"
)

// rowFiles returns the files that hold trials: trials.jsonl last, since Finish
// writes it before it takes the journals away, and a reader that goes the other
// way could miss both. Files that are not there are passed over when read.
func (d Dir) rowFiles() ([]string, error) {
	journals, err := d.journals()
	return append(journals, d.file("trials.jsonl")), err
}

func (d Dir) journals() ([]string, error) {
	entries, err := os.ReadDir(d.file("journal"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".jsonl" {
			paths = append(paths, filepath.Join(d.file("journal"), e.Name()))
		}
	}
	return paths, nil
}

// ReadJournal returns every attempt and every start mark that the folder holds,
// finished or not, sorted by task, trial and attempt. A torn last line of a file
// is passed over, a row that stands twice comes once, and a not_started row is
// left out as soon as its cell has started. Rows that contradict each other are
// not judged here: the summary refuses them.
func (d Dir) ReadJournal() ([]record.Trial, []record.Start, error) {
	paths, err := d.rowFiles()
	if err != nil {
		return nil, nil, err
	}
	return readRows(paths)
}

func readRows(paths []string) ([]record.Trial, []record.Start, error) {
	var trials []record.Trial
	var starts []record.Start
	for _, path := range paths {
		err := readFile(path, func(r io.Reader, name string) error {
			t, s, err := record.ReadJournal(r, name)
			trials, starts = append(trials, t...), append(starts, s...)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(starts, func(a, b record.Start) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), a.Trial-b.Trial, a.Attempt-b.Attempt, cmp.Compare(a.Started, b.Started))
	})
	starts = slices.CompactFunc(starts, func(a, b record.Start) bool { return a == b })
	trials, err := distinct(trials)
	return withoutStale(trials, starts), starts, err
}

// attempt names one attempt at a cell.
type attempt struct {
	record.Cell
	number int
}

func ofTrial(t record.Trial) attempt {
	return attempt{record.Cell{Task: t.Task, Trial: t.Trial}, t.Attempt}
}
func ofStart(s record.Start) attempt {
	return attempt{record.Cell{Task: s.Task, Trial: s.Trial}, s.Attempt}
}

// distinct sorts trials and drops those whose lines are equal. Only attempts
// that stand twice are compared line by line.
func distinct(trials []record.Trial) ([]record.Trial, error) {
	slices.SortStableFunc(trials, compareAttempts)
	out := trials[:0]
	for i := 0; i < len(trials); {
		j := i + 1
		for j < len(trials) && compareAttempts(trials[i], trials[j]) == 0 {
			j++
		}
		same, err := distinctLines(trials[i:j])
		if err != nil {
			return nil, err
		}
		out = append(out, same...)
		i = j
	}
	return out, nil
}

func compareAttempts(a, b record.Trial) int {
	return cmp.Or(cmp.Compare(a.Task, b.Task), a.Trial-b.Trial, a.Attempt-b.Attempt)
}

// distinctLines returns the trials of one attempt, sorted by their lines, each
// line once.
func distinctLines(trials []record.Trial) ([]record.Trial, error) {
	if len(trials) == 1 {
		return trials, nil
	}
	byLine := map[string]record.Trial{}
	for _, t := range trials {
		line, err := record.AppendTrial(nil, t)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		byLine[string(line)] = t
	}
	var out []record.Trial
	for _, line := range slices.Sorted(maps.Keys(byLine)) {
		out = append(out, byLine[line])
	}
	return out, nil
}

// withoutStale drops the rows that Finish made up and that something real has
// replaced since: a not_started of a cell that started in a later pass.
func withoutStale(trials []record.Trial, starts []record.Start) []record.Trial {
	started := map[record.Cell]bool{}
	for _, s := range starts {
		started[ofStart(s).Cell] = true
	}
	for _, t := range trials {
		if t.Attempt > 0 {
			started[ofTrial(t).Cell] = true
		}
	}
	return slices.DeleteFunc(trials, func(t record.Trial) bool {
		return t.Attempt == 0 && t.Cause == record.CauseNotStarted && started[ofTrial(t).Cell]
	})
}
