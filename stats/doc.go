// Package stats measures an agent from its rewards and says undefined where
// there is nothing to measure. It holds all the arithmetic of this module.
//
// A reward is a number in [0, 1], the outcome of one trial of one task. A
// trial without a measurement is not a reward: leave it out of the slice, and
// leave an empty slice for a task that has none.
//
//	s := stats.Summarize([][]float64{{1, 1, 0}, {0, 0, 1}, {}})
//	fmt.Println(s.Reward, s.Between, s.Coverage) // 0.5 0.16666666666666666 0.6666666666666666
//
// Two arms are put side by side as one [Pair] a task, and asked whether the
// change helped:
//
//	c := stats.Compare([]stats.Pair{{Baseline: []float64{0, 0, 0}, Candidate: []float64{1, 1, 1}}})
//	fmt.Println(c.Delta(), c.SuiteTest().Better) // 1/1 0.05
//
// What it promises:
//
//   - Undefined is not zero. A number that may not exist is an [Estimate]; its
//     zero value is undefined, and no function returns 0 for want of data.
//   - Ties are exact. Rewards are read as multiples of 1/q for the least q up
//     to 1000 that fits them all within 1e-9, sums are taken in integers, and
//     a result is rounded once: the mean of 0.1, 0.2 and 0.3 is 0.2, and equal
//     task means have a variance of exactly 0. Rewards that share no such q are
//     rounded to a multiple of 2^-53, or of a larger power of two when there
//     are more than 1023 in a slice, and then treated alike.
//   - Tests are exact at any size. Their chances come from counting all ways in
//     which the trials could have fallen, not from drawing some, and an outcome
//     as extreme as the observed one always counts in full. An audit repeats
//     the count in big integers.
//   - Order does not matter, to the last bit, and neither does the platform for
//     everything but the quantiles, the chances of tests, and what is made from
//     them.
//   - The task is the unit. Trials of one task are never pooled with another's.
//
// What it will not do: it does not validate. Rewards come validated; one that
// is NaN or outside [0, 1] is the caller's mistake and makes every result that
// it enters undefined, never a plausible number. It does not know which trials
// were missing or why. It computes what a verdict rests on, and gives none: the
// one rule it applies itself, [Comparison.PairedSE], is there because it needs
// exact arithmetic.
package stats
