package stats

import "math/big"

// PairedSE is the outcome of the rule "mean difference > k standard errors",
// decided without a square root: Left > Right, where with S1 the sum of the n
// differences and S2 that of their squares
//
//	Left  = S1^2 * (n-1+k^2)
//	Right = k^2 * n * S2
type PairedSE struct {
	// Accept is true when S1 is positive and Left > Right. When SEZero is set
	// it is true when S1 is positive.
	Accept bool
	Tie    bool // Left equals Right with S1 positive and an error that is not 0: not accepted
	SEZero bool // one difference, or all equal: the standard error is 0 and says nothing
	Left   Exact
	Right  Exact
}

// PairedSE applies the rule to the paired tasks, with k at least 0. Everything
// is undefined or false without a paired task and for a k that is undefined or
// negative.
func (c *Comparison) PairedSE(k Exact) PairedSE {
	if !c.ok || !k.Defined() || k.Sign() < 0 {
		return PairedSE{}
	}
	ds, unit := c.differences()
	first, second := sums(ds)
	n := int64(len(ds))
	kk := new(big.Rat).Mul(k.r, k.r)
	square := fraction(product(first, first), product(unit, unit)).r
	weight := new(big.Rat).Add(big.NewRat(n-1, 1), kk)
	left := square.Mul(square, weight)
	right := new(big.Rat).Mul(kk, fraction(product(big.NewInt(n), second), product(unit, unit)).r)

	r := PairedSE{Left: Exact{left}, Right: Exact{right}}
	r.SEZero = product(big.NewInt(n), second).Cmp(product(first, first)) == 0
	order := left.Cmp(right)
	r.Accept = first.Sign() > 0 && (r.SEZero || order > 0)
	r.Tie = first.Sign() > 0 && !r.SEZero && order == 0
	return r
}
