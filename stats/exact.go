package stats

import (
	"math"
	"math/big"
	"math/bits"
)

// wide is an unsigned integer of 192 bits, least significant word first. It
// holds the sums of squares of a million tasks without overflow.
type wide [3]uint64

// add adds the 128 bits hi:lo.
func (w *wide) add(hi, lo uint64) {
	var carry uint64
	w[0], carry = bits.Add64(w[0], lo, 0)
	w[1], carry = bits.Add64(w[1], hi, carry)
	w[2] += carry
}

// big returns the same integer as a big.Int.
func (w *wide) big() *big.Int {
	z := new(big.Int).SetUint64(w[2])
	z.Lsh(z, 64).Add(z, whole(w[1]))
	return z.Lsh(z, 64).Add(z, whole(w[0]))
}

// whole returns n as a big.Int.
func whole(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// product returns the product of the factors, 1 for none.
func product(factors ...*big.Int) *big.Int {
	z := big.NewInt(1)
	for _, f := range factors {
		z.Mul(z, f)
	}
	return z
}

// lcm returns the least common multiple of two positive integers.
func lcm(a, b *big.Int) *big.Int {
	z := new(big.Int).GCD(nil, nil, a, b)
	z.Quo(a, z)
	return z.Mul(z, b)
}

// exactFloat is the first integer above which float64 skips integers.
const exactFloat = 1 << 53

// ratio returns the float64 nearest to num/den. den must not be 0.
func ratio(num, den uint64) float64 {
	if num <= exactFloat && den <= exactFloat {
		return float64(num) / float64(den) // both are exact, so this rounds once
	}
	if num == 0 {
		return 0
	}
	ln, ld := bits.LeadingZeros64(num), bits.LeadingZeros64(den)
	num, den = num<<ln, den<<ld
	quo, rem := bits.Div64(num>>1, num<<63, den) // 63 or 64 bits of the quotient
	if rem != 0 {
		quo |= 1 // far below the last bit kept: breaks ties, changes nothing else
	}
	return math.Ldexp(float64(quo), ld-ln-63)
}

// nearest returns the float64 nearest to num/den for num >= 0 and den > 0.
func nearest(num, den *big.Int) float64 {
	if num.Sign() == 0 {
		return 0
	}
	if num.IsUint64() && den.IsUint64() {
		return ratio(num.Uint64(), den.Uint64())
	}
	shift := 63 + den.BitLen() - num.BitLen() // the quotient then has 63 or 64 bits
	scaledNum, scaledDen := num, den
	if shift > 0 {
		scaledNum = new(big.Int).Lsh(num, uint(shift))
	} else {
		scaledDen = new(big.Int).Lsh(den, uint(-shift))
	}
	quo, rem := new(big.Int).QuoRem(scaledNum, scaledDen, new(big.Int))
	bottom := quo.Uint64()
	if rem.Sign() != 0 {
		bottom |= 1
	}
	return math.Ldexp(float64(bottom), -shift)
}

// root returns the square root of num/den as an estimate.
func root(num, den *big.Int) Estimate { return Defined(math.Sqrt(nearest(num, den))) }
