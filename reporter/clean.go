package reporter

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// An escape sequence: CSI, a string (OSC, DCS, SOS, PM, APC) up to its
// terminator, or two characters. Both the 7-bit and the 8-bit introducers.
var escapes = regexp.MustCompile(
	`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
		`|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}\x{9e}\x{9f}])[^\x07\x1b\x{9c}]*(?:\x07|\x1b\\|\x{9c}|$)` +
		`|\x1b[ -/]*[0-~]?`)

// maxMarks is how many combining marks may follow one character: enough for
// any script, too few to climb over the lines above.
const maxMarks = 3

// oneLine returns s as text that is safe in one line of a terminal. Escape
// sequences and invisible formatting (direction overrides, joiners, variation
// selectors) are dropped, runs of white space and control characters become one
// space, and bytes that are not UTF-8 become U+FFFD.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\x1b\u0090\u0098\u009b\u009d\u009e\u009f") {
		s = escapes.ReplaceAllString(s, "")
	}
	var b strings.Builder
	b.Grow(len(s))
	space, marks := false, 0
	for _, r := range s {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == '\u2028', r == '\u2029':
			space = true
			continue
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// width returns the columns that s takes in a terminal. It is the same under
// every locale.
func width(s string) int {
	return twwidth.WidthWithOptions(s, twwidth.Options{})
}

// shortenMiddle returns s in at most w columns. What does not fit is cut out
// of the middle, because ids tend to differ at their ends.
func shortenMiddle(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w < 3 {
		return head(s, w)
	}
	front := head(s, w/2)
	return front + "…" + tail(s, w-1-width(front))
}

// shortenEnd returns s in at most w columns. What does not fit is cut off.
func shortenEnd(s string, w int) string {
	if width(s) <= w {
		return s
	}
	return strings.TrimRight(head(s, w-1), " ") + "…"
}

// head returns the longest start of s that fits into w columns.
func head(s string, w int) string {
	used := 0
	for i, r := range s {
		if used += width(string(r)); used > w {
			return s[:i]
		}
	}
	return s
}

// tail returns the longest end of s that fits into w columns and does not begin
// with a mark that belongs to the character before it.
func tail(s string, w int) string {
	i, used := len(s), 0
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if used += width(string(r)); used > w {
			break
		}
		i -= n
	}
	return strings.TrimLeftFunc(s[i:], func(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) })
}

// wrap breaks s, one line, into lines of at most w columns, between words where
// it can. It returns at least one line. A no-break space keeps words together
// and is printed as a space.
func wrap(s string, w int) []string {
	w = max(w, 8)
	var lines []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		if word == "" {
			continue
		}
		word = strings.ReplaceAll(word, "\u00a0", " ")
		if line != "" && width(line)+1+width(word) <= w {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for width(word) > w {
			part := head(word, w)
			lines = append(lines, part)
			word = word[len(part):]
		}
		line = word
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
