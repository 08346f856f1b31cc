package merge

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// samePlan returns nil when b is of the run that a is of.
func samePlan(a, b *Shard) error {
	x, y := a.Run, b.Run
	if a.plan() != b.plan() || x.Git.Commit != y.Git.Commit {
		if err := rundir.SamePlan(whole(x), whole(y)); err != nil { // names the first difference
			return err
		}
		return fmt.Errorf("another plan: found plan digest %s, need %s as before", b.plan(), a.plan())
	}
	switch {
	case a.number().Count != b.number().Count || (x.Shard == nil) != (y.Shard == nil):
		return fmt.Errorf("another plan: found %s beside %s, need shards of one count", b.part(), a.part())
	case x.Trials != y.Trials:
		return fmt.Errorf("another plan: found %d trials a task, need %d as before", y.Trials, x.Trials)
	case x.PassThreshold != y.PassThreshold:
		return fmt.Errorf("another plan: found pass threshold %v, need %v as before", y.PassThreshold, x.PassThreshold)
	case x.Package != y.Package && !filepath.IsAbs(x.Package) && !filepath.IsAbs(y.Package): // a folder may differ from machine to machine
		return fmt.Errorf("another plan: found package %s, need %s as before", y.Package, x.Package)
	}
	return nil
}

// whole returns the plan without what only one shard knows of it: which part it
// is, what others run, and which of its own cells a selection left out.
func whole(run record.Run) record.Run {
	run.Shard = nil
	run.Plan = slices.Clone(run.Plan)
	for i := range run.Plan {
		run.Plan[i].Elsewhere, run.Plan[i].Deselected = nil, nil
	}
	return run
}

// versions notes shards that were measured by other software than the first: no
// reason to refuse them, and worth knowing when their numbers look odd.
func versions(shards []*Shard, note func(string, ...any)) {
	for _, s := range shards {
		if was, is := shards[0].Run.Versions, s.Run.Versions; was != is {
			note("suite %s: %s ran with capeval %s, %s and ginkgo %s, %s with capeval %s, %s and ginkgo %s",
				s.Run.Suite, shards[0], was.Capeval, was.Go, was.Ginkgo, s, is.Capeval, is.Go, is.Ginkgo)
		}
	}
}

// newest returns the run that counts of those of one shard, and what it
// replaces. A run that is there twice, as two artifacts of one folder, counts
// once, in its later form; two forms of it that contradict each other are
// refused.
func newest(runs []*Shard) (wins *Shard, replaced []*Shard, err error) {
	slices.SortStableFunc(runs, compareAge)
	wins = runs[len(runs)-1]
	for i := len(runs) - 2; i >= 0; i-- {
		other := runs[i]
		if compareAge(other, wins) == 0 {
			more, err := continues(wins, other)
			if err != nil {
				return nil, nil, err
			}
			if more {
				wins, other = other, wins
			}
		}
		replaced = append(replaced, other)
	}
	return wins, replaced, nil
}

// continues compares two forms of one run: it reports whether b holds every
// record of a and more besides. Neither holding the other is an error.
func continues(a, b *Shard) (bool, error) {
	x, err := measured(a)
	if err != nil {
		return false, err
	}
	y, err := measured(b)
	if err != nil {
		return false, err
	}
	inX, inY := holds(x, y), holds(y, x) // x holds y; y holds x
	switch {
	case inX == "":
		return false, nil
	case inY == "":
		return true, nil
	}
	return false, fmt.Errorf("%s and %s say different things of one run %s: each has a record that the other has not (%s; %s)", a, b, a.Run.ID, inX, inY)
}

// measured returns the lines of a run that something measured, each with the
// name of its cell.
func measured(s *Shard) (map[string]string, error) {
	trials, err := s.rows()
	if err != nil {
		return nil, err
	}
	lines := map[string]string{}
	for _, t := range trials {
		if t.Cause == record.CauseNotStarted || t.Cause == record.CauseInterrupted {
			continue // the other form may know better
		}
		line, err := record.AppendTrial(nil, t)
		if err != nil {
			return nil, err
		}
		lines[string(line)] = fmt.Sprintf("trial %d of task %q, attempt %d", t.Trial, t.Task, t.Attempt)
	}
	return lines, nil
}

// holds returns "" when a has every line of b, else the cell of the first that
// it lacks.
func holds(a, b map[string]string) string {
	lacks := ""
	for line, cell := range b {
		if _, ok := a[line]; !ok && (lacks == "" || cell < lacks) {
			lacks = cell
		}
	}
	return lacks
}
