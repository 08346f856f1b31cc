package merge

import (
	"fmt"
	"os"

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
		case p == nil || t.Trial >= p.trials:
			return bad("found a cell outside the plan")
		case p.elsewhere[t.Trial]:
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

// planTask is a task of a plan, for looking things up.
type planTask struct {
	trials     int
	elsewhere  map[int]bool
	deselected map[int]bool
}

func planned(run record.Run) map[string]*planTask {
	plan := make(map[string]*planTask, len(run.Plan))
	for _, p := range run.Plan {
		plan[p.Task] = &planTask{p.Trials, set(p.Elsewhere), set(p.Deselected)}
	}
	return plan
}

func set(list []int) map[int]bool {
	m := make(map[int]bool, len(list))
	for _, k := range list {
		m[k] = true
	}
	return m
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
