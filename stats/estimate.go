package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Estimate is a number that may not exist. Its zero value is undefined.
//
// An undefined estimate is null in JSON and a dash in print; it is never 0.
// Two estimates are equal under == when both are undefined or both hold the
// same number.
type Estimate struct {
	value   float64
	defined bool
}

// Defined returns the estimate that holds v. A NaN or an infinity is no
// estimate of anything: the result is then undefined.
func Defined(v float64) Estimate {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Estimate{}
	}
	return Estimate{value: v, defined: true}
}

// Undefined returns the estimate that holds no number.
func Undefined() Estimate { return Estimate{} }

// Value returns the number and whether there is one. The number is 0 when
// there is none.
func (e Estimate) Value() (float64, bool) { return e.value, e.defined }

// Defined reports whether there is a number.
func (e Estimate) Defined() bool { return e.defined }

// String returns the shortest decimal that reads back as the same number, or
// a dash.
func (e Estimate) String() string {
	if !e.defined {
		return "-"
	}
	return strconv.FormatFloat(e.value, 'g', -1, 64)
}

// Format returns the number with the given count of decimals, or a dash.
func (e Estimate) Format(decimals int) string {
	if !e.defined {
		return "-"
	}
	return strconv.FormatFloat(e.value, 'f', decimals, 64)
}

// MarshalJSON writes the number, or null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	if !e.defined {
		return []byte("null"), nil
	}
	return json.Marshal(e.value)
}

// UnmarshalJSON reads a number or null. Anything else is an error.
func (e *Estimate) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*e = Estimate{}
		return nil
	}
	var v float64
	if err := json.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("found %.40s, need a number or null", b)
	}
	*e = Defined(v)
	return nil
}
