package stats

import "math"

// Change is how a metric that is no reward (a cost, a time) differs between two
// arms. The three are undefined together.
type Change struct {
	Change    Estimate // candidate less baseline, or that over the baseline
	Low, High Estimate
}

// MetricChange returns the mean change of a metric over tasks, with a two-sided
// interval at a confidence level in (0, 1): Student's t on the paired task means,
// which takes the tasks as a sample. Each slice holds a task's mean, in the same
// order.
//
// With relative set, it is the change of the mean over the baseline's mean; its
// interval is that of a ratio of paired means by the delta method. It is
// undefined below two tasks, for slices that differ in length, for values that
// are not finite or too large to be squared, and, where relative, for a baseline
// mean that is not above 0.
func MetricChange(baseline, candidate []float64, level float64, relative bool) Change {
	n := len(baseline)
	if n < 2 || n != len(candidate) || !(level > 0 && level < 1) {
		return Change{}
	}
	b, c := plainMean(baseline), plainMean(candidate)
	if math.IsNaN(b+c) || math.IsInf(b, 0) || math.IsInf(c, 0) || relative && !(b > 0) {
		return Change{}
	}
	ratio := 1.0
	if relative {
		ratio = c / b
	}
	// The deviations of candidate - ratio*baseline are those of the ratio, times
	// the baseline's mean, and with ratio 1 those of the plain difference.
	var ss float64
	for i := range baseline {
		d := (candidate[i] - c) - float64(ratio*(baseline[i]-b))
		ss += float64(d * d)
	}
	half := TQuantile(0.5+level/2, float64(n-1)) * math.Sqrt(ss/float64(n-1)/float64(n))
	change := c - b
	if relative {
		change, half = ratio-1, half/b
	}
	if math.IsNaN(half+change) || math.IsInf(half+change, 0) {
		return Change{}
	}
	return Change{Change: Defined(change), Low: Defined(change - half), High: Defined(change + half)}
}

// plainMean is the mean of numbers on no lattice, added in the order given.
func plainMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
