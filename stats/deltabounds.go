package stats

import "math/big"

// DeltaBounds returns the lowest and the highest difference that the arms
// could have shown had no planned trial been missing: the mean over all
// declared tasks of the difference in mean over planned trials, with missing
// ones at 0 in one arm and at 1 in the other. The two are equal when nothing is
// missing. An arm with neither a reward nor a planned trial of a task counts
// as wholly missing.
//
// Both are undefined without tasks, and when the caller's numbers cannot be: a
// reward that is NaN or outside [0, 1], more rewards than planned trials.
func (c *Comparison) DeltaBounds() (low, high Exact) {
	baseline, candidate, baselinePlan, candidatePlan := c.arms()
	l, ok := latticeOf(append(baseline[:len(baseline):len(baseline)], candidate...)...)
	if !ok {
		return Exact{}, Exact{}
	}
	baseLow, baseHigh := l.bounds(baseline, baselinePlan)
	candLow, candHigh := l.bounds(candidate, candidatePlan)
	if !baseLow.Defined() || !candLow.Defined() {
		return Exact{}, Exact{}
	}
	return Exact{new(big.Rat).Sub(candLow.r, baseHigh.r)}, Exact{new(big.Rat).Sub(candHigh.r, baseLow.r)}
}

// arms returns the rewards of each arm and how many trials each task had
// planned.
func (c *Comparison) arms() (baseline, candidate [][]float64, baselinePlan, candidatePlan []int) {
	plan := func(planned int, rewards []float64) int {
		if planned == 0 {
			return max(1, len(rewards))
		}
		return planned
	}
	for _, p := range c.pairs {
		baseline, candidate = append(baseline, p.Baseline), append(candidate, p.Candidate)
		baselinePlan = append(baselinePlan, plan(p.BaselinePlanned, p.Baseline))
		candidatePlan = append(candidatePlan, plan(p.CandidatePlanned, p.Candidate))
	}
	return baseline, candidate, baselinePlan, candidatePlan
}
