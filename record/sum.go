package record

import (
	"math"
	"math/big"
)

// total adds numbers without rounding, so that their order cannot show in the
// sum. It holds at most 2^30 numbers.
type total struct {
	limbs [70]int64 // limb i counts units of 2^(32i-1074)
}

func (t *total) add(v float64) {
	bits := math.Float64bits(v)
	exp := int(bits >> 52 & 0x7ff)
	mant := bits & (1<<52 - 1)
	if exp == 0 {
		exp = 1
	} else {
		mant |= 1 << 52
	}
	if mant == 0 {
		return
	}
	at, shift := (exp-1)/32, uint(exp-1)%32
	low := mant << shift
	high := mant >> 1 >> (63 - shift)
	sign := int64(1)
	if bits>>63 == 1 {
		sign = -1
	}
	t.limbs[at] += sign * int64(low&0xffffffff)
	t.limbs[at+1] += sign * int64(low>>32)
	t.limbs[at+2] += sign * int64(high)
}

// value returns the sum, rounded once. A sum that no float64 can hold is the
// largest one.
func (t *total) value() float64 {
	sum := new(big.Int)
	for i := len(t.limbs) - 1; i >= 0; i-- {
		sum.Lsh(sum, 32)
		sum.Add(sum, big.NewInt(t.limbs[i]))
	}
	f := new(big.Float).SetInt(sum)
	v, _ := f.SetMantExp(f, -1074).Float64()
	return max(-math.MaxFloat64, min(math.MaxFloat64, v))
}
