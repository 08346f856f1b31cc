package stats

import (
	"encoding/json"
	"math"
	"testing"
)

func TestEstimateForms(t *testing.T) {
	check := func(e Estimate, text, fixed, form string) {
		t.Helper()
		b, err := json.Marshal(e)
		if e.String() != text || e.Format(2) != fixed || string(b) != form || err != nil {
			t.Errorf("got %s, %s, %s, %v; want %s, %s, %s", e, e.Format(2), b, err, text, fixed, form)
		}
		var back Estimate
		if err := json.Unmarshal(b, &back); err != nil || back != e {
			t.Errorf("%s read back as %v, %v", b, back, err)
		}
	}
	check(Defined(0), "0", "0.00", "0") // a measured zero is a number
	check(Defined(1.0/3), "0.3333333333333333", "0.33", "0.3333333333333333")
	check(Undefined(), "-", "-", "null")
	check(Defined(math.NaN()), "-", "-", "null") // no estimate of anything
	check(Defined(math.Inf(1)), "-", "-", "null")

	e := Defined(1)
	if err := json.Unmarshal([]byte(`"0.5"`), &e); err == nil || e != Defined(1) {
		t.Errorf("a string was read as %v", e)
	}
	if err := json.Unmarshal([]byte("null"), &e); err != nil || e.Defined() {
		t.Errorf("null over a number gives %v, %v", e, err)
	}
}
