package reporter

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// renderMarkdown returns the table that has these columns, whose cells are
// escaped: the two lines of its header, and a line for each row. A line ends with
// a newline and has no more space in it than it needs, so the size of a table is
// that of its cells.
func renderMarkdown(cols []column) (head string, rows []string, err error) {
	var aligns []tw.Align
	var header []string
	cells := make([][]string, len(cols[0].cells))
	for _, c := range cols {
		align := tw.AlignRight
		if c.left {
			align = tw.AlignLeft
		}
		aligns = append(aligns, align)
		header = append(header, c.name)
		for j, s := range c.cells {
			cells[j] = append(cells[j], s)
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: aligns},
	}
	var buf bytes.Buffer
	t := tablewriter.NewTable(&buf,
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithHeaderAutoFormat(tw.Off), // else pass@1 becomes PASS @ 1
	)
	t.Header(header)
	if err := t.Bulk(cells); err != nil {
		return "", nil, err
	}
	if err := t.Render(); err != nil {
		return "", nil, err
	}
	lines := strings.SplitAfter(strings.TrimRight(buf.String(), "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	if len(lines) != 2+len(cells) {
		return "", nil, fmt.Errorf("a table of %d rows has %d lines, need %d", len(cells), len(lines), 2+len(cells))
	}
	for i, l := range lines {
		lines[i] = squeeze(l, ' ', 1)
	}
	return lines[0] + squeeze(lines[1], '-', 3), lines[2:], nil
}

// squeeze shortens every run of c in s to at most n.
func squeeze(s string, c byte, n int) string {
	b := make([]byte, 0, len(s))
	run := 0
	for i := range len(s) {
		if run++; s[i] != c {
			run = 0
		}
		if run <= n {
			b = append(b, s[i])
		}
	}
	return string(b)
}
