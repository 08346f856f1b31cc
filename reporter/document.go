package reporter

import (
	"cmp"
	"maps"
	"slices"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

// Input is what a report is made of. Everything may be left out.
type Input struct {
	Results []record.SplitResult
	// Decisions are verdicts on suites, and comparisons that nobody judged: their
	// Verdict is "".
	Decisions []gate.Decision
	// Verdict is what the decisions come to, "" where nobody judged.
	Verdict gate.Outcome
	Finals  []record.Final
	Checks  []Check
	// Notes are sentences about the report itself, such as what an input lacked.
	Notes []string
}

// Check is something that was asserted about a suite: a floor, an AfterSplit.
type Check struct {
	Suite   string
	Split   record.Split
	Name    string
	State   CheckState
	Message string
}

// CheckState is how a check ended.
type CheckState string

// The ends of a check. Undefined is neither a pass nor a failure: the quantity
// does not exist, or the data cannot tell.
const (
	CheckPassed    CheckState = "passed"
	CheckFailed    CheckState = "failed"
	CheckUndefined CheckState = "undefined"
)

// Document is what a report says, in the order in which it says it. Its numbers
// are final, its texts are as they were recorded: each writer cleans them for its
// own form.
type Document struct {
	Headlines []Headline // what stands alone: held-out scores, verdicts, else results
	Verdict   gate.Outcome
	Decisions []SuiteDecision // by suite, then split
	Finals    []Held          // by suite, then release
	Suites    []Suite         // by suite, then split (train, val, test), then arm, then run
	Checks    []Check         // by suite, split and name
	Notes     []string        // in the order given
}

// Suite is one result, arranged for a reader.
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

	Notices []Notice // what speaks against the numbers, the weightiest first
}

// Held is one final.json, arranged for a reader.
type Held struct {
	Final   record.Final
	Notices []Notice
}

// Notice is a sentence about numbers that a reader must not miss.
type Notice struct {
	Code string // one word for programs: subset, missing, or a warning's own code
	Text string
}

// CauseCount says how many trials have a cause.
type CauseCount struct {
	Cause record.Cause
	N     int
}

// Build arranges what a report is made of. The order within Input does not
// matter, notes excepted, and nothing in it is changed. The results within a
// final.json are among the suites too.
func Build(in Input) Document {
	d := Document{Verdict: in.Verdict, Notes: slices.Clone(in.Notes), Checks: slices.Clone(in.Checks)}
	for _, r := range in.Results {
		d.Suites = append(d.Suites, arrange(r))
	}
	for _, f := range in.Finals {
		d.Finals = append(d.Finals, hold(f))
		d.Suites = append(d.Suites, arrange(f.Test))
		if f.TestBaseline != nil && f.Status != record.FinalEqual {
			d.Suites = append(d.Suites, arrange(*f.TestBaseline))
		}
	}
	for _, c := range in.Decisions {
		d.Decisions = append(d.Decisions, arrangeDecision(c))
	}
	slices.SortStableFunc(d.Suites, func(a, b Suite) int {
		x, y := a.Result, b.Result
		return cmp.Or(inOrder(x.Suite, y.Suite, x.Split, y.Split), cmp.Compare(x.Arm, y.Arm), cmp.Compare(x.Run.ID, y.Run.ID))
	})
	slices.SortStableFunc(d.Decisions, func(a, b SuiteDecision) int {
		x, y := a.Decision, b.Decision
		return inOrder(x.Suite, y.Suite, x.Split, y.Split)
	})
	slices.SortStableFunc(d.Finals, func(a, b Held) int {
		x, y := a.Final, b.Final
		return cmp.Or(cmp.Compare(x.Suite, y.Suite), cmp.Compare(x.Seal.Number, y.Seal.Number), cmp.Compare(x.Seal.Release, y.Seal.Release))
	})
	slices.SortStableFunc(d.Checks, func(a, b Check) int {
		return cmp.Or(inOrder(a.Suite, b.Suite, a.Split, b.Split), cmp.Compare(a.Name, b.Name))
	})
	d.Headlines = headlines(d)
	return d
}

// inOrder compares by suite, then split.
func inOrder(suiteA, suiteB string, splitA, splitB record.Split) int {
	return cmp.Or(cmp.Compare(suiteA, suiteB), cmp.Compare(splitOrder(splitA), splitOrder(splitB)), cmp.Compare(splitA, splitB))
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
	s.Notices = noticesOf(s)
	return s
}
