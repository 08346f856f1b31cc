package rundir

import (
	"fmt"
	"io"
	"slices"

	"github.com/capeval/capeval/record"
)

// Cut returns the run as it would be with at most n trials a task, what of the
// trials belongs to it, and how many cells that leaves out. Neither argument is
// changed.
func Cut(run record.Run, trials []record.Trial, n int) (record.Run, []record.Trial, int) {
	run.Plan = slices.Clone(run.Plan)
	run.Trials = min(run.Trials, n)
	dropped := 0
	beyond := func(k int) bool { return k >= n }
	for i := range run.Plan {
		p := &run.Plan[i]
		if p.Trials <= n {
			continue
		}
		for k := n; k < p.Trials; k++ {
			if !slices.Contains(p.Deselected, k) && !slices.Contains(p.Elsewhere, k) {
				dropped++
			}
		}
		p.Trials = n
		p.Deselected = slices.DeleteFunc(slices.Clone(p.Deselected), beyond)
		p.Elsewhere = slices.DeleteFunc(slices.Clone(p.Elsewhere), beyond)
	}
	kept := slices.DeleteFunc(slices.Clone(trials), func(t record.Trial) bool { return t.Trial >= n })
	return run, kept, dropped
}

// Shorten makes the plan of a finished run end after n trials a task, because the
// rest is not needed: its cells leave the denominator, and run.json says why. It
// returns their number. A cell that is left out and has been measured is an
// error, since no measurement is dropped.
//
// Killed anywhere, it leaves cells that never started, or all of it done.
func (d Dir) Shorten(n int, why string) (int, error) {
	run, trials, err := d.finish(func() error { return nil })
	if err != nil {
		return 0, err
	}
	for _, t := range trials {
		if t.Trial >= n && t.Attempt > 0 {
			return 0, fmt.Errorf("shorten %s to %d trials: trial %d of task %q has run already", d.Name, n, t.Trial, t.Task)
		}
	}
	run, trials, dropped := Cut(run, trials, n)
	if dropped == 0 {
		return 0, nil
	}
	run.Stopped = why
	err = d.write("trials.jsonl", func(w io.Writer) error { return record.WriteTrials(w, trials) })
	if err != nil {
		return 0, err
	}
	if err := d.WriteRun(run); err != nil {
		return 0, err
	}
	result, err := record.Summarize(run, trials, record.Options{})
	if err != nil {
		return 0, err
	}
	return dropped, d.WriteResult(result)
}
