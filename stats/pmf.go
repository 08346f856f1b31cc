package stats

import (
	"cmp"
	"slices"
)

// pmf is a distribution over lo, lo+step, lo+2*step and so on.
type pmf struct {
	lo, step int64
	p        []float64
	beyond   float64 // pruned from the upper end: the chance of something larger
}

// negligible is the chance that may be pruned from an end, and noise the same
// after a Fourier transform, which leaves errors of about that size behind.
const (
	negligible = 1e-18
	noise      = 1e-16
)

// prune cuts both ends while less than limit has been cut off there. What goes
// at the upper end stays in the tail, as beyond.
func (f pmf) prune(limit float64) pmf {
	first, last, cut := 0, len(f.p), 0.0
	for ; first < last-1 && cut+f.p[first] < limit; first++ {
		cut += f.p[first]
	}
	cut = 0
	for ; last > first+1 && cut+f.p[last-1] < limit; last-- {
		cut += f.p[last-1]
	}
	return pmf{lo: f.lo + int64(first)*f.step, step: f.step, p: f.p[first:last], beyond: f.beyond + cut}
}

// all returns the sum of independent variables, the shortest first.
func (cv *convolver) all(fs []pmf) pmf {
	if len(fs) == 0 {
		return pmf{step: 1, p: []float64{1}}
	}
	order := func(f, g pmf) int {
		return cmp.Or(cmp.Compare(len(f.p), len(g.p)), cmp.Compare(f.step, g.step), cmp.Compare(f.lo, g.lo))
	}
	slices.SortStableFunc(fs, order) // what is equal in all three stays in the order of the kinds
	for len(fs) > 1 {
		f := cv.add(fs[0], fs[1])
		fs = fs[2:]
		at, _ := slices.BinarySearchFunc(fs, f, order)
		for at < len(fs) && order(fs[at], f) == 0 {
			at++
		}
		fs = slices.Insert(fs, at, f)
	}
	return fs[0]
}

// power returns the sum of n independent variables with one distribution, for
// n at least 1.
func (cv *convolver) power(f pmf, n int) pmf {
	bit := 1
	for bit <= n/2 {
		bit *= 2
	}
	sum := f
	for bit /= 2; bit > 0; bit /= 2 {
		sum = cv.add(sum, sum)
		if n&bit != 0 {
			sum = cv.add(sum, f)
		}
	}
	return sum
}

// add returns the sum of two independent variables.
func (cv *convolver) add(f, g pmf) pmf {
	if len(f.p) < len(g.p) {
		f, g = g, f
	}
	step := gcd(f.step, g.step)
	if len(g.p) == 1 {
		step = f.step // a constant only shifts
	}
	fs, gs := int(f.step/step), int(g.step/step)
	size := (len(f.p)-1)*fs + (len(g.p)-1)*gs + 1
	sum := pmf{lo: f.lo + g.lo, step: step, beyond: f.beyond + g.beyond}
	if cv.transformPays(len(f.p), len(g.p), size) {
		sum.p = cv.transform(f.p, fs, g.p, gs, size)
		return sum.prune(noise)
	}
	sum.p = make([]float64, size)
	switch {
	case fs > 1:
		scatter(sum.p, f.p, fs, g.p, gs)
	case len(f.p) == len(g.p) && &f.p[0] == &g.p[0]:
		square(sum.p, f.p)
	default:
		convolve(sum.p, f.p, g.p, gs)
	}
	return sum.prune(negligible)
}
