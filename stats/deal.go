package stats

import (
	"math"
	"slices"
)

// hand is one task under relabelling: the pooled rewards of both arms, less
// the smallest and divided by their greatest common divisor, to be dealt mb to
// the baseline and mc to the candidate.
type hand struct {
	mb, mc int
	unit   int64   // what one step is worth on the reward lattice
	values []int64 // ascending; empty when all rewards are equal
	ones   int     // for values 0 and 1 only, which are not listed: how many are 1
}

// dealer sorts tasks by their hands.
type dealer struct {
	s       scale
	hands   []hand
	counts  []int
	rows    map[row][]int  // hands of two values: index+1 by the number of ones
	graded  map[string]int // other hands: index
	lastRow row
	last    []int
	pool    []int64
	key     []byte
}

type row struct {
	mb, mc int
	unit   int64
}

func newDealer(s scale) *dealer {
	return &dealer{s: s, rows: map[row][]int{}, graded: map[string]int{}}
}

// add enters a task and returns the index of its hand, or -1 when all its
// rewards are equal, and its observed difference.
func (d *dealer) add(p Pair) (index int, observed int64) {
	mb, mc := len(p.Baseline), len(p.Candidate)
	if d.s.q == 1 {
		b, c := ones(p.Baseline), ones(p.Candidate)
		if b+c == 0 || b+c == mb+mc {
			return -1, 0
		}
		return d.two(mb, mc, 1, b+c), d.s.difference(int64(b), int64(c), int64(mb), int64(mc))
	}
	d.pool = d.pool[:0]
	var b, c int64
	for _, r := range p.Baseline {
		x := d.s.at(r)
		b += x
		d.pool = append(d.pool, x)
	}
	for _, r := range p.Candidate {
		x := d.s.at(r)
		c += x
		d.pool = append(d.pool, x)
	}
	return d.deal(mb, mc), d.s.difference(b, c, int64(mb), int64(mc))
}

// ones counts the rewards of 1 among rewards of 0 and 1.
func ones(rewards []float64) (n int) {
	for _, r := range rewards {
		n += int(r + 0.5)
	}
	return n
}

// deal returns the index of the hand that holds the pool.
func (d *dealer) deal(mb, mc int) int {
	slices.Sort(d.pool)
	least, unit := d.pool[0], int64(0)
	for i := range d.pool {
		d.pool[i] -= least
		unit = gcd(d.pool[i], unit)
	}
	if unit == 0 {
		return -1
	}
	d.key = d.key[:0]
	n := 0
	for i := range d.pool {
		d.pool[i] /= unit
		n += int(min(d.pool[i], 1))
	}
	if d.pool[len(d.pool)-1] == 1 {
		return d.two(mb, mc, unit, n)
	}
	for _, x := range []int64{int64(mb), int64(mc), unit} {
		d.key = append(d.key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	for _, x := range d.pool {
		d.key = append(d.key, byte(x), byte(x>>8))
	}
	index, seen := d.graded[string(d.key)]
	if !seen {
		index = d.enter(hand{mb: mb, mc: mc, unit: unit, values: slices.Clone(d.pool)})
		d.graded[string(d.key)] = index
	}
	d.counts[index]++
	return index
}

// two returns the index of a hand of two values.
func (d *dealer) two(mb, mc int, unit int64, ones int) int {
	if r := (row{mb, mc, unit}); d.last == nil || r != d.lastRow {
		if d.rows[r] == nil {
			d.rows[r] = make([]int, mb+mc)
		}
		d.lastRow, d.last = r, d.rows[r]
	}
	if d.last[ones] == 0 {
		d.last[ones] = d.enter(hand{mb: mb, mc: mc, unit: unit, ones: ones}) + 1
	}
	d.counts[d.last[ones]-1]++
	return d.last[ones] - 1
}

func (d *dealer) enter(h hand) int {
	d.hands = append(d.hands, h)
	d.counts = append(d.counts, 0)
	return len(d.hands) - 1
}

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
		p *= powerOf(fewest(m[0]+m[1], m[1]), designs[m])
	}
	return p
}

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
	if h.values == nil {
		ways = hypergeometric(h.mb, h.mc, h.ones)
	} else {
		ways = subsetSums(h.values, h.mc)
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
