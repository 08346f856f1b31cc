package evaltest

import "testing"

func TestScrub(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := scrub(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if again := scrub(scrub(in)); again != scrub(in) {
			t.Errorf("%q changes when it is scrubbed again: %q", in, again)
		}
	}
	check("<*int | 0xc000012345>: 0", "<*int | 0x…>: 0")
	check("Timed out after 0.031s.", "Timed out after (time).")
	check("after 1m2.5s, 3.25ms, 1h2m3.004s and 1.5µs", "after (time), (time), (time) and (time)")
	// What the user wrote stays: limits, short numbers, versions, sums.
	for _, text := range []string{"", "limit 30s", "after 5m", "0xff", "v1.2.3", "paid 12.50", "1.5 s", "took 3", "x1.5sharp"} {
		check(text, text)
	}
}
