package reporter

import (
	"cmp"
	"maps"
	"slices"

	"github.com/capeval/capeval/record"
)

// Document is what a report says, in the order in which it says it. Its
// numbers are final.
type Document struct {
	Suites []Suite // by suite, then split (train, val, test), then arm, then run
}

// Suite is one result, arranged for a reader. Texts are as they were recorded:
// each writer cleans them for its own form.
type Suite struct {
	Result record.SplitResult

	NValid   int                 // declared cells with a measurement
	Worst    []record.TaskResult // scored tasks with a reward below 1, lowest first, then by id
	Unscored []record.TaskResult // tasks without one valid trial, by id

	Missing []CauseCount // why trials are missing, most frequent first, then by name
	Agent   []CauseCount // how the agent itself failed, in the same order
	Other   []CauseCount // causes that are on neither list

	HatKs []int // the k of Result.PassHatK, ascending
	AtKs  []int // the k of Result.PassAtK, ascending
}

// CauseCount says how many trials have a cause.
type CauseCount struct {
	Cause record.Cause
	N     int
}

// Build arranges results. The order of results does not matter, and they are
// not changed.
func Build(results []record.SplitResult) Document {
	d := Document{Suites: make([]Suite, 0, len(results))}
	for _, r := range results {
		d.Suites = append(d.Suites, arrange(r))
	}
	slices.SortStableFunc(d.Suites, func(a, b Suite) int {
		x, y := a.Result, b.Result
		return cmp.Or(
			cmp.Compare(x.Suite, y.Suite),
			cmp.Compare(splitOrder(x.Split), splitOrder(y.Split)),
			cmp.Compare(x.Split, y.Split),
			cmp.Compare(x.Arm, y.Arm),
			cmp.Compare(x.Run.ID, y.Run.ID),
		)
	})
	return d
}

func splitOrder(s record.Split) int {
	return slices.Index([]record.Split{record.Train, record.Val, record.Test}, s)
}

func arrange(r record.SplitResult) Suite {
	s := Suite{
		Result: r,
		NValid: r.NCells - r.NMissing,
		HatKs:  slices.Sorted(maps.Keys(r.PassHatK)),
		AtKs:   slices.Sorted(maps.Keys(r.PassAtK)),
	}
	for _, t := range r.PerTask {
		v, ok := t.Reward.Value()
		switch {
		case !ok:
			s.Unscored = append(s.Unscored, t)
		case v < 1:
			s.Worst = append(s.Worst, t)
		}
	}
	slices.SortFunc(s.Worst, func(a, b record.TaskResult) int {
		x, _ := a.Reward.Value()
		y, _ := b.Reward.Value()
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Task, b.Task))
	})
	slices.SortFunc(s.Unscored, func(a, b record.TaskResult) int {
		return cmp.Compare(a.Task, b.Task)
	})
	for c, n := range r.ByCause {
		switch cc := (CauseCount{Cause: c, N: n}); {
		case c.Missing():
			s.Missing = append(s.Missing, cc)
		case c.Agent():
			s.Agent = append(s.Agent, cc)
		default:
			s.Other = append(s.Other, cc)
		}
	}
	for _, cs := range [][]CauseCount{s.Missing, s.Agent, s.Other} {
		slices.SortFunc(cs, func(a, b CauseCount) int {
			return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Cause, b.Cause))
		})
	}
	return s
}
