package stats

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
)

// Audit is a [Test] in exact fractions. All five are defined.
type Audit struct {
	Better, Worse, TwoSided, MinDesign, MinConditional Exact
}

// auditBits bounds the size of the exact distribution: 32 million bits, about
// 800 tasks of five pass-or-fail trials in each arm, or a few seconds.
const auditBits = 1 << 25

// auditWork bounds the counting of the ways to deal one task.
const auditWork = 1 << 26

// ErrNothingPaired is returned for a comparison without a paired task, or with
// a reward that is NaN or outside [0, 1].
var ErrNothingPaired = errors.New("stats: no task has valid rewards in both arms")

// AuditSuite computes [Comparison.SuiteTest] once more, by counting in big
// integers instead of floating point. It is an error when there is nothing to
// test, and when the exact distribution, which has as many places as the
// statistic has values and in each as many bits as the number of ways to deal
// all tasks, would take more than 32 million bits: about 800 tasks of five
// pass-or-fail trials in each arm, fewer when rewards are graded.
func (c *Comparison) AuditSuite() (Audit, error) {
	if !c.ok {
		return Audit{}, ErrNothingPaired
	}
	d := newDealer(scaleOf(c.l, c.paired))
	a := count{total: big.NewInt(1), design: big.NewInt(1)}
	for _, p := range c.paired {
		_, observed := d.add(p)
		a.observed += observed
		a.design.Mul(a.design, choose(int64(len(p.Baseline)+len(p.Candidate)), int64(len(p.Candidate))))
	}
	for i, h := range d.hands {
		k, err := d.s.exactKind(h)
		if err != nil {
			return Audit{}, err
		}
		k.count = d.counts[i]
		a.kinds = append(a.kinds, k)
	}
	return a.audit()
}

// AuditPopulation computes [Comparison.PopulationTest] once more, by counting
// in big integers. Its errors are those of [Comparison.AuditSuite].
func (c *Comparison) AuditPopulation() (Audit, error) {
	if !c.ok {
		return Audit{}, ErrNothingPaired
	}
	return countFlips(c.clusterSums()).audit()
}

// exactKind is a kind with the number of ways instead of the chance.
type exactKind struct {
	x     []int64
	ways  []*big.Int
	count int
}

// count is the exact distribution of the statistic, in ways to deal.
type count struct {
	kinds    []exactKind
	observed int64
	total    *big.Int // ways over all kinds
	design   *big.Int // ways over all tasks
}

func countFlips(differences []int64) *count {
	a := &count{design: new(big.Int).Lsh(big.NewInt(1), uint(len(differences)))}
	index := map[int64]int{}
	one := big.NewInt(1)
	for _, x := range differences {
		a.observed += x
		x = max(x, -x)
		if x == 0 {
			continue
		}
		at, seen := index[x]
		if !seen {
			at = len(a.kinds)
			index[x] = at
			a.kinds = append(a.kinds, exactKind{x: []int64{-x, x}, ways: []*big.Int{one, one}})
		}
		a.kinds[at].count++
	}
	return a
}

// exactKind returns the ways to deal a hand.
func (s scale) exactKind(h hand) (k exactKind, err error) {
	values := h.values
	if values == nil {
		values = append(make([]int64, h.mb+h.mc-h.ones), slices.Repeat([]int64{1}, h.ones)...)
	}
	total := h.sum()
	if int64(h.mc)*total > auditWork/int64(len(values)) {
		return exactKind{}, fmt.Errorf("stats: a task of %d trials and %d reward steps is too large for an exact count, which needs fewer", len(values), total)
	}
	ways := exactSubsetSums(values, h.mc, total)
	mb, mc := int64(h.mb), int64(h.mc)
	for i, w := range ways {
		if w == nil {
			continue
		}
		candidate := int64(i)
		v := s.difference((total-candidate)*h.unit, candidate*h.unit, mb, mc)
		if n := len(k.x); n > 0 && k.x[n-1] == v {
			k.ways[n-1] = new(big.Int).Add(k.ways[n-1], w)
			continue
		}
		k.x, k.ways = append(k.x, v), append(k.ways, w)
	}
	return k, nil
}

// exactSubsetSums returns, by sum, the number of ways to take k of the values,
// nil for none.
func exactSubsetSums(values []int64, k int, total int64) []*big.Int {
	ways := make([][]*big.Int, k+1)
	for j := range ways {
		ways[j] = make([]*big.Int, total+1)
	}
	ways[0][0] = big.NewInt(1)
	for _, v := range values {
		for j := k; j >= 1; j-- {
			for s := v; s <= total; s++ {
				from := ways[j-1][s-v]
				if from == nil {
					continue
				}
				if ways[j][s] == nil {
					ways[j][s] = new(big.Int)
				}
				ways[j][s].Add(ways[j][s], from)
			}
		}
	}
	return ways[k]
}

// audit adds up the tails. The distribution is one big integer with a field of
// whole words for each value of the statistic, so that one multiplication of
// integers is a convolution.
func (a *count) audit() (Audit, error) {
	var step, low, high int64
	a.total = big.NewInt(1)
	for _, k := range a.kinds {
		last := len(k.x) - 1
		for _, x := range k.x {
			step = gcd(x-k.x[0], step)
		}
		low += k.x[0] * int64(k.count)
		high += k.x[last] * int64(k.count)
		a.total.Mul(a.total, new(big.Int).Exp(k.all(), big.NewInt(int64(k.count)), nil))
	}
	if len(a.kinds) == 0 {
		step = 1
	}
	words := a.total.BitLen()/bits.UintSize + 1
	places := (high-low)/step + 1
	if size := float64(places) * float64(words*bits.UintSize); size > auditBits {
		return Audit{}, fmt.Errorf("stats: an exact count needs %.0f bits, and at most %d are allowed: use fewer tasks or trials, or the test in floating point", size, auditBits)
	}
	all := big.NewInt(1)
	for _, k := range a.kinds {
		all.Mul(all, new(big.Int).Exp(k.packed(step, words), big.NewInt(int64(k.count)), nil))
	}
	at := int((a.observed - low) / step)
	upper, lower, top := new(big.Int), new(big.Int), new(big.Int)
	for i := range int(places) {
		field := field(all, i, words)
		if i >= at {
			upper.Add(upper, field)
		}
		if i <= at {
			lower.Add(lower, field)
		}
		top = field
	}
	out := Audit{
		Better:         fraction(upper, a.total),
		Worse:          fraction(lower, a.total),
		MinDesign:      fraction(big.NewInt(1), a.design),
		MinConditional: fraction(top, a.total),
	}
	out.TwoSided = twice(out.Better, out.Worse)
	return out, nil
}

// twice returns twice the smaller of two defined chances, at most 1.
func twice(better, worse Exact) Exact {
	p := better.r
	if p.Cmp(worse.r) > 0 {
		p = worse.r
	}
	p = new(big.Rat).Add(p, p)
	if one := big.NewRat(1, 1); p.Cmp(one) > 0 {
		p = one
	}
	return Exact{p}
}

// CautiousAudit is [Cautious] in exact fractions. Both audits must come from
// AuditSuite or AuditPopulation without an error.
func CautiousAudit(a, b Audit) Audit {
	larger := func(x, y Exact) Exact {
		if x.Above(y) {
			return x
		}
		return y
	}
	out := Audit{
		Better:         larger(a.Better, b.Better),
		Worse:          larger(a.Worse, b.Worse),
		MinDesign:      larger(a.MinDesign, b.MinDesign),
		MinConditional: larger(a.MinConditional, b.MinConditional),
	}
	out.TwoSided = twice(out.Better, out.Worse)
	return out
}

// all returns the number of ways to deal one task of the kind.
func (k exactKind) all() *big.Int {
	sum := new(big.Int)
	for _, w := range k.ways {
		sum.Add(sum, w)
	}
	return sum
}

// packed returns the distribution of one task as a big integer.
func (k exactKind) packed(step int64, words int) *big.Int {
	last := len(k.x) - 1
	buf := make([]big.Word, (int((k.x[last]-k.x[0])/step)+1)*words)
	for i, x := range k.x {
		copy(buf[int((x-k.x[0])/step)*words:], k.ways[i].Bits())
	}
	return new(big.Int).SetBits(buf)
}

// field returns the number in the i-th field.
func field(all *big.Int, i, words int) *big.Int {
	b := all.Bits()
	from := min(i*words, len(b))
	return new(big.Int).SetBits(slices.Clone(b[from:min(from+words, len(b))]))
}
