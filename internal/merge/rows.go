package merge

import (
	"fmt"
	"os"
	"slices"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// rows returns every attempt of the shard, sorted by task, trial and attempt, as
// they stand once the run is finished. Where journals are there, because the run
// is running or was killed, a copy is finished, never the shard itself.
func (s *Shard) rows() ([]record.Trial, error) {
	if s.read {
		return s.trials, nil
	}
	dir := s.Dir
	open, err := dir.Unfinished()
	if err != nil {
		return nil, err
	}
	if open {
		temp, err := os.MkdirTemp("", "capeval-merge-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temp)
		copied := rundir.Suite(temp, s.Run.Suite)
		if err := s.Dir.Snapshot(copied); err != nil {
			return nil, err
		}
		if err := copied.Finish(); err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
		dir = copied
	}
	trials, _, err := dir.ReadJournal()
	if err != nil {
		return nil, err
	}
	s.trials, s.read = trials, true
	return trials, nil
}

// check refuses rows that the shard cannot have measured, and rows of one
// attempt that contradict each other.
func (s *Shard) check(trials []record.Trial) error {
	plan := planned(s.Run)
	for i := range trials {
		t := &trials[i]
		bad := func(format string, args ...any) error {
			return fmt.Errorf("%s, trial %d of task %q: %s: the record was planted, or belongs to another run", s, t.Trial, t.Task, fmt.Sprintf(format, args...))
		}
		p := plan[t.Task]
		switch {
		case t.Run != s.Run.ID:
			return bad("found run %q, need %q", t.Run, s.Run.ID)
		case t.Key() != s.Run.Key():
			return bad("found %s, need %s", t.Key(), s.Run.Key())
		case p == nil || t.Trial >= p.Trials:
			return bad("found a cell outside the plan")
		case has(p.Elsewhere, t.Trial):
			return bad("found a cell that the plan gives to another shard")
		case t.Seed != s.Run.BaseSeed+int64(t.Trial):
			return bad("found seed %d, need %d", t.Seed, s.Run.BaseSeed+int64(t.Trial))
		}
		if i > 0 && trials[i-1].Task == t.Task && trials[i-1].Trial == t.Trial && trials[i-1].Attempt == t.Attempt {
			return fmt.Errorf("%s, trial %d of task %q: found two different records of attempt %d, need one", s, t.Trial, t.Task, t.Attempt)
		}
	}
	return nil
}

// planned is the plan of run by task.
func planned(run record.Run) map[string]*record.PlanTask {
	plan := make(map[string]*record.PlanTask, len(run.Plan))
	for i := range run.Plan {
		plan[run.Plan[i].Task] = &run.Plan[i]
	}
	return plan
}

// has looks into a list of a plan, which ascends.
func has(list []int, k int) bool {
	_, ok := slices.BinarySearch(list, k)
	return ok
}

// ended returns the cells whose last attempt came to an end, and those that were
// scored at any: what a resumed run would not run again.
func ended(trials []record.Trial) map[record.Cell]bool {
	cells := make(map[record.Cell]bool, len(trials))
	for i := range trials { // attempts ascend, so the last one speaks
		t := &trials[i]
		c := record.Cell{Task: t.Task, Trial: t.Trial}
		open := t.Cause == record.CauseInterrupted || t.Cause == record.CauseNotStarted
		cells[c] = t.Status == record.Scored || !open
	}
	return cells
}
