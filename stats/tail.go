package stats

import (
	"cmp"
	"math"
	"slices"
)

// order puts the kinds into an order that does not depend on that of the
// tasks.
func (s *null) order() {
	slices.SortFunc(s.kinds, func(a, b kind) int {
		return cmp.Or(slices.Compare(a.x, b.x), slices.Compare(a.p, b.p), cmp.Compare(a.count, b.count))
	})
}

// upper returns the chances of a statistic at least as large as the observed
// one and of one equal to it. The observed one must not be below the mean.
//
// Each kind is tilted first: its chances are multiplied by exp(rate*x) and
// scaled to add up to 1, with the rate that makes the observed statistic
// typical. What is then convolved, and pruned where nothing is left, is
// accurate around the observed statistic however unlikely that was, and the
// tilt is taken back from the sum.
func (s null) upper() (atLeast, equal float64) {
	top, p := s.most()
	if s.observed >= top {
		return p, p
	}
	rate := s.rate()
	logScale := -rate * float64(s.observed)
	var sums []pmf
	var cv convolver
	for _, k := range s.kinds {
		f, logOne := k.tilted(rate)
		logScale += float64(float64(k.count) * logOne)
		sums = append(sums, cv.power(f, k.count))
	}
	f := cv.all(sums)
	inner := f.beyond
	at := 0.0
	for i := len(f.p) - 1; i >= 0; i-- { // from the small ones up
		gap := f.lo + int64(i)*f.step - s.observed
		if gap < 0 {
			break
		}
		inner += float64(f.p[i] * math.Exp(-float64(rate*float64(gap))))
		if gap == 0 {
			at = f.p[i]
		}
	}
	if rate == 0 {
		return inner, at
	}
	untilt := math.Exp(logScale)
	return untilt * inner, untilt * at
}

// typical is how many standard deviations from its mean the statistic may be
// to go without a tilt.
const typical = 2

// rate returns the rate of the tilt: the one at which the mean is within half
// a standard deviation of the observed statistic, and 0 when it is typical.
func (s null) rate() float64 {
	target := float64(s.observed)
	mean, variance := s.momentsAt(0)
	if target-mean <= typical*math.Sqrt(variance) {
		return 0
	}
	low, high, rate := 0.0, math.Inf(1), 0.0
	for range 200 {
		miss := target - mean
		if math.Abs(miss) <= 0.5*math.Sqrt(variance) {
			return rate
		}
		if miss > 0 {
			low = rate
		} else {
			high = rate
		}
		next := rate + miss/variance
		switch {
		case next > low && next < high && next <= 2*rate+1/math.Sqrt(variance):
			rate = next
		case math.IsInf(high, 1):
			rate = 2*rate + 1/math.Sqrt(variance)
		default:
			rate = low + (high-low)/2
		}
		mean, variance = s.momentsAt(rate)
	}
	return rate
}

// momentsAt returns the mean and the variance of the tilted statistic.
func (s null) momentsAt(rate float64) (mean, variance float64) {
	for _, k := range s.kinds {
		top := k.x[len(k.x)-1]
		var z, first, second float64
		for i, x := range k.x {
			gap := float64(top - x)
			w := float64(k.p[i] * math.Exp(-float64(rate*gap)))
			z += w
			first += float64(w * gap)
			second += float64(float64(w*gap) * gap)
		}
		first /= z
		mean += float64(float64(k.count) * (float64(top) - first))
		variance += float64(float64(k.count) * (second/z - float64(first*first)))
	}
	return mean, variance
}

// tilted returns the tilted distribution of one task of the kind, and the
// logarithm of what its chances were divided by.
func (k kind) tilted(rate float64) (f pmf, logScale float64) {
	last := len(k.x) - 1
	f = pmf{lo: k.x[0]}
	for _, x := range k.x {
		f.step = gcd(x-f.lo, f.step)
	}
	f.p = make([]float64, (k.x[last]-f.lo)/f.step+1)
	z := 0.0
	for i, x := range k.x {
		w := k.p[i]
		if rate != 0 {
			w *= math.Exp(-float64(rate * float64(k.x[last]-x)))
		}
		f.p[(x-f.lo)/f.step] = w
		z += w
	}
	if rate == 0 {
		return f, 0
	}
	for i := range f.p {
		f.p[i] /= z
	}
	return f, math.Log(z) + float64(rate*float64(k.x[last]))
}
