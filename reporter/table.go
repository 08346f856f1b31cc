package reporter

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// gap is the space between two columns.
const gap = "  "

// column is one column of a table. Its cells are clean and short.
type column struct {
	name  string
	left  bool // aligned left: text; numbers are aligned right
	cells []string
}

func (c column) width() int {
	w := width(c.name)
	for _, s := range c.cells {
		w = max(w, width(s))
	}
	return w
}

// tableWidth returns the width of the table that has these columns.
func tableWidth(cols []column) int {
	w := len(gap) * (len(cols) - 1)
	for _, c := range cols {
		w += c.width()
	}
	return w
}

// renderTable returns the lines of the table, the header first, without
// trailing space.
func renderTable(cols []column) ([]string, error) {
	var aligns []tw.Align
	var pads []tw.Padding
	var header []string
	rows := make([][]string, len(cols[0].cells))
	for i, c := range cols {
		align := tw.AlignRight
		if c.left {
			align = tw.AlignLeft
		}
		aligns = append(aligns, align)
		pad := tw.Padding{Left: tw.Empty, Right: gap, Overwrite: true}
		if i == len(cols)-1 {
			pad.Right = tw.Empty
		}
		pads = append(pads, pad)
		header = append(header, c.name)
		for j, s := range c.cells {
			rows[j] = append(rows[j], s)
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: aligns},
		Padding:    tw.CellPadding{PerColumn: pads},
	}
	var buf bytes.Buffer
	t := tablewriter.NewTable(&buf,
		tablewriter.WithEastAsian(tw.Off), // else the bytes depend on the locale
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Settings: tw.Settings{
				Lines:      tw.LinesNone,
				Separators: tw.SeparatorsNone,
			},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
	)
	t.Header(header)
	if err := t.Bulk(rows); err != nil {
		return nil, err
	}
	if err := t.Render(); err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(buf.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines, nil
}
