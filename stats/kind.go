package stats

import (
	"math"
	"math/big"
	"slices"
)

// kind is a number of tasks that share one distribution under the hypothesis
// of no change.
type kind struct {
	x     []int64   // the values that a task's difference can take, ascending
	p     []float64 // the chance of each
	count int
}

// null is the distribution of the statistic if nothing has changed: the sum
// of independent tasks.
type null struct {
	kinds     []kind // of tasks that can take more than one value
	observed  int64
	minDesign float64
}

// most returns the largest value of the statistic and its chance.
func (s null) most() (top int64, p float64) {
	p = 1
	for _, k := range s.kinds {
		last := len(k.x) - 1
		top += k.x[last] * int64(k.count)
		p *= math.Pow(k.p[last], float64(k.count))
	}
	return top, p
}

func (s null) minConditional() float64 {
	_, p := s.most()
	return p
}

// tails returns the chances of a statistic at least as large, and at most as
// large, as the observed one.
func (s null) tails() (atLeast, atMost float64) {
	if float64(s.observed) < s.mean() {
		atMost, equal := s.mirrored().upper()
		return 1 - atMost + equal, atMost
	}
	atLeast, equal := s.upper()
	return atLeast, 1 - atLeast + equal
}

// mean returns the expected statistic: 0 but for the rounding of differences.
func (s null) mean() (mean float64) {
	for _, k := range s.kinds {
		mean += float64(float64(k.count) * k.mean())
	}
	return mean
}

func (k kind) mean() (mean float64) {
	for i, x := range k.x {
		mean += float64(k.p[i] * float64(x))
	}
	return mean
}

// mirrored returns the distribution with the arms swapped.
func (s null) mirrored() null {
	m := null{observed: -s.observed, minDesign: s.minDesign}
	for _, k := range s.kinds {
		n := kind{x: slices.Clone(k.x), p: slices.Clone(k.p), count: k.count}
		slices.Reverse(n.x)
		slices.Reverse(n.p)
		for i := range n.x {
			n.x[i] = -n.x[i]
		}
		m.kinds = append(m.kinds, n)
	}
	return m
}

// fewest returns 1/C(total, part), the chance of one way to deal.
func fewest(total, part int) float64 {
	return nearest(big.NewInt(1), choose(int64(total), int64(part)))
}
