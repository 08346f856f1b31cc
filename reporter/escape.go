package reporter

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// This file holds what stands between a text from outside and a form that gives
// characters a meaning. A text is cleaned, then cut, then escaped: never in
// another order, or a cut would split an escape.

// clean returns s on one line, as oneLine does, without marks that would settle
// on whatever is printed before it, and without what is no character of XML.
func clean(s string) string {
	s = noncharacters.Replace(oneLine(s))
	return strings.TrimLeftFunc(s, func(r rune) bool { return r == ' ' || unicode.Is(unicode.M, r) })
}

var noncharacters = strings.NewReplacer("\ufffe", "\ufffd", "\uffff", "\ufffd")

// clipEnd returns at most n runes of s, which is clean. What does not fit is cut
// off between two characters as a reader sees them.
func clipEnd(s string, n int) string {
	if !longer(s, n) {
		return s
	}
	return strings.TrimRight(s[:front(s, n-1)], " ") + "…"
}

// clipMiddle returns at most n runes of s, which is clean. What does not fit is
// cut out of the middle, because ids tend to differ at their ends.
func clipMiddle(s string, n int) string {
	if !longer(s, n) {
		return s
	}
	return s[:front(s, n/2)] + "…" + s[back(s, n-1-n/2):]
}

// longer reports whether s has more than n runes.
func longer(s string, n int) bool {
	return len(s) > n && utf8.RuneCountInString(s[:min(len(s), utf8.UTFMax*(n+1))]) > n
}

// front returns how many bytes of s its first n runes take, or somewhat fewer: a
// character of several runes is not split unless it alone is longer.
func front(s string, n int) int {
	size, runes := 0, 0
	for it := graphemes.FromString(s[:ahead(s, n+1)]); it.Next(); {
		if runes += utf8.RuneCountInString(it.Value()); runes > n {
			break
		}
		size += len(it.Value())
	}
	if size == 0 {
		return ahead(s, n)
	}
	return size
}

// back returns where the last n runes of s begin, or somewhat later.
func back(s string, n int) int {
	at := len(s)
	for range n + 8 { // a few more, to see where a character begins
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	left := utf8.RuneCountInString(s[at:])
	for it := graphemes.FromString(s[at:]); left > n && it.Next(); {
		left -= utf8.RuneCountInString(it.Value())
		at += len(it.Value())
	}
	return at
}

// ahead returns how many bytes the first n runes of s take.
func ahead(s string, n int) int {
	for i := range s {
		if n--; n < 0 {
			return i
		}
	}
	return len(s)
}

// guardMark is a zero width space: it stands within what a forge would turn into
// a link, a mention or a picture. A clean text has none of its own.
const guardMark = "\u200b"

// guard puts a guardMark into everything that a forge looks for in text after it
// has read the markup, so that no escape of the markup keeps it off: @name,
// #12 and GH-12, the hash of a commit, the address of a page or a mailbox, :name:
// of an emoji, and formulas between $.
func guard(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c, rest := s[i], s[i+1:]
		switch {
		case alnum(c):
			n := 1
			for n < len(s)-i && alnum(s[i+n]) {
				n++
			}
			b.WriteString(guardWord(s[i:i+n], s[i+n:]))
			i += n
			continue
		case c == '$':
			b.WriteString(guardMark + "$")
		case c == '@' && rest != "", c == '#' && startsAlnum(rest), c == ':' && (strings.HasPrefix(rest, "//") || shortcode.MatchString(rest)):
			b.WriteByte(c)
			b.WriteString(guardMark)
		case c == '-' && startsAlnum(rest) && i >= 2 && strings.EqualFold(s[i-2:i], "gh"):
			b.WriteString("-" + guardMark)
		default:
			b.WriteByte(c)
		}
		i++
	}
	return b.String()
}

// The names of emoji hold a letter or a sign; two are numbers.
var shortcode = regexp.MustCompile(`^(?:100|1234|[0-9_]*[A-Za-z+-][A-Za-z0-9_+-]*):`)

// minHash is the length from which a forge takes hexadecimal digits for a commit.
const minHash = 7

// guardWord guards letters and digits that after follows.
func guardWord(word, after string) string {
	if strings.EqualFold(word, "www") && strings.HasPrefix(after, ".") {
		return word + guardMark
	}
	if len(word) < minHash || strings.Trim(word, "0123456789abcdefABCDEF") != "" {
		return word
	}
	var b strings.Builder
	for len(word) >= minHash {
		b.WriteString(word[:minHash-1] + guardMark)
		word = word[minHash-1:]
	}
	return b.String() + word
}

func alnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func startsAlnum(s string) bool { return s != "" && alnum(s[0]) }

// markdownText returns s, which is clean, as markdown that reads as s: in a
// paragraph, behind the mark of a list and in the cell of a table.
func markdownText(s string) string {
	s = guard(s)
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	digits := leadingDigits(s)
	for i := range len(s) {
		switch c := s[i]; c {
		case '|': // a backslash before it would depend on what else stands before it
			b.WriteString("&#124;")
		case '\\':
			b.WriteString("&#92;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '`', '*', '_', '~', '[', ']', '#', '$':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '-', '+', '=', ':': // a list, a rule, a heading's underline
			if i == 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case '.', ')': // a numbered list
			if i == digits {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// angles escapes the signs that a number may begin with.
var angles = strings.NewReplacer("<", "&lt;", ">", "&gt;")

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// markdownCode returns s, which is clean, as a code span in the cell of a table:
// it reads and copies as s, and a forge looks for no mention and no link in it.
func markdownCode(s string) string {
	if s == "" {
		return ""
	}
	if strings.Contains(s, `\`) && strings.Contains(s, "|") {
		return markdownText(s) // readers differ on which of the two the table takes
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// htmlText returns s, which is clean, as text within an element of HTML.
func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(guard(s))
}

// xmlText returns s as character data or the value of an attribute. Characters
// that XML has no place for become U+FFFD.
func xmlText(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer does not fail
	return b.String()
}

// legacy is how commands of runners begin that are found anywhere in a line.
var legacy = regexp.MustCompile(`##([A-Za-z]*\[)`)

// commandData returns s, which is clean, as the message of a workflow command.
func commandData(s string) string {
	s = legacy.ReplaceAllString(s, "# #$1")
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// commandProperty returns s, which is clean, as a property of a workflow command.
func commandProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandData(s))
}
