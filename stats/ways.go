package stats

import (
	"math"
	"slices"
)

// kind returns the values that the difference of one task takes and their
// chances.
func (s scale) kind(h hand) (x []int64, p []float64) {
	ways, all := h.ways()
	total, mb, mc := h.sum(), int64(h.mb), int64(h.mc)
	for i, w := range ways {
		if w == 0 {
			continue
		}
		candidate := int64(i)
		v := s.difference((total-candidate)*h.unit, candidate*h.unit, mb, mc)
		if n := len(x); n > 0 && x[n-1] == v { // two deals may round to one difference
			p[n-1] += w / all
			continue
		}
		x, p = append(x, v), append(p, w/all)
	}
	return x, p
}

func (h hand) sum() (sum int64) {
	sum = int64(h.ones)
	for _, v := range h.values {
		sum += v
	}
	return sum
}

// ways returns, by the sum dealt to the candidate, a number proportional to
// the count of ways to deal it, and the sum of those numbers. They are the
// counts themselves up to 2^53.
func (h hand) ways() (ways []float64, all float64) {
	switch {
	case h.values == nil:
		ways = hypergeometric(h.mb, h.mc, h.ones)
	case h.mc <= h.mb:
		ways = subsetSums(h.values, h.mc)
	default: // what the baseline is dealt leaves the rest to the candidate
		baseline := subsetSums(h.values, h.mb)
		total := h.sum()
		ways = make([]float64, total+1)
		for s, w := range baseline {
			ways[total-int64(s)] = w
		}
	}
	for _, w := range ways {
		all += w
	}
	return ways, all
}

// hypergeometric returns C(ones, s)*C(zeros, mc-s) for s from 0, up to a
// common factor when they would not fit.
func hypergeometric(mb, mc, ones int) []float64 {
	zeros := mb + mc - ones
	first, last := max(0, mc-zeros), min(ones, mc)
	ways := make([]float64, last+1)
	ratio := func(s int) float64 { // of the ways for s to those for s-1
		return float64((ones-s+1)*(mc-s+1)) / float64(s*(zeros-mc+s))
	}
	if mb+mc > 50 { // outwards from the mode, which is 1
		mode := max(first, min(last, (mc+1)*(ones+1)/(mb+mc+2)))
		ways[mode] = 1
		for s := mode + 1; s <= last; s++ {
			ways[s] = ways[s-1] * ratio(s)
		}
		for s := mode; s > first; s-- {
			ways[s-1] = ways[s] / ratio(s)
		}
		return ways
	}
	for s := first; s <= last; s++ {
		ways[s] = chooseFloat(ones, s) * chooseFloat(zeros, mc-s)
	}
	return ways
}

// chooseFloat returns C(n, k) exactly for n up to 50.
func chooseFloat(n, k int) float64 {
	c := 1.0
	for i := 1; i <= k; i++ {
		c = c * float64(n-k+i) / float64(i) // C(n-k+i, i), and below 2^53 before the division
	}
	return c
}

// tooMany is the size from which the counts of subset sums are scaled down.
const tooMany = 0x1p900

// subsetSums returns, by sum, the number of ways to take k of the values, up
// to a common factor when they are many.
func subsetSums(values []int64, k int) []float64 {
	ways := make([][]float64, k+1) // by how many are taken, then by sum
	ways[0] = []float64{1}
	for i, v := range values {
		for j := min(i+1, k); j >= 1; j-- {
			from := ways[j-1]
			if short := int(v) + len(from) - len(ways[j]); short > 0 {
				ways[j] = append(ways[j], make([]float64, short)...)
			}
			to := ways[j][v:]
			for s, w := range from {
				to[s] += w
			}
		}
		scaleDown(ways)
	}
	return ways[k]
}

// scaleDown divides all counts by one power of two when the largest is about
// to overflow.
func scaleDown(ways [][]float64) {
	for _, row := range ways {
		if len(row) > 0 && slices.Max(row) > tooMany {
			for _, row := range ways {
				for s := range row {
					row[s] = math.Ldexp(row[s], -900)
				}
			}
			return
		}
	}
}
