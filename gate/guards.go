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
	b, c := a.baseline, a.candidate
	each := []struct {
		name string
		r    record.SplitResult
	}{{"baseline", b}, {"candidate", c}}
	for _, arm := range each {
		if arm.r.Split == record.Test && !final {
			return &stop{CodeTestSplit, fmt.Sprintf("the %s measured the sealed test split, which is compared in the finalize job alone; compare on val", arm.name)}
		}
	}
	for _, arm := range each {
		if arm.r.Run.Dry {
			return &stop{CodeDryRun, fmt.Sprintf("the %s is a dry run: nothing in it was measured; run it without --dry-run", arm.name)}
		}
		if arm.r.NCached > 0 {
			return &stop{CodeCached, fmt.Sprintf("%d trials of the %s came from a cache and were not measured; run them afresh", arm.r.NCached, arm.name)}
		}
	}
	for _, arm := range each {
		if arm.r.Subset {
			return &stop{CodeSubset, fmt.Sprintf("the %s measured a selection of its tasks, so it speaks of nothing else; run it without --focus and filters", arm.name)}
		}
	}
	for _, arm := range each {
		if s := arm.r.Run.Shard; s != nil {
			return &stop{CodeMissingShard, fmt.Sprintf("the %s is shard %d of %d: merge all shards first", arm.name, s.Index, s.Count)}
		}
	}
	if why := t.notComparable(a); why != "" {
		return &stop{CodeNotComparable, why}
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
	var changed []string
	for i, id := range a.tasks {
		if a.b[i] == nil || a.c[i] == nil {
			continue
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

func coarse(digest string) bool { return strings.HasPrefix(digest, "coarse:") }

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
			d.NPaired, d.NTasks, percent(c.Coverage()), t.MinCoverage)}
	}
	for _, arm := range []struct {
		name string
		r    record.SplitResult
	}{{"baseline", a.baseline}, {"candidate", a.candidate}} {
		share := fraction(arm.r.NCells-arm.r.NMissing, arm.r.NCells)
		if share.Defined() && !share.AtLeast(t.minCells) {
			return &stop{CodeLowCellCoverage, fmt.Sprintf("only %d of %d cells of the %s are valid (%s, need %s): repair what loses them, then retry the missing trials",
				arm.r.NCells-arm.r.NMissing, arm.r.NCells, arm.name, percent(share), t.MinCellCoverage)}
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
