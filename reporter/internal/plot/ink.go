package plot

import "math"

// ink is what something is drawn with: a class of the page, and how much of its
// colour covers the paper. It passes through gonum as a colour that no picture
// has, and becomes currentColor when the picture is rewritten.
type ink struct {
	class inkClass
	cover float64 // (0, 1]
}

type inkClass uint8

// The classes that a page gives a colour.
const (
	text   inkClass = iota // the colour of the text around
	muted                  // labels and notes
	faint                  // grid lines, frames
	accent                 // what was measured
)

var classNames = map[string]string{"#000000": "", "#010101": "muted", "#020202": "faint", "#030303": "accent"}

// RGBA returns the colour that stands for the ink: half a step above the class, so
// that it is the class again when its cover is divided out and the rest is cut
// off.
func (i ink) RGBA() (r, g, b, a uint32) {
	a = uint32(math.Round(i.cover * math.MaxUint16))
	v := uint32(math.Ceil((float64(i.class) + 0.5) * float64(a) / 255))
	return v, v, v, a
}

var (
	inkText   = ink{text, 1}
	inkMuted  = ink{muted, 1}
	inkFaint  = ink{faint, 1}
	inkAccent = ink{accent, 1}
)
