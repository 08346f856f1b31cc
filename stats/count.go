package stats

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
)

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
	var factors []*big.Int
	for _, k := range a.kinds {
		factors = append(factors, new(big.Int).Exp(k.packed(step, words), big.NewInt(int64(k.count)), nil))
	}
	all := balanced(factors)
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

// balanced returns the product of the factors, which are each used up, with
// those of like size multiplied first: many small steps would be far slower.
func balanced(factors []*big.Int) *big.Int {
	if len(factors) == 0 {
		return big.NewInt(1)
	}
	size := func(a, b *big.Int) int { return cmp.Compare(a.BitLen(), b.BitLen()) }
	slices.SortFunc(factors, size)
	for len(factors) > 1 {
		f := factors[0].Mul(factors[0], factors[1])
		factors = factors[2:]
		at, _ := slices.BinarySearchFunc(factors, f, size)
		factors = slices.Insert(factors, at, f)
	}
	return factors[0]
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
