package plot

import "fmt"

// Heat is a heat map of trials, one row a task. A cell with a value is lighter or
// darker by it, one without is hatched and has a dot, so that none of this rests
// on colour. With labels, each row has its own; without, tasks are columns, side
// by side in as many bands as they take.
type Heat struct {
	Alt    Alt
	Labels []string // one a row, or none
	Rows   [][]Cell
	Trials string    // what the cells of a task are called
	Tasks  string    // what the rows are called
	Legend [4]string // of a cell with 1, between, with 0, without a value
}

// Cell is one trial.
type Cell struct {
	Value  float64 // [0, 1]
	Valid  bool    // a value was measured
	Absent bool    // no such cell was planned: nothing is drawn
	Text   string  // the value in figures
}

// levels is how many shades there are between 0 and 1.
const levels = 10

// tiles collects the cells of each kind, so that each kind is one path.
type tiles struct {
	shades  [levels + 1]*shape
	zeros   *shape // frames
	hatch   *shape
	missing *shape // frames
	dots    *shape
}

func newTiles(p page) *tiles {
	t := &tiles{zeros: p.shape(), hatch: p.shape(), missing: p.shape(), dots: p.shape()}
	for i := range t.shades {
		t.shades[i] = p.shape()
	}
	return t
}

// add draws a cell with its top left at x, y. Lines of the hatch are step apart.
func (t *tiles) add(c Cell, x, y, w, h, step float64) {
	switch {
	case c.Absent:
	case !c.Valid:
		t.missing.rect(x+.5, y+.5, w-1, h-1)
		// Lines from the lower left to the upper right, cut off at the frame.
		for d := step; d < w+h; d += step {
			t.hatch.line(x+max(0, d-h), y+min(d, h), x+min(d, w), y+max(0, d-w))
		}
		if w >= 12 && h >= 12 {
			t.dots.circle(x+w/2, y+h/2, 2.5)
		}
	case c.Value == 0:
		t.zeros.rect(x+.5, y+.5, w-1, h-1)
	default:
		// What is above 0 is never in the shade of 0, what is below 1 never in that of 1.
		l := min(max(int(c.Value*levels+0.5), 1), levels)
		if l == levels && c.Value < 1 {
			l--
		}
		t.shades[l].rect(x, y, w, h)
	}
}

// paint draws the cells. The darkest covers full of the paper.
func (t *tiles) paint(p page, full float64) {
	for l, s := range t.shades {
		p.fill(s, ink{accent, 0.06 + (full-0.06)*float64(l)/levels})
	}
	p.stroke(t.zeros, 1, ink{muted, 0.75})
	p.stroke(t.hatch, 1, ink{text, 0.55})
	p.stroke(t.missing, 1, ink{text, 0.55})
	p.fill(t.dots, inkText)
}

// SVG draws the map.
func (h Heat) SVG() (string, error) {
	if len(h.Labels) > 0 {
		return h.labelled()
	}
	return h.sheet()
}

func (h Heat) trials() int {
	n := 1
	for _, row := range h.Rows {
		n = max(n, len(row))
	}
	return n
}

// The widest that a labelled map is where its cells may still shrink, and its rows.
const (
	heatCells = 504
	heatTop   = 34
	heatRow   = 22
)

func (h Heat) labelled() (string, error) {
	n := h.trials()
	pitch := min(max(heatCells/float64(n), 6), 46)
	left := labelRoom(append([]string{h.Tasks}, h.Labels...), 60, labelMost) + labelGap
	w := max(left+pitch*float64(n), legendWidth)
	height := float64(heatTop + len(h.Rows)*heatRow + legendHeight)
	in := area{left, heatTop, w, height - legendHeight}
	return picture(h.Alt, w, height, in, [2]float64{0, 1}, [2]float64{0, 1}, func(p page) {
		p.text(left, 11, noteSize, inkMuted, after, h.Trials)
		p.text(left-labelGap, 27, noteSize, inkMuted, before, h.Tasks)
		every := 1
		for float64(every)*pitch < 24 {
			every++
		}
		for k := 0; k < n; k += every {
			p.text(left+pitch*(float64(k)+.5), 27, noteSize, inkMuted, around, fmt.Sprint(k))
		}
		t := newTiles(p)
		for i, row := range h.Rows {
			y := float64(heatTop + i*heatRow)
			for k, c := range row {
				t.add(c, left+pitch*float64(k)+1, y+1, pitch-2, heatRow-2, 5)
			}
		}
		h.legend(p, t, height, 5)
		t.paint(p, 0.5)
		for i, row := range h.Rows {
			y := float64(heatTop+i*heatRow) + heatRow/2 + 4
			p.text(left-labelGap, y, labelSize, inkText, before, h.Labels[i])
			if pitch < 28 {
				continue
			}
			for k, c := range row {
				if c.Valid && !c.Absent {
					p.text(left+pitch*(float64(k)+.5), y, noteSize, inkText, around, c.Text)
				}
			}
		}
	})
}

const (
	sheetLeft  = 88
	sheetCell  = 8
	sheetBand  = 80 // tasks
	sheetGap   = 10
	sheetTop   = 18
	sheetTasks = "%d–%d"
)

// sheet draws many tasks: each a column of its trials, first trial on top.
func (h Heat) sheet() (string, error) {
	n := h.trials()
	bands := (len(h.Rows) + sheetBand - 1) / sheetBand
	band := float64(n*sheetCell + sheetGap)
	w, height := float64(sheetLeft+sheetBand*sheetCell+2), sheetTop+band*float64(bands)+legendHeight
	in := area{sheetLeft, sheetTop, w, height - legendHeight}
	return picture(h.Alt, w, height, in, [2]float64{0, 1}, [2]float64{0, 1}, func(p page) {
		p.text(sheetLeft, 11, noteSize, inkMuted, after, h.Trials)
		p.text(sheetLeft-12, 11, noteSize, inkMuted, before, h.Tasks)
		t := newTiles(p)
		for i, row := range h.Rows {
			x := float64(sheetLeft + i%sheetBand*sheetCell)
			y := sheetTop + band*float64(i/sheetBand)
			for k, c := range row {
				t.add(c, x, y+float64(k*sheetCell), sheetCell-1, sheetCell-1, 4)
			}
		}
		h.legend(p, t, height, 4)
		t.paint(p, 0.9)
		for b := range bands {
			y := sheetTop + band*float64(b) + (band-sheetGap)/2 + 4
			p.text(sheetLeft-12, y, noteSize, inkMuted, before, fmt.Sprintf(sheetTasks, b*sheetBand+1, min((b+1)*sheetBand, len(h.Rows))))
		}
	})
}

const (
	legendWidth  = 620
	legendHeight = 36
)

// legend adds a cell of each kind, with its name beside it.
func (h Heat) legend(p page, t *tiles, bottom, step float64) {
	x, y, size := 1.0, bottom-17, 15.0
	for i, c := range []Cell{{Value: 1, Valid: true}, {Value: 0.5, Valid: true}, {Valid: true}, {}} {
		t.add(c, x, y, size, size, step)
		p.text(x+size+8, y+12, noteSize, inkMuted, after, h.Legend[i])
		x += size + 36 + 6.5*float64(len([]rune(h.Legend[i])))
	}
}
