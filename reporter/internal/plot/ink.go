package plot

import (
	"fmt"
	"math"
)

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

// RGBA returns the colour that stands for the ink. The value is the smallest that
// comes out as the class's again when its cover is divided out of it.
func (i ink) RGBA() (r, g, b, a uint32) {
	a = uint32(math.Round(i.cover * math.MaxUint16))
	v := uint32(math.Ceil(float64(i.class) * float64(a) / 255))
	return v, v, v, a
}

func (i ink) String() string { return fmt.Sprintf("#%02X%02X%02X", i.class, i.class, i.class) }

var (
	inkText   = ink{text, 1}
	inkMuted  = ink{muted, 1}
	inkFaint  = ink{faint, 1}
	inkAccent = ink{accent, 1}
)
