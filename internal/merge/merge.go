package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/capeval/capeval/record"
)

// Options say how shards are merged.
type Options struct {
	// RunID is the id of the merged run. "" takes that of the shards where they
	// have one, else one that follows from theirs.
	RunID string
}

// Merged is one run made of shards.
type Merged struct {
	ID     string
	Suites []Suite  // sorted by name
	Notes  []string // what a reader should know: what was replaced or passed over
}

// Suite is one suite of the merged run.
type Suite struct {
	Run    record.Run
	Result record.SplitResult
	Shards []*Shard // those that count, by index

	trials []record.Trial
}

// Count returns how many shards the suite was cut into.
func (s Suite) Count() int { return s.Shards[0].number().Count }

// Read reads the shards that paths name: run directories, or folders of them. It
// returns [Problems] where they do not make one run; the notes are there all the
// same.
func Read(paths []string, o Options) (*Merged, error) {
	m := &Merged{}
	var problems Problems
	note := func(format string, args ...any) { m.Notes = append(m.Notes, fmt.Sprintf(format, args...)) }
	shards := load(find(paths, &problems, note), &problems, note)
	if len(shards) == 0 {
		problems.add(Missing, "found no shard in %s, need at least one that came to its first trial", strings.Join(paths, ", "))
		return m, problems.err()
	}
	return m, m.of(shards, o, problems)
}

// of makes m the run of shards, unless there are problems.
func (m *Merged) of(shards []*Shard, o Options, problems Problems) error {
	note := func(format string, args ...any) { m.Notes = append(m.Notes, fmt.Sprintf(format, args...)) }
	slices.SortStableFunc(shards, func(a, b *Shard) int { // by root already, as they were found
		return cmp.Or(cmp.Compare(a.Run.Suite, b.Run.Suite), a.number().Index-b.number().Index)
	})
	refuse(shards, &problems)
	if len(problems) > 0 {
		return problems
	}
	for _, of := range bySuite(shards) {
		m.Suites = append(m.Suites, Suite{Shards: choose(of, &problems, note)})
	}
	if len(problems) > 0 {
		return problems
	}
	m.ID = cmp.Or(o.RunID, m.runID())
	for i := range m.Suites {
		m.Suites[i].join(m.ID, &problems)
	}
	return problems.err()
}

// refuse refuses what is never merged, and shards that are not of one run.
func refuse(shards []*Shard, problems *Problems) {
	first := shards[0]
	for _, s := range shards {
		switch {
		case s.Run.Split == record.Test:
			problems.add(Sealed, "%s holds shards of the test split", s.Root)
			continue
		case s.Run.Dry:
			problems.add(Integrity, "%s, suite %s, is a dry run: it measured nothing", s, s.Run.Suite)
		}
		for _, c := range []struct{ what, was, is string }{
			{"split", string(first.Run.Split), string(s.Run.Split)},
			{"arm", first.Run.Arm, s.Run.Arm},
			{"commit", first.Run.Git.Commit, s.Run.Git.Commit},
		} {
			if c.was != c.is {
				problems.add(Integrity, "%s and %s are not of one run: found %s %q, need %q", first, s, c.what, c.is, c.was)
			}
		}
	}
}

// bySuite groups shards, which are sorted, by suite.
func bySuite(shards []*Shard) [][]*Shard {
	var groups [][]*Shard
	for i, s := range shards {
		if i == 0 || s.Run.Suite != shards[i-1].Run.Suite {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], s)
	}
	return groups
}

// choose returns the shards of one suite that count, by index.
func choose(shards []*Shard, problems *Problems, note func(string, ...any)) []*Shard {
	name := shards[0].Run.Suite
	byIndex := map[int][]*Shard{}
	for _, s := range shards {
		if err := samePlan(shards[0], s); err != nil {
			problems.add(Integrity, "suite %s: %s and %s: %v", name, shards[0], s, err)
		}
		byIndex[s.number().Index] = append(byIndex[s.number().Index], s)
	}
	var chosen []*Shard
	for index := range shards[0].number().Count {
		runs := byIndex[index+1]
		if len(runs) == 0 {
			continue
		}
		wins, replaced, err := newest(runs)
		if err != nil {
			problems.add(kindOf(err), "suite %s: %v", name, err)
			continue
		}
		for _, old := range replaced {
			note("suite %s: %s, %s, replaces %s", name, wins, age(wins), age(old)+" in "+old.Root)
		}
		chosen = append(chosen, wins)
	}
	versions(chosen, note)
	return chosen
}

// age tells runs of one shard apart.
func age(s *Shard) string {
	return fmt.Sprintf("attempt %d started %s (run %s)", s.Run.Attempt, s.Run.Started, s.Run.ID)
}

// join brings the rows of the suite's shards together.
func (s *Suite) join(id string, problems *Problems) {
	owner := map[record.Cell]*Shard{}
	done := map[record.Cell]bool{}
	bad := false
	var all [][]record.Trial
	for _, sh := range s.Shards {
		trials, err := sh.rows()
		if err == nil {
			err = sh.check(trials)
		}
		if err != nil {
			problems.add(kindOf(err), "suite %s: %v", sh.Run.Suite, err)
			bad = true
			continue
		}
		own := cells(sh.Run)
		for _, c := range own {
			if other := owner[c]; other != nil {
				problems.add(Integrity, "suite %s: trial %d of task %q belongs to %s and to %s, need each cell once", sh.Run.Suite, c.Trial, c.Task, other, sh)
				bad = true
				break
			}
			owner[c] = sh
		}
		for c, ok := range ended(trials) {
			done[c] = done[c] || ok
		}
		all = append(all, trials)
		sh.trials, sh.read = nil, false
	}
	if bad {
		return
	}
	s.trials = slices.Concat(all...)
	s.Run = joinRuns(s.Shards)
	s.Run.ID = id
	if s.lost(owner, done, problems) {
		return
	}
	for i := range s.trials {
		s.trials[i].Run = id
	}
	var err error
	if s.Result, err = record.Summarize(s.Run, s.trials, record.Options{}); err != nil {
		problems.add(Integrity, "suite %s: %v", s.Run.Suite, err)
	}
}
