package stats

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// Exact is a rational number that may not exist: a difference of rewards, a
// threshold, an exact p-value. Its zero value is undefined.
//
// Comparisons with an undefined number are false both ways. Two Exacts are not
// to be compared with ==.
type Exact struct{ r *big.Rat }

// Rational returns the Exact that holds r, or an undefined one for nil. Later
// changes to r do not reach it.
func Rational(r *big.Rat) Exact {
	if r == nil {
		return Exact{}
	}
	return Exact{new(big.Rat).Set(r)}
}

// fraction returns num/den. den must not be 0.
func fraction(num, den *big.Int) Exact { return Exact{new(big.Rat).SetFrac(num, den)} }

// longestDecimal is the length up to which a decimal is read: enough for any
// threshold, and too short to be expensive.
const longestDecimal = 64

// ParseDecimal reads a threshold such as "0.05", "-1" or "+.5" without
// rounding it. Exponents, fractions, NaN and infinities are errors.
func ParseDecimal(s string) (Exact, error) {
	digits := strings.TrimLeft(s, "+-")
	whole, part, _ := strings.Cut(digits, ".")
	number := whole + part
	if len(s)-len(digits) > 1 || len(s) > longestDecimal || number == "" || strings.Trim(number, "0123456789") != "" {
		return Exact{}, fmt.Errorf("found %.80q, need a decimal number such as 0.05, of at most %d characters", s, longestDecimal)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return Exact{}, fmt.Errorf("found %.80q, need a decimal number such as 0.05", s)
	}
	return Exact{r}, nil
}

// Defined reports whether there is a number.
func (e Exact) Defined() bool { return e.r != nil }

// Rat returns a copy of the number, or nil.
func (e Exact) Rat() *big.Rat {
	if e.r == nil {
		return nil
	}
	return new(big.Rat).Set(e.r)
}

// Estimate returns the float64 nearest to the number.
func (e Exact) Estimate() Estimate {
	if e.r == nil {
		return Undefined()
	}
	v := nearest(new(big.Int).Abs(e.r.Num()), e.r.Denom())
	if e.r.Sign() < 0 {
		v = -v
	}
	return Defined(v)
}

// Sign returns -1, 0 or 1, and 0 for an undefined number as well.
func (e Exact) Sign() int {
	if e.r == nil {
		return 0
	}
	return e.r.Sign()
}

// Neg returns the number with its sign changed.
func (e Exact) Neg() Exact {
	if e.r == nil {
		return e
	}
	return Exact{new(big.Rat).Neg(e.r)}
}

// Above reports whether e > o. It is false when either is undefined.
func (e Exact) Above(o Exact) bool { return e.r != nil && o.r != nil && e.r.Cmp(o.r) > 0 }

// AtLeast reports whether e >= o. It is false when either is undefined.
func (e Exact) AtLeast(o Exact) bool { return e.r != nil && o.r != nil && e.r.Cmp(o.r) >= 0 }

// String returns the number in lowest terms, as in "-5/9" or "0/1", or a dash.
func (e Exact) String() string {
	if e.r == nil {
		return "-"
	}
	return e.r.String()
}

// MarshalJSON writes the fraction as a string, or null.
func (e Exact) MarshalJSON() ([]byte, error) {
	if e.r == nil {
		return []byte("null"), nil
	}
	return json.Marshal(e.r.String())
}

// slack is the relative amount by which a p-value in floating point may exceed
// alpha and still be taken for equal to it.
var slack = big.NewRat(1_000_000_001, 1_000_000_000)

// Reaches reports whether a p-value is at most alpha: p <= alpha*(1+1e-9), so
// that an exact 1/20 held as a float64 reaches "0.05". It is false when either
// is undefined.
func Reaches(p Estimate, alpha Exact) bool {
	v, ok := p.Value()
	return ok && Rational(new(big.Rat).SetFloat64(v)).Reaches(alpha)
}

// Reaches reports whether an exact p-value is at most alpha, with the same
// allowance as the function, so that both ways of computing p decide alike.
func (e Exact) Reaches(alpha Exact) bool {
	if e.r == nil || alpha.r == nil {
		return false
	}
	return e.r.Cmp(new(big.Rat).Mul(alpha.r, slack)) <= 0
}
