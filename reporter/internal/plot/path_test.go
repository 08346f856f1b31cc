package plot

import (
	"testing"

	"pgregory.net/rapid"
)

func TestShorterPath(t *testing.T) {
	for _, c := range [][2]string{
		{"M10,20L30,20L30,40L10,40Z", "M10 20h20v20h-20z"}, // absolute corners become steps
		{"M1,1L2,2M5,5L5,9", "M1 1l1 1m3 3v4"},             // a second line begins relative to the end of the first
		{"M1,1L2,1ZM1,3L1,4", "M1 1h1zm0 2v1"},             // and after z relative to where that began
		{"M0.333,0.666L1e-05,2", "M0.333,0.666L1e-05,2"},   // an exponent is left alone
		{"M1,2A3,3 0 1 1 4,5Z", "M1,2A3,3 0 1 1 4,5Z"},     // an arc too
		{"M0.123,-0.456L0.127,-0.456", "M0.12-0.46h0.01"},  // hundredths
		{"M1,1L1,1", "M1 1h0"},                             // a point is still a line
		{"", ""},
	} {
		if got := shorter(c[0]); got != c[1] {
			t.Errorf("%s: got %s, need %s", c[0], got, c[1])
		}
	}
}

// An ink comes back from gonum as its own class, however little it covers.
func TestInksSurviveTheirCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := ink{inkClass(rapid.IntRange(0, int(accent)).Draw(t, "class")), rapid.Float64Range(0.01, 1).Draw(t, "cover")}
		r, _, _, a := i.RGBA()
		if got := int(float64(r) * (255 / float64(a))); got != int(i.class) {
			t.Errorf("the class %d with cover %v comes back as %d", i.class, i.cover, got)
		}
	})
}
