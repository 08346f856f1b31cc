package plot

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Alt is what stands for a picture where it is not seen.
type Alt struct {
	ID    string // unique in the page; letters, digits and dashes
	Title string
	Desc  string
}

// area is the part of a picture that its axes span, in pixels from its top left.
type area struct{ left, top, right, bottom float64 }

// page draws in pixels from the top left of a picture. Its X and Y map values of
// the axes to pixels.
type page struct {
	c    draw.Canvas
	h    float64
	X, Y func(float64) float64
}

// picture draws a picture of w by h pixels. The axes span x and y over the area.
func picture(alt Alt, w, h float64, in area, x, y [2]float64, paint func(page)) (string, error) {
	p := plot.New()
	p.BackgroundColor = nil
	p.HideAxes()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x[0], x[1], y[0], y[1]
	canvas := vgsvg.New(vg.Length(w), vg.Length(h))
	whole := draw.New(canvas)
	p.Add(painter(func(c draw.Canvas, p *plot.Plot) {
		tx, ty := p.Transforms(&c)
		paint(page{
			c: whole, h: h,
			X: func(v float64) float64 { return float64(tx(v)) },
			Y: func(v float64) float64 { return h - float64(ty(v)) },
		})
	}))
	p.Draw(draw.Crop(whole, vg.Length(in.left), vg.Length(in.right-w), vg.Length(h-in.bottom), vg.Length(-in.top)))
	var raw bytes.Buffer
	if _, err := canvas.WriteTo(&raw); err != nil {
		return "", fmt.Errorf("plot: %w", err)
	}
	return rewrite(raw.Bytes(), alt)
}

// painter is a function that gonum calls to draw into the data area.
type painter func(draw.Canvas, *plot.Plot)

// Plot implements gonum's plot.Plotter.
func (f painter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// shape is a path in pixels from the top left.
type shape struct {
	h    float64
	path vg.Path
}

func (p page) shape() *shape { return &shape{h: p.h} }

func (s *shape) at(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(s.h - y)} }

// line adds the line through points, given as x, y, x, y and so on.
func (s *shape) line(xy ...float64) {
	s.path.Move(s.at(xy[0], xy[1]))
	for i := 2; i < len(xy); i += 2 {
		s.path.Line(s.at(xy[i], xy[i+1]))
	}
}

// polygon adds the closed line through points.
func (s *shape) polygon(xy ...float64) {
	s.line(xy...)
	s.path.Close()
}

func (s *shape) rect(x, y, w, h float64) { s.polygon(x, y, x+w, y, x+w, y+h, x, y+h) }

func (p page) stroke(s *shape, width float64, i ink, dash ...vg.Length) {
	if len(s.path) == 0 {
		return
	}
	p.c.SetLineWidth(vg.Length(width))
	p.c.SetLineDash(dash, 0)
	p.c.SetColor(i)
	p.c.Stroke(s.path)
	p.c.SetLineDash(nil, 0)
}

func (p page) fill(s *shape, i ink) {
	if len(s.path) == 0 {
		return
	}
	p.c.SetColor(i)
	p.c.Fill(s.path)
}

// The side of a point on which a text stands. A text begins with the rune of its
// side; the rewriting takes it off again. How wide a text is depends on the fonts
// of whoever looks at it, so only the point is fixed.
const (
	after  = '\ue000' // begins at the point
	around = '\ue001' // centred on the point
	before = '\ue002' // ends at the point
)

func (p page) text(x, y, size float64, i ink, side rune, s string) {
	p.c.SetColor(i)
	p.c.FillString(face(size, false), vg.Point{X: vg.Length(x), Y: vg.Length(p.h - y)}, string(side)+legal(s))
}

func (p page) bold(x, y, size float64, i ink, side rune, s string) {
	p.c.SetColor(i)
	p.c.FillString(face(size, true), vg.Point{X: vg.Length(x), Y: vg.Length(p.h - y)}, string(side)+legal(s))
}

// legal returns s with U+FFFD for every character that XML has none of.
func legal(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, s)
}

func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = 3 // of golang.org/x/image/font: bold
	}
	return font.DefaultCache.Lookup(font.From(f, vg.Length(size)), vg.Length(size))
}

// circle adds a circle of radius r.
func (s *shape) circle(x, y, r float64) {
	s.path.Move(s.at(x+r, y))
	s.path.Arc(s.at(x, y), vg.Length(r), 0, 2*math.Pi)
	s.path.Close()
}

// labelRoom is how wide the longest of the labels is, in the font that gonum
// knows, between least and most. A reader's font may be a little wider.
func labelRoom(labels []string, least, most float64) float64 {
	w := least
	f := face(labelSize, true)
	for _, s := range labels {
		w = max(w, 1.06*float64(f.Width(s)))
	}
	return math.Ceil(min(w, most))
}
