package gate

import (
	"math"
	"time"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// numbers computes everything that a decision shows, before any rule.
func (t terms) numbers(a arms) (Decision, *stats.Comparison) {
	c := stats.Compare(a.pairs)
	d := t.blank(a)
	d.NTasks, d.NPaired = c.Declared(), c.Paired()
	d.Coverage = c.Coverage().Estimate()
	d.CellCoverage = Arms{a.baseline.CellCoverage, a.candidate.CellCoverage}
	d.Reward = a.rewards()
	if delta := c.Delta(); delta.Defined() {
		text := delta.String()
		d.Delta, d.DeltaFraction = delta.Estimate(), &text
	}
	var interval stats.DeltaInterval
	if t.Scope == ScopePopulation {
		interval = c.PopulationInterval(t.Level)
	} else {
		interval = c.SuiteInterval(t.Level)
	}
	d.CI.Low, d.CI.High = interval.Low, interval.High
	d.MDE80 = stats.MDE(interval.SE, t.alphaF, power)

	population := c.PopulationTest()
	test := t.test(c, population)
	d.PBetter, d.PWorse, d.PTwoSided = test.Better, test.Worse, test.TwoSided
	d.PMinDesign, d.PMinConditional = test.MinDesign, test.MinConditional
	d.PPopulation = population.Better
	if t.worse() {
		d.PPopulation = population.Worse
	}
	low, high := c.DeltaBounds()
	d.Bounds = record.Bounds{Low: low.Estimate(), High: high.Estimate()}
	d.Fragile = fragile(c.Delta(), low, high)
	t.perTask(&d, a, c)
	return d, c
}

// power is the chance with which the detectable effect is found.
const power = 0.8

// test is the exact test of the scope, made cautious where repeated trials look
// like copies of one another.
func (t terms) test(c *stats.Comparison, population stats.Test) stats.Test {
	if t.Scope == ScopePopulation {
		return population
	}
	test := c.SuiteTest()
	if t.suspects(c) { // only the population test stays valid, and it may be the weaker one
		test = stats.Cautious(test, population)
	}
	return test
}

// suspects reports whether trials look like copies of one another and the scope
// minds: in population scope a task is one observation however often it ran.
func (t terms) suspects(c *stats.Comparison) bool {
	return t.TrialsAre == "auto" && t.Scope == ScopeSuite && c.IdenticalSuspected()
}

// fragile reports whether the missing cells could turn the sign of the delta.
func fragile(delta, low, high stats.Exact) bool {
	switch delta.Sign() {
	case 1:
		return low.Sign() < 1
	case -1:
		return high.Sign() > -1
	}
	return delta.Defined() && (low.Sign() < 0 || high.Sign() > 0)
}

func (t terms) perTask(d *Decision, a arms, c *stats.Comparison) {
	changes := c.TaskChanges()
	ps := make([]stats.Estimate, len(changes))
	for i, ch := range changes {
		ps[i] = ch.TwoSided
	}
	holm := stats.Holm(ps)
	copies := t.suspects(c) // then the p of a single task says nothing
	for i, ch := range changes {
		row := TaskDecision{
			Task: a.tasks[i], Baseline: reward(a.b[i]), Candidate: reward(a.c[i]),
			Delta: ch.Delta, Stderr: spread(a.b[i], a.c[i]), P: ch.TwoSided,
			Claimed: !copies && stats.Reaches(holm[i], t.alpha), NBaseline: len(a.pairs[i].Baseline), NCandidate: len(a.pairs[i].Candidate),
		}
		d.PerTask = append(d.PerTask, row)
		switch v, ok := ch.Delta.Value(); {
		case !ok:
		case v > 0:
			d.Improved = append(d.Improved, row.Task)
		case v < 0:
			d.Regressed = append(d.Regressed, row.Task)
		default:
			d.Unchanged++
		}
	}
}

func reward(t *record.TaskResult) stats.Estimate {
	if t == nil {
		return stats.Undefined()
	}
	return t.Reward
}

// spread is the standard error of the difference between the arms of one task.
// The trials of the arms are drawn apart, so that their variances add up.
func spread(b, c *record.TaskResult) stats.Estimate {
	if b == nil || c == nil {
		return stats.Undefined()
	}
	x, okB := b.Stderr.Value()
	y, okC := c.Stderr.Value()
	if !okB || !okC {
		return stats.Undefined()
	}
	return stats.Defined(math.Hypot(x, y))
}

// together is how far apart the arms may have run and still be said to have run
// together.
const together = time.Hour

// warn adds what is worth knowing whatever the rule.
func (t terms) warn(a arms, d *Decision, c *stats.Comparison) {
	b, k := a.baseline, a.candidate
	if n := b.NMissing + k.NMissing; n > 0 {
		d.warnf(WarnMissing, "cells are missing (baseline %d of %d, candidate %d of %d); were each 0 or 1, the delta would lie in %s..%s",
			b.NMissing, b.NCells, k.NMissing, k.NCells, signed(d.Bounds.Low), signed(d.Bounds.High))
	}
	if d.Fragile && b.NMissing+k.NMissing > 0 {
		d.warnf(WarnFragile, "the missing cells could turn the sign of the delta")
	}
	if why := drift(b.Run, k.Run); why != "" {
		d.warnf(WarnDrift, "the arms did not run together (%s): a provider that had a bad hour looks like a change; run both arms interleaved in one job", why)
	}
	three, _ := stats.ParseDecimal("3")
	if c.Imbalance().Above(three) {
		d.warnf(WarnCounts, "a task has over three times as many valid trials in one arm: the test may then reject a little too often")
	}
	if t.suspects(c) {
		d.warnf(WarnIdentical, "no trial of any task differs from another in reward or output: seeds seem to be ignored, so p is the larger of both scopes (--trials-are independent says otherwise)")
	}
	if b.ScorerDigest == "" || k.ScorerDigest == "" {
		d.warnf(WarnNoDigest, "a result does not say what scored it, so whether both arms were scored alike is not known")
	}
}

// drift says how the runs differ in time or in load, "" when they do not or it
// is not known.
func drift(b, c record.RunInfo) string {
	if b.ID == "" || c.ID == "" {
		return ""
	}
	if b.Workers != c.Workers || b.Procs != c.Procs {
		return "different numbers of workers or processes"
	}
	bs, be, ok1 := span(b)
	cs, ce, ok2 := span(c)
	if !ok1 || !ok2 {
		return ""
	}
	gap := cs.Sub(be)
	if other := bs.Sub(ce); other > gap {
		gap = other
	}
	if gap > together {
		return "there are " + gap.Round(time.Minute).String() + " between them"
	}
	return ""
}

func span(r record.RunInfo) (start, end time.Time, ok bool) {
	start, err1 := time.Parse(time.RFC3339, r.Started)
	end, err2 := time.Parse(time.RFC3339, r.Ended)
	return start, end, err1 == nil && err2 == nil
}
