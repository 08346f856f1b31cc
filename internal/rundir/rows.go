package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

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
			trials, starts = joined(trials, t), joined(starts, s)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(starts, func(a, b record.Start) int {
		if c := ofStart(&a).compare(ofStart(&b)); c != 0 {
			return c
		}
		return strings.Compare(a.Started, b.Started)
	})
	starts = slices.CompactFunc(starts, func(a, b record.Start) bool { return a == b })
	trials, err := distinct(trials)
	return withoutStale(trials, starts), starts, err
}

// joined returns a and b, without a copy where one of them is empty: mostly
// there is one journal.
func joined[T any](a, b []T) []T {
	if len(a) == 0 {
		return b
	}
	return append(a, b...)
}

// attempt names one attempt at a cell.
type attempt struct {
	record.Cell
	number int
}

func ofTrial(t *record.Trial) attempt {
	return attempt{record.Cell{Task: t.Task, Trial: t.Trial}, t.Attempt}
}

func ofStart(s *record.Start) attempt {
	return attempt{record.Cell{Task: s.Task, Trial: s.Trial}, s.Attempt}
}

// distinct sorts trials and drops those whose lines are equal. Only attempts
// that stand twice are compared line by line.
func distinct(trials []record.Trial) ([]record.Trial, error) {
	trials = sorted(trials)
	out := trials[:0]
	for i := 0; i < len(trials); {
		j := i + 1
		for j < len(trials) && ofTrial(&trials[i]) == ofTrial(&trials[j]) {
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

// sorted returns trials sorted by task, trial and attempt, those of one attempt
// in their order. Mostly they are sorted already; rows are large, so otherwise
// their places are sorted first.
func sorted(trials []record.Trial) []record.Trial {
	inOrder := true
	for i := 1; i < len(trials) && inOrder; i++ {
		inOrder = ofTrial(&trials[i-1]).compare(ofTrial(&trials[i])) <= 0
	}
	if inOrder {
		return trials
	}
	order := make([]int, len(trials))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if c := ofTrial(&trials[i]).compare(ofTrial(&trials[j])); c != 0 {
			return c
		}
		return i - j
	})
	out := make([]record.Trial, len(trials))
	for i, from := range order {
		out[i] = trials[from]
	}
	return out
}

func (a attempt) compare(b attempt) int {
	if c := strings.Compare(a.Task, b.Task); c != 0 {
		return c
	}
	if c := a.Trial - b.Trial; c != 0 {
		return c
	}
	return a.number - b.number
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
// replaced since: a not_started of a cell that started in a later pass. Both
// lists are sorted.
func withoutStale(trials []record.Trial, starts []record.Start) []record.Trial {
	out := trials[:0]
	for i := range trials {
		t := &trials[i]
		if t.Attempt == 0 && t.Cause == record.CauseNotStarted && (replaced(trials[i:]) || hasStart(starts, ofTrial(t).Cell)) {
			continue
		}
		out = append(out, *t)
	}
	return out
}

// replaced reports whether the cell of the first trial has a real attempt.
func replaced(trials []record.Trial) bool {
	for i := range trials {
		if ofTrial(&trials[i]).Cell != ofTrial(&trials[0]).Cell {
			return false
		}
		if trials[i].Attempt > 0 {
			return true
		}
	}
	return false
}

// hasStart reports whether a cell has a start mark in a sorted list.
func hasStart(starts []record.Start, c record.Cell) bool {
	i, _ := slices.BinarySearchFunc(starts, attempt{c, 0}, func(s record.Start, a attempt) int { return ofStart(&s).compare(a) })
	return i < len(starts) && ofStart(&starts[i]).Cell == c
}

// at returns where in a sorted list the attempt is or would be.
func at(trials []record.Trial, a attempt) int {
	return sort.Search(len(trials), func(i int) bool { return ofTrial(&trials[i]).compare(a) >= 0 })
}

// hasAttempt reports whether an attempt is in a sorted list.
func hasAttempt(trials []record.Trial, a attempt) bool {
	i := at(trials, a)
	return i < len(trials) && ofTrial(&trials[i]) == a
}

// hasCell reports whether any attempt at a cell is in a sorted list.
func hasCell(trials []record.Trial, c record.Cell) bool {
	i := at(trials, attempt{c, 0})
	return i < len(trials) && ofTrial(&trials[i]).Cell == c
}
