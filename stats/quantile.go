package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// NormalQuantile returns the p quantile of the standard normal distribution:
// -Inf at 0, +Inf at 1, NaN for a p outside [0, 1].
func NormalQuantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	case p > 0.5:
		return -distuv.UnitNormal.Quantile(1 - p) // 1-p is exact, and the lower tail is the accurate one
	}
	return distuv.UnitNormal.Quantile(p)
}

// TQuantile returns the p quantile of Student's t distribution with df degrees
// of freedom, df at least 1: -Inf at 0, +Inf at 1, NaN for a p outside [0, 1]
// or a smaller df. An infinite df is the normal distribution. The relative
// error is below 1e-12 for p between 1e-12 and 1-1e-12.
func TQuantile(p, df float64) float64 {
	if !(df >= 1) {
		return math.NaN()
	}
	if !(p > 0 && p < 1) || math.IsInf(df, 1) {
		return NormalQuantile(p)
	}
	if p < 0.5 {
		return -upperT(p, float64(0.5-p), df)
	}
	return upperT(1-p, p-0.5, df)
}

// upperT returns the t >= 0 with the chance tail above it and middle between
// 0 and it. The two add up to 1/2; each is accurate where it is small.
func upperT(tail, middle, df float64) float64 {
	switch {
	case middle == 0:
		return 0
	case df == 1 && tail < 0.25:
		return 1 / math.Tan(math.Pi*tail)
	case df == 1:
		return math.Tan(math.Pi * middle)
	case df == 2:
		return middle * math.Sqrt(2/tail/(1-tail))
	}
	// Newton's method on the logarithms of chance and t, where both ends of
	// the distribution are close to straight lines.
	t := -NormalQuantile(tail)
	if t <= 0 {
		t = middle
	}
	for range 100 {
		m, above := halves(t, df)
		var step float64
		if middle < 0.3 {
			step = math.Log(middle/m) * m / density(t, df)
		} else {
			step = math.Log(above/tail) * above / density(t, df)
		}
		if inPowerTail(t, df) {
			step = math.Log(above/tail) / df // the density may be too small for a float64
		}
		if math.IsNaN(step) || step < -1 {
			step = -1
		}
		next := float64(t * math.Exp(min(step, 50)))
		if math.Abs(next-t) <= 4e-16*t {
			return next
		}
		t = next
	}
	return t
}

// density returns t times the density at t, the slope of the chance against
// the logarithm of t.
func density(t, df float64) float64 { return t * distuv.StudentsT{Sigma: 1, Nu: df}.Prob(t) }

// TSurvival returns the chance that Student's t with df degrees of freedom, df
// at least 1, exceeds t. It is in [0, 1], and NaN for a t that is NaN or a
// smaller df. An infinite df is the normal distribution.
func TSurvival(t, df float64) float64 {
	if !(df >= 1) || math.IsNaN(t) {
		return math.NaN()
	}
	middle, above := halves(math.Abs(t), df)
	if t < 0 {
		return 0.5 + middle
	}
	return above
}
