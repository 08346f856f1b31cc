package reporter

import (
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"
)

func TestBlock(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got, cut := block(in, 4096); got != want || cut {
			t.Errorf("%q: got %q (cut: %v), want %q", in, got, cut, want)
		}
	}
	check("plain\n\ttext ", "plain\n\ttext ")
	check("a\r\nb\rc\n", "a\nb\nc\n")
	check("\x1b[1;31mred\x1b[0m \x1b[?25lx\x1b[2Ky", "red xy")
	check("\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1bP1$r\u009cz", "link z")
	check("\x1b]0;never ends\nreward 0", "0;never ends\nreward 0") // an open sequence hides nothing
	check("\x1b[12", "")                                           // cut inside a sequence
	check("\x1b(Bx\x1bcy\x1b", "xy")
	check("\u009b31mred\u009d0;t\u009c.", "red.")
	check("nul \x00 bs \b vt \v del \x7f", "nul \ufffd bs \ufffd vt \ufffd del \ufffd")
	check("\xff\xfe|\xed\xa0\x80|\xc0\xaf", "\ufffd|\ufffd|\ufffd") // one mark for bytes that stand together
	check("\ufffe\uffff\ufffd", "\ufffd\ufffd\ufffd")
	check("\u202egnp.exe\u2066x\u2069", "[U+202E]gnp.exe[U+2066]x[U+2069]")
	check("\u0085\u2028\u2029\u0081", "\n\n\n\ufffd")
	check("👨‍👩‍👧 ❤️ e\u0301 试 מזהה \u200f", "👨‍👩‍👧 ❤️ e\u0301 试 מזהה \u200f")
	check("]]> <script> &amp;", "]]> <script> &amp;")
}

func TestBlockCuts(t *testing.T) {
	check := func(in string, limit int, head, tail string) {
		t.Helper()
		got, cut := block(in, limit)
		if !cut || len(got) > limit || !utf8.ValidString(got) || !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) || !strings.Contains(got, " bytes are cut out here ...]\n") {
			t.Errorf("cut: %v, %d bytes of at most %d, %.30q to %.30q", cut, len(got), limit, got, got[max(0, len(got)-30):])
		}
	}
	check("head"+strings.Repeat("x", 300)+"tail", 256, "headxx", "xxtail")
	check("h"+strings.Repeat("試", 200)+"t", 257, "h試", "試t") // never inside a character
	check("h"+strings.Repeat("試", 1000)+"t", 256, "h試", "試t")
	check("h"+strings.Repeat("\x00", 200)+"t", 256, "h\ufffd", "\ufffdt") // cleaning made it too long
	check("h"+strings.Repeat("\u202e", 2000)+"t", 300, "h[U+202E]", "[U+202E]t")
	got, _ := block(strings.Repeat("y", 12_000_000), 1000)
	if !strings.Contains(got, "\n[... 11,999,0") || !strings.Contains(got, " of 12,000,000 bytes are cut out here ...]\n") {
		t.Errorf("got %s", got)
	}
}

// 12 MB cost what the limit costs.
func TestBlockIsFast(t *testing.T) {
	if got := testing.AllocsPerRun(3, func() { block(bigOutput, 64<<10) }); got > 40 {
		t.Errorf("%v allocations", got)
	}
}

var bigOutput = strings.Repeat("\x1b[32mok\x1b[0m 試験 \x00\r\n", 600_000)

func BenchmarkBlock(b *testing.B) {
	b.SetBytes(int64(len(bigOutput)))
	for b.Loop() {
		block(bigOutput, 64<<10)
	}
}

func TestBlockLaws(t *testing.T) {
	law := func(s string, limit uint16) bool {
		got, _ := block(s, int(limit))
		again, cut := block(got, max(int(limit), 256))
		return lawful(got, max(int(limit), 256)) && again == got && !cut
	}
	if err := quick.Check(law, nil); err != nil {
		t.Error(err)
	}
}

// lawful reports whether every XML 1.0 reader takes s, in at most limit bytes.
func lawful(s string, limit int) bool {
	if len(s) > limit || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return false
		}
	}
	return true
}

func FuzzBlock(f *testing.F) {
	for _, s := range []string{"a\r\nb", "\x1b[31mred\x1b[0m", "\x1b]0;t\x07", "\xed\xa0\x80\xff", "\u202e\ufffe]]>", strings.Repeat("試", 400)} {
		f.Add(s, 300)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = max(256, limit%5000)
		got, cut := block(s, limit)
		if !lawful(got, limit) {
			t.Fatalf("%q", got)
		}
		if again, _ := block(got, limit); again != got {
			t.Fatalf("cleaned twice: %q and %q", got, again)
		}
		if len(s) > limit && !cut && len(got) > limit {
			t.Fatal("too long and not cut")
		}
		if one := line(s, limit); !lawful(one, limit) || strings.ContainsAny(one, "\n\t") {
			t.Fatalf("line: %q", one)
		}
	})
}
