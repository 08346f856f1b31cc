package reporter

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// block returns s as text of many lines that every XML 1.0 reader takes, in at
// most limit bytes of UTF-8, and whether something was cut out of it. Escape
// sequences are dropped, line ends become \n, and what no XML 1.0 document may
// hold (control characters, bytes that are not UTF-8, U+FFFE and U+FFFF) becomes
// U+FFFD. Characters that turn the direction of what follows stand by their
// number.
//
// What does not fit is cut out of the middle, between characters; a line says how
// much that was. The time does not grow with what is cut. A limit below 256
// counts as 256.
func block(s string, limit int) (string, bool) {
	limit = max(limit, 256)
	if len(s) <= 4*limit {
		c := cleanBlock(s)
		if len(c) <= limit {
			return c, false
		}
		return cutMiddle(c, c, len(c), limit), true
	}
	front, back := 2*limit, len(s)-2*limit
	for front > 0 && !utf8.RuneStart(s[front]) && front > 2*limit-utf8.UTFMax {
		front--
	}
	for back < len(s) && !utf8.RuneStart(s[back]) && back < len(s)-2*limit+utf8.UTFMax {
		back++
	}
	return cutMiddle(cleanBlock(s[:front]), cleanBlock(s[back:]), len(s), limit), true
}

// cutMiddle joins the start of front and the end of back. Size is how many bytes
// there were.
func cutMiddle(front, back string, size, limit int) string {
	mark := func(cut int) string {
		return fmt.Sprintf("\n[... %s of %s bytes are cut out here ...]\n", count(float64(cut)), count(float64(size)))
	}
	room := limit - len(mark(size))
	front = firstBytes(front, (room+1)/2)
	back = lastBytes(back, room/2)
	return front + mark(size-len(front)-len(back)) + back
}

// firstBytes returns the longest start of s in at most n bytes that ends between
// characters.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// lastBytes returns the longest end of s in at most n bytes that begins between
// characters.
func lastBytes(s string, n int) string {
	at := len(s) - n
	if at <= 0 {
		return s
	}
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// plain reports whether a byte stands for itself in any text.
func plain(c byte) bool { return c >= ' ' && c < 0x7f || c == '\n' || c == '\t' }

func cleanBlock(s string) string {
	i := 0
	for i < len(s) && plain(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for i < len(s) {
		from := i
		for i < len(s) && plain(s[i]) {
			i++
		}
		b.WriteString(s[from:i])
		if i < len(s) {
			i += cleanRune(&b, s[i:])
		}
	}
	return b.String()
}

// cleanRune writes what becomes of the start of s, and returns how many bytes of
// s that was.
func cleanRune(b *strings.Builder, s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\r':
		b.WriteByte('\n')
		if strings.HasPrefix(s, "\r\n") {
			return 2
		}
	case r == utf8.RuneError && n <= 1:
		b.WriteRune(utf8.RuneError)
		for n < len(s) { // one mark for bytes that stand together
			if r, size := utf8.DecodeRuneInString(s[n:]); r != utf8.RuneError || size > 1 {
				break
			}
			n++
		}
	case r == 0x1b, introduces(r):
		return escapeLen(s, r, n)
	case r == 0x85, r == 0x2028, r == 0x2029:
		b.WriteByte('\n')
	case r < 0xa0, r == 0xfffe, r == 0xffff: // plain bytes do not come here
		b.WriteRune(utf8.RuneError)
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		b.WriteString("[U+" + strings.ToUpper(strconv.FormatInt(int64(r), 16)) + "]")
	default:
		b.WriteString(s[:n])
	}
	return n
}

// introduces reports whether one character begins an escape sequence: CSI, or a
// string (DCS, SOS, OSC, PM, APC).
func introduces(r rune) bool {
	switch r {
	case 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f:
		return true
	}
	return false
}

// The longest that parts of an escape sequence may be. A sequence without its end
// must not hide the text that follows.
const (
	maxControl = 128
	maxString  = 64 << 10
)

// escapeLen returns the length of the escape sequence that s begins with. Its
// first character is r, of n bytes.
func escapeLen(s string, r rune, n int) int {
	kind := r
	if r == 0x1b {
		if len(s) == n {
			return n
		}
		switch s[n] {
		case '[':
			kind, n = 0x9b, n+1
		case ']', 'P', 'X', '^', '_':
			kind, n = 0x9d, n+1
		}
	}
	switch kind {
	case 0x1b: // any other: intermediates, then one character
		i := spanOf(s, n, ' ', '/')
		if i < len(s) && s[i] >= '0' && s[i] <= '~' {
			i++
		}
		return i
	case 0x9b:
		i := spanOf(s, spanOf(s, n, '0', '?'), ' ', '/')
		if i < len(s) && s[i] >= '@' && s[i] <= '~' {
			i++
		}
		return i
	}
	for i := n; i < min(len(s), n+maxString) && s[i] != '\n'; i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		case s[i] == 0x1b:
			return i
		}
	}
	return n // without an end it is text
}

// spanOf returns where the bytes of s from i on are no longer between low and
// high.
func spanOf(s string, i int, low, high byte) int {
	end := min(len(s), i+maxControl)
	for i < end && s[i] >= low && s[i] <= high {
		i++
	}
	return i
}

// line returns s as one clean line that every XML 1.0 reader takes, in at most
// limit bytes.
func line(s string, limit int) string {
	for i := 0; ; i++ {
		if i == len(s) {
			if i <= limit && !strings.HasPrefix(s, " ") && !strings.HasSuffix(s, " ") {
				return s
			}
			break
		}
		if s[i] < ' ' || s[i] >= 0x7f || s[i] == ' ' && i > 0 && s[i-1] == ' ' {
			break
		}
	}
	if len(s) > 16*limit { // marks and escapes may go, so look further than the limit
		s = firstBytes(s, 16*limit)
	}
	s = strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, oneLine(s))
	if len(s) <= limit {
		return s
	}
	return strings.TrimRight(firstBytes(s, limit-len("…")), " ") + "…"
}
