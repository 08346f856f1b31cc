package plot

import (
	"math"

	"gonum.org/v1/plot"
)

// Forest is a forest plot of changes: one row each, and the change of the whole
// with its interval as a diamond below them.
type Forest struct {
	Alt    Alt
	Header [2]string // above the labels, and above the texts at the right
	Rows   []Effect  // from top to bottom
	// Gap says what is left out between the rows before GapAt and the others;
	// "" where nothing is.
	Gap   string
	GapAt int
	Whole *Whole // nil draws none
	Worse string // what a change to the left is
	Axis  string
	Right string // what a change to the right is
}

// Effect is one row of a forest plot.
type Effect struct {
	Label  string
	Text   string // the change in figures
	Change float64
	Spread float64 // half the length of the bar; 0 or less draws none
	// Marked rows have a filled diamond and a bold label instead of a ring.
	Marked bool
}

// Whole is the last row of a forest plot.
type Whole struct {
	Label, Text       string
	Low, Change, High float64 // equal where there is no interval
}

const (
	forestAxis   = 400 // the width of the axis
	forestFigure = 150 // room for the change in figures
	labelMost    = 240 // room for labels
	labelGap     = 16
	forestRow    = 22
	forestHeader = 30
	forestFooter = 52
	labelSize    = 12
	noteSize     = 11
)

// SVG draws the plot.
func (f Forest) SVG() (string, error) {
	rows := len(f.Rows)
	if f.Gap != "" {
		rows++
	}
	foot := float64(forestHeader + rows*forestRow)
	bottom := foot
	if f.Whole != nil {
		bottom += forestRow + 12
	}
	lo, hi := f.span()
	names := []string{f.Header[0]}
	for _, e := range f.Rows {
		names = append(names, e.Label)
	}
	if f.Whole != nil {
		names = append(names, f.Whole.Label)
	}
	left := labelRoom(names, 60, labelMost) + labelGap
	in := area{left, forestHeader, left + forestAxis, bottom}
	return picture(f.Alt, in.right+forestFigure, bottom+forestFooter, in, [2]float64{lo, hi}, [2]float64{0, 1}, func(p page) {
		f.scale(p, in, lo, hi)
		p.text(in.left-labelGap, 16, noteSize, inkMuted, before, f.Header[0])
		p.text(in.right+forestFigure, 16, noteSize, inkMuted, before, f.Header[1])
		y := float64(forestHeader) + forestRow/2
		for i, e := range f.Rows {
			if f.Gap != "" && i == f.GapAt {
				p.text((in.left+in.right)/2, y+4, noteSize, inkMuted, around, f.Gap)
				y += forestRow
			}
			e.draw(p, in, y)
			y += forestRow
		}
		if f.Gap != "" && f.GapAt >= len(f.Rows) {
			p.text((in.left+in.right)/2, y+4, noteSize, inkMuted, around, f.Gap)
		}
		if f.Whole != nil {
			f.Whole.draw(p, in, foot+6)
		}
	})
}

// span is what the horizontal axis spans: everything drawn, and 0.
func (f Forest) span() (lo, hi float64) {
	for _, e := range f.Rows {
		s := max(e.Spread, 0)
		lo, hi = min(lo, e.Change-s), max(hi, e.Change+s)
	}
	if w := f.Whole; w != nil {
		lo, hi = min(lo, w.Low, w.Change), max(hi, w.High, w.Change)
	}
	if lo == hi {
		lo, hi = -1, 1
	}
	room := (hi - lo) * 0.04
	return lo - room, hi + room
}

// scale draws the axis: a line for each tick, the one at 0 in the colour of text.
// Where rows are left out the lines are broken.
func (f Forest) scale(p page, in area, lo, hi float64) {
	grid, zero := p.shape(), p.shape()
	line := func(s *shape, x float64) {
		if f.Gap == "" {
			s.line(x, forestHeader-6, x, in.bottom)
			return
		}
		at := float64(forestHeader + f.GapAt*forestRow)
		s.line(x, forestHeader-6, x, at+2)
		s.line(x, at+forestRow-2, x, in.bottom)
	}
	for _, t := range (plot.DefaultTicks{}).Ticks(lo, hi) {
		if t.IsMinor() {
			continue
		}
		x := math.Round(p.X(t.Value)*2) / 2
		if t.Value == 0 {
			line(zero, x)
		} else {
			line(grid, x)
		}
		p.text(x, in.bottom+16, noteSize, inkMuted, around, signed(t.Label, t.Value))
	}
	p.stroke(grid, 1, inkFaint)
	p.stroke(zero, 1, inkText)
	p.text(in.left, in.bottom+36, noteSize, inkMuted, after, "← "+f.Worse)
	p.text((in.left+in.right)/2, in.bottom+36, noteSize, inkMuted, around, f.Axis)
	p.text(in.right, in.bottom+36, noteSize, inkMuted, before, f.Right+" →")
}

// signed gives the label of a tick its sign.
func signed(label string, v float64) string {
	switch {
	case v > 0:
		return "+" + label
	case v < 0:
		return "−" + label[1:]
	}
	return "0"
}

func (e Effect) draw(p page, in area, y float64) {
	x := p.X(e.Change)
	if e.Spread > 0 {
		bar := p.shape()
		lo, hi := p.X(e.Change-e.Spread), p.X(e.Change+e.Spread)
		bar.line(lo, y, hi, y)
		bar.line(lo, y-3, lo, y+3)
		bar.line(hi, y-3, hi, y+3)
		p.stroke(bar, 1.25, inkAccent)
	}
	dot := p.shape()
	if e.Marked {
		diamond(dot, x, y, 5.5)
		p.fill(dot, inkAccent)
		p.bold(in.left-labelGap, y+4, labelSize, inkText, before, e.Label)
	} else {
		dot.circle(x, y, 3.5)
		p.fill(dot, ink{accent, 0.35})
		p.stroke(dot, 1.5, inkAccent)
		p.text(in.left-labelGap, y+4, labelSize, inkText, before, e.Label)
	}
	p.text(in.right+forestFigure, y+4, noteSize, inkText, before, e.Text)
}

func (w Whole) draw(p page, in area, top float64) {
	rule := p.shape()
	rule.line(0, top, in.right+forestFigure, top)
	p.stroke(rule, 1, inkFaint)
	y := top + 6 + forestRow/2
	d := p.shape()
	if lo, x, hi := p.X(w.Low), p.X(w.Change), p.X(w.High); lo < hi {
		d.polygon(lo, y, x, y-6, hi, y, x, y+6)
	} else {
		diamond(d, x, y, 6)
	}
	p.fill(d, inkText)
	p.bold(in.left-labelGap, y+4, labelSize, inkText, before, w.Label)
	p.bold(in.right+forestFigure, y+4, noteSize, inkText, before, w.Text)
}

func diamond(s *shape, x, y, r float64) { s.polygon(x-r, y, x, y-r, x+r, y, x, y+r) }
