package stats

import (
	"math/big"
)

// Delta returns the mean over paired tasks of the difference in mean reward,
// in [-1, 1]. It is undefined without a paired task.
func (c *Comparison) Delta() Exact {
	if !c.ok {
		return Exact{}
	}
	var baseline, candidate tally
	for _, p := range c.paired {
		baseline.group(uint64(len(p.Baseline))).sums.add(0, c.l.sum(p.Baseline))
		candidate.group(uint64(len(p.Candidate))).sums.add(0, c.l.sum(p.Candidate))
	}
	less, _, _, lessUnit, _ := baseline.totals()
	more, _, _, moreUnit, _ := candidate.totals()
	num := product(more, lessUnit)
	num.Sub(num, less.Mul(less, moreUnit))
	return fraction(num, product(whole(c.l.q), lessUnit, moreUnit, whole(uint64(len(c.paired)))))
}

// differences returns the difference in mean reward of each paired task, as
// integers over one unit. There must be a paired task.
func (c *Comparison) differences() (ds []*big.Int, unit *big.Int) {
	common, last := big.NewInt(1), 0
	for _, p := range c.paired {
		for _, m := range [2]int{len(p.Baseline), len(p.Candidate)} {
			if m != last {
				common, last = lcm(common, whole(uint64(m))), m
			}
		}
	}
	ds = make([]*big.Int, len(c.paired))
	weights := map[int]*big.Int{}
	mean := func(rewards []float64) *big.Int {
		w := weights[len(rewards)]
		if w == nil {
			w = new(big.Int).Quo(common, whole(uint64(len(rewards))))
			weights[len(rewards)] = w
		}
		sum := whole(c.l.sum(rewards))
		return sum.Mul(sum, w)
	}
	for i, p := range c.paired {
		ds[i] = mean(p.Candidate)
		ds[i].Sub(ds[i], mean(p.Baseline))
	}
	return ds, product(whole(c.l.q), common)
}

// sums returns the sum of integers and of their squares.
func sums(ds []*big.Int) (first, second *big.Int) {
	first, second = new(big.Int), new(big.Int)
	square := new(big.Int)
	for _, d := range ds {
		first.Add(first, d)
		second.Add(second, square.Mul(d, d))
	}
	return first, second
}
