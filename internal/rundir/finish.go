package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/capeval/capeval/record"
)

// Finish merges the journals into trials.jsonl, one whole file sorted by task,
// trial and attempt. Beside every attempt that ended it holds a row
// "interrupted" for every attempt that only started, and a row "not_started",
// attempt 0, for every planned and selected cell that has no line. Then it
// removes the journals, todo.json and what killed processes left half done.
//
// It is called when no process of the run writes any more, any number of times.
// Killed anywhere, it leaves a folder that reads the same and can be finished.
func (d Dir) Finish() error {
	_, _, err := d.finish(func() error { return nil })
	return err
}

// Settle is Finish, and then Result without reading again what was just
// written.
func (d Dir) Settle(o record.Options) (record.SplitResult, error) {
	run, trials, err := d.finish(func() error { return nil })
	if err != nil {
		return record.SplitResult{}, err
	}
	return record.Summarize(run, trials, o)
}

// finish calls step before each thing that it does to the disk, and stops where
// step gives an error, as a killed process would. It returns the run and what
// trials.jsonl now holds.
func (d Dir) finish(step func() error) (run record.Run, trials []record.Trial, err error) {
	run, err = d.ReadRun()
	if err != nil {
		return run, nil, err
	}
	journals, err := d.journals()
	if err != nil {
		return run, nil, err
	}
	trials, starts, err := readRows(append(slices.Clone(journals), d.file("trials.jsonl")))
	if err != nil {
		return run, nil, err
	}
	trials, err = complete(run, trials, starts)
	if err != nil {
		return run, nil, err
	}
	return run, trials, d.replace(journals, trials, step)
}

// replace writes trials.jsonl and takes away the journals that went into it.
func (d Dir) replace(journals []string, trials []record.Trial, step func() error) error {
	if err := step(); err != nil {
		return err
	}
	err := d.write("trials.jsonl", func(w io.Writer) error { return record.WriteTrials(w, trials) })
	if err != nil {
		return err
	}
	// Only what was read goes: a journal that was opened meanwhile stays, and
	// keeps its folder.
	for _, path := range append(journals, d.file("todo.json")) {
		if err := step(); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("finish: %w", err)
		}
	}
	if err := step(); err != nil {
		return err
	}
	if err := d.sweepRollouts(); err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	if err := step(); err != nil {
		return err
	}
	if rest, err := os.ReadDir(d.file("journal")); err == nil && len(rest) == 0 {
		_ = os.Remove(d.file("journal")) // an empty folder in the way harms nobody
	}
	return nil
}

// complete adds the rows of what did not end and of what never started to
// trials, which are sorted, as starts are.
func complete(run record.Run, trials []record.Trial, starts []record.Start) ([]record.Trial, error) {
	plan := map[string]*record.PlanTask{}
	for i := range run.Plan {
		plan[run.Plan[i].Task] = &run.Plan[i]
	}
	missing := func(a attempt, cause record.Cause, message string) record.Trial {
		t := record.Trial{
			Run: run.ID, Suite: run.Suite, Split: run.Split, Arm: run.Arm,
			Task: a.Task, Trial: a.Trial, Attempt: a.number, Seed: run.BaseSeed + int64(a.Trial),
			Status: record.Missing, Cause: cause, Message: message,
		}
		if p := plan[a.Task]; p != nil {
			t.Cluster, t.ContentDigest = p.Cluster, p.ContentDigest
		}
		return t
	}
	var added []record.Trial
	for i := range starts {
		a := ofStart(&starts[i])
		if hasAttempt(trials, a) || i > 0 && ofStart(&starts[i-1]) == a { // marked twice
			continue
		}
		t := missing(a, record.CauseInterrupted, "started and never ended")
		t.Started = starts[i].Started
		added = append(added, t)
	}
	why := "never started"
	if run.Stopped != "" {
		why += ": the run stopped (" + run.Stopped + ")"
	}
	for _, c := range selected(run) {
		if !hasCell(trials, c) && !hasStart(starts, c) {
			added = append(added, missing(attempt{c, 0}, record.CauseNotStarted, why))
		}
	}
	if len(added) == 0 {
		return trials, nil
	}
	return distinct(append(trials, added...))
}

// selected returns the cells of the plan that this run is to measure, in the
// order of the plan.
func selected(run record.Run) []record.Cell {
	var cells []record.Cell
	for _, p := range run.Plan {
		for k := range p.Trials {
			if !slices.Contains(p.Deselected, k) && !slices.Contains(p.Elsewhere, k) {
				cells = append(cells, record.Cell{Task: p.Task, Trial: k})
			}
		}
	}
	return cells
}
