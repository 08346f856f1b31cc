package stats

import (
	"math"
	"slices"
)

// suite returns the distribution of the statistic when every paired task's
// rewards are dealt anew.
func (c *Comparison) suite() null {
	d := newDealer(scaleOf(c.l, c.paired))
	s := null{minDesign: 1}
	designs := map[[2]int]int{}
	var last [2]int
	run := 0
	for _, p := range c.paired {
		_, observed := d.add(p)
		s.observed += observed
		if m := [2]int{len(p.Baseline), len(p.Candidate)}; m != last {
			designs[last] += run
			last, run = m, 0
		}
		run++
	}
	designs[last] += run
	delete(designs, [2]int{})
	s.minDesign = leastChance(designs)
	for i, h := range d.hands {
		x, p := d.s.kind(h)
		s.kinds = append(s.kinds, kind{x: x, p: p, count: d.counts[i]})
	}
	s.order()
	return s
}

// leastChance returns the chance of one way to deal all tasks, given how many
// there are of each pair of trial counts.
func leastChance(designs map[[2]int]int) float64 {
	keys := make([][2]int, 0, len(designs))
	for m := range designs {
		keys = append(keys, m)
	}
	slices.SortFunc(keys, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	p := 1.0
	for _, m := range keys {
		p *= math.Pow(fewest(m[0]+m[1], m[1]), float64(designs[m]))
	}
	return p
}
