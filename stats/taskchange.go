package stats

import "math/big"

// TaskChange is what the two arms say about one task. All six are undefined
// for a task that is not paired.
type TaskChange struct {
	Baseline, Candidate Estimate // mean rewards, in [0, 1]
	Delta               Estimate // their difference, exactly 0 for equal means
	// Better, Worse and TwoSided are the chances of the exact permutation test
	// on this task alone, as in Test. Many of them together need Holm.
	Better, Worse, TwoSided Estimate
}

// TaskChanges returns a TaskChange for each declared task, in the order given.
func (c *Comparison) TaskChanges() []TaskChange {
	changes := make([]TaskChange, len(c.pairs))
	if !c.ok {
		return changes
	}
	d := newDealer(scaleOf(c.l, c.paired))
	tails := map[handOutcome][2]float64{}
	kinds := map[int]kind{}
	for i, p := range c.pairs {
		if !p.paired() {
			continue
		}
		baseline, candidate := c.l.sum(p.Baseline), c.l.sum(p.Candidate)
		mb, mc := uint64(len(p.Baseline)), uint64(len(p.Candidate))
		hand, observed := d.add(p)
		better, worse := 1.0, 1.0
		if hand >= 0 {
			k, seen := kinds[hand]
			if !seen {
				k.x, k.p = d.s.kind(d.hands[hand])
				kinds[hand] = k
			}
			at := handOutcome{hand, observed}
			both, seen := tails[at]
			if !seen {
				both[0], both[1] = k.tails(observed)
				tails[at] = both
			}
			better, worse = chance(both[0]), chance(both[1])
		}
		changes[i] = TaskChange{
			Baseline:  Defined(ratio(baseline, c.l.q*mb)),
			Candidate: Defined(ratio(candidate, c.l.q*mc)),
			Delta:     c.difference(baseline, candidate, mb, mc),
			Better:    Defined(better),
			Worse:     Defined(worse),
			TwoSided:  Defined(min(1, 2*min(better, worse))),
		}
	}
	return changes
}

// handOutcome is a hand of a dealer with the difference that was observed.
type handOutcome struct {
	hand     int
	observed int64
}

// tails returns the chances of at least and of at most x. Each is added up
// from its small end.
func (k kind) tails(x int64) (atLeast, atMost float64) {
	for i := range k.x {
		if k.x[i] <= x {
			atMost += k.p[i]
		}
	}
	for i := len(k.x) - 1; i >= 0 && k.x[i] >= x; i-- {
		atLeast += k.p[i]
	}
	return atLeast, atMost
}

// difference returns the difference of two means, rounded once.
func (c *Comparison) difference(baseline, candidate, mb, mc uint64) Estimate {
	num := product(whole(candidate), whole(mb))
	num.Sub(num, product(whole(baseline), whole(mc)))
	v := nearest(new(big.Int).Abs(num), product(whole(c.l.q), whole(mb), whole(mc)))
	if num.Sign() < 0 {
		v = -v
	}
	return Defined(v)
}
