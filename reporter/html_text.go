package reporter

import (
	"html/template"
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// dashMark stands where a number is undefined.
const dashMark = "–"

// htmlLine returns s as one clean line of at most w columns. No more of a long
// text is looked at than could be shown.
func htmlLine(s string, w int) string {
	if most := 16*w + 1024; len(s) > most {
		s = s[:most] + "…"
	}
	return shortenEnd(oneLine(s), w)
}

// htmlName returns an id as one clean line, a dash when there is nothing in it.
// What is cut out of a long one is cut out of its middle.
func htmlName(s string) string {
	const w = 160 // real ids have up to 120 characters
	if most := 16 * 1024; len(s) > 2*most {
		s = s[:most] + s[len(s)-most:]
	}
	if s = oneLine(s); s == "" {
		return dashMark
	}
	return shortenMiddle(s, w)
}

// htmlIsolate returns clean text for a page. What is written from right to left
// is kept from moving what stands beside it.
func htmlIsolate(s string) any {
	first := strings.IndexFunc(s, rightToLeft)
	if first < 0 {
		return s
	}
	var b strings.Builder
	for first >= 0 {
		end := first // after the last such letter before one of the other direction
		for i, r := range s[first:] {
			switch p, _ := bidi.LookupRune(r); p.Class() {
			case bidi.R, bidi.AL:
				end = first + i + len(string(r))
				continue
			case bidi.L, bidi.EN, bidi.AN:
			default:
				continue
			}
			break
		}
		b.WriteString(template.HTMLEscapeString(s[:first]) + "<bdi>" + template.HTMLEscapeString(s[first:end]) + "</bdi>")
		s = s[end:]
		first = strings.IndexFunc(s, rightToLeft)
	}
	b.WriteString(template.HTMLEscapeString(s))
	return template.HTML(b.String())
}

func rightToLeft(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// shownSentences is how many sentences a list of the page holds.
const shownSentences = 100

// htmlSentences cleans sentences and bounds how many there are.
func htmlSentences(all []string) []any {
	var out []any
	for i, s := range all {
		if i == shownSentences {
			return append(out, count(float64(len(all)-i))+" more are not shown")
		}
		out = append(out, htmlIsolate(htmlLine(s, 600)))
	}
	return out
}

// htmlNotices arranges what speaks against numbers.
func htmlNotices(ns []Notice) []any {
	var all []string
	for _, n := range ns {
		all = append(all, htmlLine(n.Text, 500)+" ("+named(n.Code)+")")
	}
	return htmlSentences(all)
}

// The numbers of a page are those of a text, with the dash and the minus of print.

func htmlShare(n number) string { return htmlMinus(share(n, 3)) }

func htmlDifference(n number) string { return htmlMinus(difference(n)) }

func htmlChance(n number) string {
	if _, ok := n.Value(); !ok {
		return dashMark
	}
	return chance(n)
}

// htmlOf is a count of a count.
func htmlOf(n, of int) string { return count(float64(n)) + " of " + count(float64(of)) }

func htmlMinus(s string) string {
	if s == "-" {
		return dashMark
	}
	return strings.Replace(s, "-", "−", 1)
}

// htmlRange is an interval in words that need no symbol for a range: low to high.
func htmlRange(low, high number, show func(number) string) string {
	if _, ok := low.Value(); !ok {
		return dashMark
	}
	return show(low) + " to " + show(high)
}
