package stats

import "slices"

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
