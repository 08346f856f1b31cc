package reporter

import (
	"strconv"
	"testing"
)

// fixed is a number that exists.
type fixed float64

func (f fixed) Value() (float64, bool) { return float64(f), true }

func (f fixed) Format(decimals int) string { return strconv.FormatFloat(float64(f), 'f', decimals, 64) }

// none is a number that does not.
type none struct{}

func (none) Value() (float64, bool) { return 0, false }

func (none) Format(int) string { return "-" }

func TestNumbers(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	check(share(fixed(0), 3), "0.000")
	check(share(fixed(1), 3), "1.000")
	check(share(fixed(0.0004), 3), "<0.001")   // measured, and not 0
	check(share(fixed(0.9996), 3), ">0.999")   // 1999 of 2000 is not all
	check(share(fixed(0.99949), 3), "0.999")   // rounds down by itself
	check(share(fixed(0.0005001), 3), "0.001") // rounds up by itself
	check(share(none{}, 3), "-")

	check(mark(fixed(0)), "0")
	check(mark(fixed(1)), "1")
	check(mark(fixed(0.5)), "0.5")
	check(mark(fixed(1.0/3)), "0.33")
	check(mark(fixed(0.004)), "<0.01")
	check(mark(fixed(0.996)), ">0.99")
	check(mark(none{}), "·") // never a 0

	check(money(1234567.891), "$1,234,567.89")
	check(money(0.57314), "$0.5731")
	check(money(0.00001), "<$0.0001")
	check(count(999), "999")
	check(count(1000), "1,000")
	check(span(0.84), "800ms")
	check(span(3725.4), "1h2m5s")
	check(percent(0.95), "95%")
	check(percent(0.995), "99.5%")
}

func TestShortening(t *testing.T) {
	for _, s := range []string{"abcdefghijkl", "試試試試試試試", "ae\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", ""} {
		for w := 1; w < 20; w++ {
			for _, short := range []func(string, int) string{shortenMiddle, shortenEnd} {
				if got := short(s, w); width(got) > w {
					t.Errorf("%q in %d columns: got %q", s, w, got)
				}
			}
		}
	}
	if got := shortenMiddle("task-000-of-suite-x", 9); got != "task…te-x" { // 4 and 4 around the cut
		t.Errorf("got %q", got)
	}
}
