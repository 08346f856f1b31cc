package stats

import (
	"math"
	"math/big"
)

// Interval is a confidence interval for a split's reward and what it was made
// from. All four are undefined together.
type Interval struct {
	Low  Estimate // in [0, 1], at most the reward
	High Estimate // in [0, 1], at least the reward
	NEff Estimate // the number of independent pass-or-fail trials worth as much
	T    Estimate // the quantile of Student's t that the width rests on
}

// WilsonT returns the two-sided Wilson score interval of the mean of task
// means, at a confidence level in (0, 1), for tasks that are a sample. It
// allows for graded rewards and repeated trials by an effective sample size,
// p(1-p)/(s^2/n) but at most the total of valid trials, and for few tasks by
// the t quantile with n-1 degrees of freedom. Unlike mean +- t*SE it stays in
// [0, 1] and keeps its width when every task scores the same: NEff is then
// the total of valid trials, or n when they are all 0 or all 1.
//
// It is undefined for fewer than two tasks, and when the caller's numbers
// cannot be: a mean that is NaN or outside [0, 1], a level outside (0, 1),
// fewer valid trials than tasks.
func WilsonT(means []float64, totalValid int, level float64) Interval {
	n := len(means)
	l, ok := latticeOf(means)
	if !ok || n < 2 || totalValid < n || !(level > 0 && level < 1) {
		return Interval{}
	}
	sum, hi, lo := l.moments(means)
	all := l.q * uint64(n)
	p, miss := ratio(sum, all), ratio(all-sum, all)
	size := effectiveSize(sum, all, deviation(uint64(n), sum, hi, lo), n, totalValid)
	t := math.Abs(TQuantile((1-level)/2, float64(n-1))) // the lower tail: 1+level may round to 2
	return Interval{
		Low:  Defined(wilsonLow(p, miss, size, t)),
		High: Defined(max(p, 1-wilsonLow(miss, p, size, t))),
		NEff: Defined(size),
		T:    Defined(t),
	}
}

// effectiveSize returns p(1-p)/(s^2/n) capped at the total of valid trials,
// where p is sum/all and dev is n times the squared deviations.
func effectiveSize(sum, all uint64, dev *big.Int, n, totalValid int) float64 {
	if sum == 0 || sum == all {
		return float64(n)
	}
	if dev.Sign() == 0 {
		return float64(totalValid)
	}
	size := nearest(product(whole(sum), whole(all-sum), big.NewInt(int64(n-1))), dev)
	return min(size, float64(totalValid))
}

// wilsonLow returns the lower Wilson limit for a share p, with miss = 1-p, of
// n trials. It comes from the upper one by the product of the two, p^2/(1+t^2/n),
// because their difference from the centre cancels when p is small.
func wilsonLow(p, miss, n, t float64) float64 {
	if p == 0 {
		return 0
	}
	u := float64(t*t) / n
	half := math.Sqrt(u * (float64(p*miss) + u/4))
	high := p + u/2 + half // times 1+u, as the limit below is
	return min(p, float64(p*p)/high)
}
