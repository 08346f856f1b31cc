package agentexec

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCaptureText(t *testing.T) {
	check := func(limit int, writes []string, want string, wantCut int64) {
		t.Helper()
		c := newCapture(limit)
		for _, w := range writes {
			if n, err := c.Write([]byte(w)); n != len(w) || err != nil {
				t.Fatalf("Write(%q) = %d, %v", w, n, err)
			}
		}
		if got, cut := c.text(); got != want || cut != wantCut {
			t.Errorf("%q kept as %q with %d cut, want %q with %d", writes, got, cut, want, wantCut)
		}
	}
	check(4, nil, "", 0)
	check(4, []string{"abcd"}, "abcd", 0)                   // exactly full
	check(4, []string{"abcde"}, "ab\n[1 bytes cut]\nde", 1) // one too many
	check(4, []string{"a", "b", "c", "d", "e"}, "ab\n[1 bytes cut]\nde", 1)
	check(4, []string{"abcdefghij"}, "ab\n[6 bytes cut]\nij", 6) // longer than both halves
	check(1, []string{"abc"}, "a\n[1 bytes cut]\nc", 1)          // a limit below 2 counts as 2
}

// However a text is cut into writes, its beginning and end are kept, what is cut
// is counted, and no more than the limit is held.
func TestCaptureLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		half := rapid.IntRange(1, 20).Draw(t, "half")
		writes := rapid.SliceOf(rapid.StringMatching(`[a-z]{0,30}`)).Draw(t, "writes")
		c := newCapture(2 * half)
		for _, w := range writes {
			_, _ = c.Write([]byte(w))
		}
		all := strings.Join(writes, "")
		want, wantCut := all, int64(0)
		if n := len(all); n > 2*half {
			wantCut = int64(n - 2*half)
			want = fmt.Sprintf("%s\n[%d bytes cut]\n%s", all[:half], wantCut, all[n-half:])
		}
		if got, cut := c.text(); got != want || cut != wantCut {
			t.Fatalf("got %q with %d cut, want %q with %d", got, cut, want, wantCut)
		}
		if held := len(c.head) + len(c.tail); held > 2*half {
			t.Fatalf("%d bytes held, limit %d", held, 2*half)
		}
	})
}

func TestLastWords(t *testing.T) {
	check := func(stderr, want string) {
		t.Helper()
		if got := (Result{Stderr: stderr}).lastWords(); got != want {
			t.Errorf("%.40q: got %q, want %q", stderr, got, want)
		}
	}
	check("", "")
	check(" \n\n", "")
	check("one\ntwo\n\n", ": two")
	check(strings.Repeat("é", 400), ": ... "+strings.Repeat("é", 150)) // 300 bytes, whole letters
	check("bad \xff byte", ": bad \uFFFD byte")
}
