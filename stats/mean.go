package stats

import (
	"math"
	"math/big"
	"math/bits"
)

// Mean returns the arithmetic mean of rewards in [0, 1]. It is undefined for
// no rewards: an empty task has no reward, and 0 would be one.
func Mean(rewards []float64) Estimate {
	l, ok := latticeOf(rewards)
	if !ok || len(rewards) == 0 {
		return Undefined()
	}
	return Defined(ratio(l.sum(rewards), l.q*uint64(len(rewards))))
}

// Variance returns the unbiased sample variance of rewards in [0, 1], which is
// at most 1/2. It is exactly 0 when all are equal, and undefined for fewer
// than two: one trial says nothing about spread.
func Variance(rewards []float64) Estimate {
	v, ok := spread(rewards, 1)
	if !ok {
		return Undefined()
	}
	return Defined(v)
}

// Stderr returns the standard error of the mean of rewards in [0, 1]: the
// square root of variance over count. It is undefined for fewer than two.
func Stderr(rewards []float64) Estimate {
	v, ok := spread(rewards, uint64(len(rewards)))
	if !ok {
		return Undefined()
	}
	return Defined(math.Sqrt(v))
}

// spread returns the sample variance divided by by, rounded once.
func spread(rewards []float64, by uint64) (float64, bool) {
	l, ok := latticeOf(rewards)
	if !ok || len(rewards) < 2 {
		return 0, false
	}
	n := uint64(len(rewards))
	sum, hi, lo := l.moments(rewards)
	if !l.fine && n <= 1000 { // n^3 q^2 is then below 2^50
		return ratio(n*lo-sum*sum, l.q*l.q*n*(n-1)*by), true
	}
	den := product(whole(l.q), whole(l.q), whole(n), whole(n-1), whole(by))
	return nearest(deviation(n, sum, hi, lo), den), true
}

// deviation returns n times the sum of squares less the square of the sum:
// n times the squared deviations from the mean.
func deviation(n, sum, hi, lo uint64) *big.Int {
	var square, squares wide
	square.add(bits.Mul64(sum, sum))
	squares.add(hi, lo)
	d := squares.big()
	d.Mul(d, whole(n))
	return d.Sub(d, square.big())
}
