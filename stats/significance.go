package stats

import "math"

// Test is the outcome of an exact test of no change. The five are defined
// together, and in (0, 1]. A chance below the smallest float64 above 0 is
// given as that number, never as 0.
type Test struct {
	// Better is the chance of a difference at least as good as the observed
	// one if nothing had changed, Worse of one at least as bad. A difference
	// equal to the observed one counts in full in both.
	Better, Worse Estimate
	// TwoSided is twice the smaller of the two, at most 1.
	TwoSided Estimate
	// MinDesign is the smallest Better that any outcome of this design could
	// have had: that many tasks with that many trials.
	MinDesign Estimate
	// MinConditional is the smallest Better that these outcomes could have had,
	// however they had been shared out between the arms.
	MinConditional Estimate
}

// tested returns the Test with these one-sided chances.
func tested(better, worse, minDesign, minConditional float64) Test {
	better, worse = chance(better), chance(worse)
	return Test{
		Better:         Defined(better),
		Worse:          Defined(worse),
		TwoSided:       Defined(min(1, 2*min(better, worse))),
		MinDesign:      Defined(chance(minDesign)),
		MinConditional: Defined(chance(minConditional)),
	}
}

// chance keeps a probability within (0, 1]: rounding may have carried it out.
func chance(p float64) float64 { return min(1, max(p, math.SmallestNonzeroFloat64)) }

// Cautious returns the larger of each chance of two tests: what can be claimed
// when it is not known which of them applies. It is undefined when either is.
func Cautious(a, b Test) Test {
	if !a.Better.Defined() || !b.Better.Defined() {
		return Test{}
	}
	larger := func(x, y Estimate) float64 { return max(x.value, y.value) }
	return tested(larger(a.Better, b.Better), larger(a.Worse, b.Worse),
		larger(a.MinDesign, b.MinDesign), larger(a.MinConditional, b.MinConditional))
}

// SuiteTest returns the exact stratified permutation test: within each paired
// task the valid trials of both arms are dealt to the arms in all ways, and
// the statistic is the mean over tasks of the difference in mean reward. It is
// exact for any number of tasks and for unequal numbers of trials, when the
// trials are independent. One trial each makes it McNemar's exact test, one
// task Fisher's.
//
// Rewards that share no denominator up to 1000 are rounded to thousandths for
// it, and where the denominator times the least common multiple of the trial
// counts is above 10,000 the differences are rounded to 1/10,000. A task with
// hundreds of graded trials in both arms makes the rewards be rounded to what
// can still be counted. All this is done alike to the observed and to all dealt
// outcomes, so the test stays exact. The relative error of a chance is below 1e-12 down to 1e-300.
//
// It is undefined without a paired task.
func (c *Comparison) SuiteTest() Test {
	if !c.ok {
		return Test{}
	}
	s := c.suite()
	better, worse := s.tails()
	return tested(better, worse, s.minDesign, s.minConditional())
}

// PopulationTest returns the exact sign-flip test: the difference of each
// paired task keeps or changes its sign in all ways, tasks of one cluster
// together, and the statistic is their mean. It is exact when the differences
// are symmetric about 0 where nothing changed, as they are for equal numbers
// of trials. Scaling is as in [Comparison.SuiteTest].
//
// It is undefined without a paired task.
func (c *Comparison) PopulationTest() Test {
	if !c.ok {
		return Test{}
	}
	s := flips(c.clusterSums())
	better, worse := s.tails()
	return tested(better, worse, s.minDesign, s.minConditional())
}
