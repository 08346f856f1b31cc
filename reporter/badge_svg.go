package reporter

import (
	"fmt"
	"math"
	"strings"
)

// BadgeSVG returns d as a badge of its own: SVG that needs no network, no font and
// no script. Its title, and what a screen reader says, carry the interval and the
// method by which it was computed.
func BadgeSVG(d Document) []byte {
	b := badgeOf(d)
	left, right := textUnits(b.label), textUnits(b.message)
	const pad, height = 6, 20
	edge := left + 2*pad
	total := edge + right + 2*pad
	says := xmlText(clipEnd(b.says, lineRunes))
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", total, height, total, height, says)
	fmt.Fprintf(&s, "<title>%s</title>\n", says)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="#444c56"/>`+"\n", edge, height)
	fmt.Fprintf(&s, `<rect x="%d" width="%d" height="%d" fill="%s"/>`+"\n", edge, total-edge, height, colors[b.state])
	s.WriteString(`<g fill="#ffffff" font-family="Verdana,DejaVu Sans,Liberation Sans,Arial,sans-serif" font-size="11" aria-hidden="true">` + "\n")
	// textLength makes every font as wide as the box was made for.
	fmt.Fprintf(&s, `<text x="%d" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n", pad, left, xmlText(b.label))
	fmt.Fprintf(&s, `<text x="%d" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n", edge+pad, right, xmlText(b.message))
	s.WriteString("</g>\n</svg>\n")
	return []byte(s.String())
}

// textUnits is about how wide s is at 11 units a line, at least 1.
func textUnits(s string) int {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune(" .,:;!|'ijlftr()[]I-", r):
			w += 4.6
		case 'A' <= r && r <= 'Z' || strings.ContainsRune("mwMW@%±…", r):
			w += 9
		default:
			w += 7 * float64(max(width(string(r)), 0))
		}
	}
	return max(1, int(math.Ceil(w)))
}
