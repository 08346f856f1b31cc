package cli

import (
	"strings"
	"testing"
)

// The tail of an output begins with a whole line.
func TestTail(t *testing.T) {
	check := func(text string, most int, want string) {
		t.Helper()
		if got := tail([]byte(text), most); got != want {
			t.Errorf("tail(%q, %d) = %q, want %q", text, most, got, want)
		}
	}
	check("", 10, "")
	check("\n all of it \n", 20, "all of it")
	check("first\nsecond\nthird\n", 9, "(13 bytes before this are left out)\nthird")
	check(strings.Repeat("x", 30), 10, "(20 bytes before this are left out)\n"+strings.Repeat("x", 10)) // one long line is cut
}
