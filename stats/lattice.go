package stats

import (
	"math"
	"math/bits"
)

// Rewards live on a lattice: a rubric of four criteria gives quarters, a pass
// or fail gives 0 and 1. A reward within snap/q of a multiple of 1/q, q at most
// maxDenominator, is that multiple. Two such fractions differ by at least
// 1e-6, so the fraction does not depend on which q is tried.
const (
	maxDenominator = 1000
	snap           = 1e-9
)

// lattice turns rewards into integers: a reward r is the integer nearest to
// r*q.
type lattice struct {
	q    uint64
	fine bool // rewards share no small q; q is a power of two that they are rounded to
}

// latticeOf returns the lattice with the least q that holds every reward. When
// there is none up to maxDenominator it returns the fine lattice, whose q is
// 2^53 unless a task has more than 1023 rewards, and then smaller, so that the
// sum over one task stays below 2^63. It reports false when a reward is NaN or
// outside [0, 1].
func latticeOf(tasks ...[]float64) (lattice, bool) {
	q, longest := 1, 0
	var refuters []float64 // each has refuted a smaller q
	for again := true; again; {
		again = false
		for _, rewards := range tasks {
			longest = max(longest, len(rewards))
			for _, r := range rewards {
				if r == 0 || r == 1 {
					continue
				}
				if !(r > 0 && r < 1) {
					return lattice{}, false
				}
				if q > maxDenominator || onGrid(r, q) {
					continue
				}
				refuters = append(refuters, r)
				q = leastDenominator(q+1, refuters)
				again = q <= maxDenominator // what fitted the smaller q may not fit this one
			}
		}
	}
	if q > maxDenominator {
		return lattice{q: 1 << min(53, 63-bits.Len(uint(longest))), fine: true}, true
	}
	return lattice{q: uint64(q)}, true
}

// leastDenominator returns the least q >= from that holds every reward, or
// maxDenominator+1. There must be at least one.
func leastDenominator(from int, rewards []float64) int {
	step := denominator(rewards[len(rewards)-1]) // every q that holds this reward is a multiple
next:
	for q := (from + step - 1) / step * step; q <= maxDenominator; q += step {
		for _, r := range rewards {
			if !onGrid(r, q) {
				continue next
			}
		}
		return q
	}
	return maxDenominator + 1
}

// denominator returns the denominator, in lowest terms, of the fraction that
// r in (0, 1) is taken for, or maxDenominator+1. A fraction as close to r as
// snap asks is a convergent of r's continued fraction, so only those are tried.
func denominator(r float64) int {
	x, p, p0, q, q0 := r, 0.0, 1.0, 1.0, 0.0 // p/q = 0 is the first convergent
	for {
		if math.Abs(float64(r*q)-p) <= 1.5*snap { // wider than onGrid, which has the last word
			return int(q)
		}
		x = 1 / (x - math.Floor(x))
		a := math.Floor(x)
		p, p0 = float64(a*p)+p0, p
		q, q0 = float64(a*q)+q0, q
		if !(q <= maxDenominator) {
			return maxDenominator + 1
		}
	}
}

// onGrid reports whether r is a multiple of 1/q.
func onGrid(r float64, q int) bool {
	x := float64(r * float64(q)) // the conversion keeps the product out of a fused multiply-add
	return math.Abs(x-math.Floor(x+0.5)) <= snap
}

// at returns the integer of one reward.
func (l lattice) at(r float64) uint64 {
	x := float64(r * float64(l.q))
	if l.fine {
		return uint64(math.RoundToEven(x))
	}
	return uint64(x + 0.5)
}

// sum returns the sum of the integers of one task's rewards.
func (l lattice) sum(rewards []float64) (sum uint64) {
	for _, r := range rewards {
		sum += l.at(r)
	}
	return sum
}

// moments returns the sum of the integers of one task's rewards and the sum of
// their squares, hi:lo.
func (l lattice) moments(rewards []float64) (sum, hi, lo uint64) {
	if l.fine {
		return l.fineMoments(rewards)
	}
	q := float64(l.q)
	for _, r := range rewards {
		x := uint64(float64(r*q) + 0.5)
		sum += x
		lo += x * x // at most a million each
	}
	return sum, 0, lo
}

func (l lattice) fineMoments(rewards []float64) (sum, hi, lo uint64) {
	for _, r := range rewards {
		x := l.at(r)
		sum += x
		h, b := bits.Mul64(x, x)
		var carry uint64
		lo, carry = bits.Add64(lo, b, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	return sum, hi, lo
}
