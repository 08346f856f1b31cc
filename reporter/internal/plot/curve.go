package plot

import (
	"fmt"

	"gonum.org/v1/plot/vg"
)

// Curves are figures in [0, 1] against k.
type Curves struct {
	Alt   Alt
	Axis  string
	Lines []Curve // at most two: the first with rings and a full line, the second with squares and a dashed one
}

// Curve is one line, labelled at its end.
type Curve struct {
	Label string
	Ks    []int // ascending
	Ys    []float64
}

const (
	curveWidth  = 420
	curveHeight = 250
)

// SVG draws the curves.
func (c Curves) SVG() (string, error) {
	in := area{40, 14, curveWidth - 70, curveHeight - 44}
	first, last := 1, 2
	for _, l := range c.Lines {
		if len(l.Ks) > 0 {
			last = max(last, l.Ks[len(l.Ks)-1])
		}
	}
	x := [2]float64{float64(first), float64(last)}
	return picture(c.Alt, curveWidth, curveHeight, in, x, [2]float64{0, 1}, func(p page) {
		grid := p.shape()
		for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
			grid.line(in.left, p.Y(v), in.right, p.Y(v))
			if v*2 == float64(int(v*2)) {
				p.text(in.left-8, p.Y(v)+4, noteSize, inkMuted, before, fmt.Sprintf("%.1f", v))
			}
		}
		p.stroke(grid, 1, inkFaint)
		every := (last-first)/10 + 1
		for k := first; k <= last; k += every {
			p.text(p.X(float64(k)), in.bottom+18, noteSize, inkMuted, around, fmt.Sprint(k))
		}
		p.text((in.left+in.right)/2, curveHeight-8, noteSize, inkMuted, around, c.Axis)
		ends := c.ends(p)
		for i, l := range c.Lines {
			l.draw(p, i, in.right+12, ends[i])
		}
	})
}

// ends places the labels at the ends of the lines, apart from each other.
func (c Curves) ends(p page) []float64 {
	ys := make([]float64, len(c.Lines))
	for i, l := range c.Lines {
		if n := len(l.Ys); n > 0 {
			ys[i] = p.Y(l.Ys[n-1])
		}
	}
	if len(ys) == 2 {
		if apart := ys[0] - ys[1]; apart < 16 && apart > -16 {
			mid := (ys[0] + ys[1]) / 2 // the first line is the lower one wherever they differ
			ys[0], ys[1] = mid+8, mid-8
		}
	}
	return ys
}

func (l Curve) draw(p page, nth int, labelX, labelY float64) {
	if len(l.Ks) == 0 {
		return
	}
	line, points := p.shape(), p.shape()
	i := inkAccent
	var dash []vg.Length
	if nth > 0 {
		i, dash = inkMuted, []vg.Length{4, 3}
	}
	var xy []float64
	for j, k := range l.Ks {
		x, y := p.X(float64(k)), p.Y(l.Ys[j])
		xy = append(xy, x, y)
		if nth > 0 {
			points.rect(x-3, y-3, 6, 6)
		} else {
			points.circle(x, y, 3.5)
		}
	}
	line.line(xy...)
	p.stroke(line, 1.75, i, dash...)
	p.fill(points, i)
	p.text(labelX, labelY+4, noteSize, inkText, after, l.Label)
}
