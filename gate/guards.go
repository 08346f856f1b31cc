package gate

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// stop is a guard that fired.
type stop struct{ code, message string }

// refuse returns the first guard that fires on the two results as they are,
// nil when they may be compared.
func (t terms) refuse(a arms, final bool) *stop {
	if s := ungateable(final, arm{"baseline", a.baseline}, arm{"candidate", a.candidate}); s != nil {
		return s
	}
	if why := t.notComparable(a); why != "" {
		return &stop{CodeNotComparable, why}
	}
	return nil
}

// arm is one result and what it is called.
type arm struct {
	name string
	r    record.SplitResult
}

// ungateable returns the first guard that fires on one of the results by itself.
// Each guard looks at all of them before the next one does.
func ungateable(final bool, each ...arm) *stop {
	for _, guard := range []func(arm) *stop{
		func(a arm) *stop {
			if a.r.Split != record.Test || final {
				return nil
			}
			return &stop{CodeTestSplit, fmt.Sprintf("the %s measured the sealed test split, which is compared in the finalize job alone; compare on val", a.name)}
		},
		func(a arm) *stop {
			if !a.r.Run.Dry {
				return nil
			}
			return &stop{CodeDryRun, fmt.Sprintf("the %s is a dry run: nothing in it was measured; run it without --dry-run", a.name)}
		},
		func(a arm) *stop {
			if a.r.NCached == 0 {
				return nil
			}
			return &stop{CodeCached, fmt.Sprintf("outputs of the %s came from a cache (%s) and were not measured; run them afresh", a.name, counted(a.r.NCached, "trial"))}
		},
		func(a arm) *stop {
			if !a.r.Subset {
				return nil
			}
			return &stop{CodeSubset, fmt.Sprintf("the %s measured a selection of its tasks, so it speaks of nothing else; run it without --focus and filters", a.name)}
		},
		func(a arm) *stop {
			s := a.r.Run.Shard
			if s == nil {
				return nil
			}
			return &stop{CodeMissingShard, fmt.Sprintf("the %s is shard %d of %d: merge all shards first", a.name, s.Index, s.Count)}
		},
	} {
		for _, a := range each {
			if s := guard(a); s != nil {
				return s
			}
		}
	}
	return nil
}

// notComparable says why the two results did not measure the same thing, "" when
// nothing speaks against it. The numbers of trials may differ.
func (t terms) notComparable(a arms) string {
	b, c := a.baseline, a.candidate
	switch {
	case b.Split != c.Split:
		return fmt.Sprintf("the baseline measured split %s, the candidate %s: compare the same split", b.Split, c.Split)
	case b.Suite != c.Suite:
		return fmt.Sprintf("the baseline is suite %q, the candidate %q: compare the same suite", b.Suite, c.Suite)
	case b.ScorerDigest != "" && c.ScorerDigest != "" && b.ScorerDigest != c.ScorerDigest:
		return "the scorer changed between the arms (the suite's _test.go files differ): measure both arms with the same scorer"
	case b.Run.ID != "" && c.Run.ID != "" && b.Run.BaseSeed != c.Run.BaseSeed:
		return fmt.Sprintf("the baseline ran with base seed %d, the candidate with %d: use the same seeds in both", b.Run.BaseSeed, c.Run.BaseSeed)
	}
	for _, arm := range []arm{{"baseline", b}, {"candidate", c}} {
		if why := unsound(arm.r); why != "" {
			return fmt.Sprintf("the %s contradicts itself: %s; write it again with capeval-ci result", arm.name, why)
		}
	}
	var changed []string
	for i, id := range a.tasks {
		if len(a.pairs[i].Baseline) == 0 || len(a.pairs[i].Candidate) == 0 {
			continue // not paired: no number rests on it
		}
		x, y := a.b[i].ContentDigest, a.c[i].ContentDigest
		if x != "" && y != "" && coarse(x) == coarse(y) && x != y {
			changed = append(changed, id)
		}
	}
	if len(changed) > 0 {
		return fmt.Sprintf("%s changed between the arms: %s; measure both arms on the same tasks", counted(len(changed), "task"), list(changed, 5))
	}
	if onlyB, onlyC := a.only(); t.Tasks == "equal" && len(onlyB)+len(onlyC) > 0 {
		return fmt.Sprintf("the arms declare different tasks (only in the baseline: %s; only in the candidate: %s), and --tasks equal asks for the same", list(onlyB, 5), list(onlyC, 5))
	}
	return ""
}

// coarse tells a digest of the file that declares a task from one of the task's
// content. The two kinds cannot be compared with each other.
func coarse(digest string) bool { return strings.HasPrefix(digest, "coarse:") }

// unsound says what no measurement can have left in a result: a task twice, or a
// reward outside [0, 1]. Results that were read from a file hold neither.
func unsound(r record.SplitResult) string {
	seen := map[string]bool{}
	for _, t := range r.PerTask {
		if seen[t.Task] {
			return fmt.Sprintf("task %q is there twice", t.Task)
		}
		seen[t.Task] = true
		for _, e := range t.TrialRewards {
			if v, ok := e.Value(); ok && !(v >= 0 && v <= 1) {
				return fmt.Sprintf("task %q has a reward of %v, need 0 to 1", t.Task, v)
			}
		}
	}
	return ""
}

// thin returns the guard that fires because too little was measured.
func (t terms) thin(a arms, d *Decision, c *stats.Comparison) *stop {
	switch {
	case d.NTasks == 0:
		return &stop{CodeEmptySuite, "no tasks declared: nothing was measured"}
	case d.NPaired == 0:
		return &stop{CodeNoPairedTasks, fmt.Sprintf("no task of %d has a valid trial in both arms (missing cells: baseline %d of %d, candidate %d of %d)",
			d.NTasks, a.baseline.NMissing, a.baseline.NCells, a.candidate.NMissing, a.candidate.NCells)}
	case !c.Coverage().AtLeast(t.minCoverage):
		return &stop{CodeLowCoverage, fmt.Sprintf("only %d of %d tasks have valid trials in both arms (%s, need %s): repair what loses them, then retry the missing trials",
			d.NPaired, d.NTasks, percent(c.Coverage()), percent(t.minCoverage))}
	}
	for _, arm := range []arm{{"baseline", a.baseline}, {"candidate", a.candidate}} {
		share := fraction(arm.r.NCells-arm.r.NMissing, arm.r.NCells)
		if share.Defined() && !share.AtLeast(t.minCells) {
			return &stop{CodeLowCellCoverage, fmt.Sprintf("only %d of %d cells of the %s are valid (%s, need %s): repair what loses them, then retry the missing trials",
				arm.r.NCells-arm.r.NMissing, arm.r.NCells, arm.name, percent(share), percent(t.minCells))}
		}
	}
	return nil
}

// attritionAlpha is the level at which the arms have lost different shares of
// their cells.
const attritionAlpha = 0.01

// attrition compares what the arms lost. It reports the p-value and whether the
// shares differ.
func attrition(a arms) (stats.Estimate, bool) {
	p := stats.Fisher(a.baseline.NMissing, a.baseline.NCells, a.candidate.NMissing, a.candidate.NCells)
	v, ok := p.Value()
	return p, ok && v <= attritionAlpha
}

func fraction(num, den int) stats.Exact {
	if den == 0 {
		return stats.Exact{}
	}
	return stats.Rational(big.NewRat(int64(num), int64(den)))
}
