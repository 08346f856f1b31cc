package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// manyDF is where the incomplete beta function begins to lose digits and the
// normal expansion has more than enough.
const manyDF = 1000

// halves returns the chance that Student's t lies between 0 and t, and the
// chance that it lies above t, for t >= 0.
func halves(t, df float64) (middle, above float64) {
	if df > manyDF {
		z := normalDeviate(t, df) / math.Sqrt2
		return 0.5 * math.Erf(z), 0.5 * math.Erfc(z)
	}
	square := float64(t * t)
	if square < 1 {
		middle = 0.5 * mathext.RegIncBeta(0.5, df/2, square/(df+square))
		return middle, 0.5 - middle
	}
	if inPowerTail(t, df) {
		scale := math.Exp(-mathext.Lbeta(df/2, 0.5)) / df
		above = scale * math.Pow(math.Sqrt(df)/t, df)
		return 0.5 - above, above
	}
	above = 0.5 * mathext.RegIncBeta(df/2, 0.5, df/(df+square))
	return 0.5 - above, above
}

// inPowerTail reports whether t is so far out that the tail is a plain power of
// t to the last bit, which holds where t*t does not.
func inPowerTail(t, df float64) bool { return df <= manyDF && t > 1e10*math.Sqrt(df) }

// normalDeviate returns the z whose normal tail is that of t, by Hill's
// expansion in 1/df (Communications of the ACM 13, 1970, algorithm 395).
func normalDeviate(t, df float64) float64 {
	if math.IsInf(df, 1) {
		return t
	}
	a := df - 0.5
	b := float64(float64(48*a) * a)
	square := float64(a * math.Log1p(float64(t*t)/df))
	z := math.Sqrt(square)
	if z > 100 {
		return z // no float64 is small enough for this tail
	}
	first := (square + 3) / b
	poly := float64(float64(float64(4*square)+33)*square) + 240
	poly = float64(poly*square) + 855
	second := poly / (10 * b * (b + float64(0.8*float64(square*square)) + 100))
	return z * (1 + first - second)
}
