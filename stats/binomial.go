package stats

import "gonum.org/v1/gonum/mathext"

// ClopperPearson returns the exact two-sided confidence limits, in [0, 1], of
// the chance behind c successes in n independent trials, at a level in (0, 1).
// Its coverage is never below the level. It is undefined without trials, for a
// c outside 0 to n, and for a level outside (0, 1).
func ClopperPearson(c, n int, level float64) (low, high Estimate) {
	if n < 1 || c < 0 || c > n || !(level > 0 && level < 1) {
		return Undefined(), Undefined()
	}
	tail := (1 - level) / 2
	return Defined(lowestChance(c, n, tail)), Defined(1 - lowestChance(n-c, n, tail))
}

// lowestChance returns the chance at which c or more successes in n trials
// have a probability of tail.
func lowestChance(c, n int, tail float64) float64 {
	if c == 0 {
		return 0
	}
	low, high := 0.0, 1.0
	for {
		mid := low + (high-low)/2
		if mid == low || mid == high {
			return low
		}
		if mathext.RegIncBeta(float64(c), float64(n-c+1), mid) < tail {
			low = mid
		} else {
			high = mid
		}
	}
}
