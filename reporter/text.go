package reporter

import (
	"fmt"
	"io"
	"strings"
)

// TextOptions say how a text is laid out.
type TextOptions struct {
	// Width is the width of the terminal in columns. 0 means 80; less than 60
	// counts as 60. A table that cannot be made narrow enough is wider.
	Width int
	// Color marks headings, labels and warnings with ANSI sequences. They
	// change no other byte.
	Color bool
}

// WriteText writes d for a terminal: one table over all suites, then a block
// for each suite that says what stands behind its row. A writer that fails is
// the only cause of an error.
func WriteText(w io.Writer, d Document, opts TextOptions) error {
	if opts.Width == 0 {
		opts.Width = 80
	}
	t := &text{width: max(opts.Width, 60), color: opts.Color}
	if len(d.Suites) == 0 {
		t.line("no suite was measured")
	} else {
		if err := t.summary(d.Suites); err != nil {
			return fmt.Errorf("summary table: %w", err)
		}
		for _, s := range d.Suites {
			t.line("")
			if err := t.suite(s); err != nil {
				return fmt.Errorf("table of suite %q: %w", s.Result.Suite, err)
			}
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// text collects the lines of one document.
type text struct {
	b     strings.Builder
	width int
	color bool
}

// The looks a piece of text may have.
const (
	bold   = "1"
	faint  = "2"
	yellow = "33"
)

// style returns s in the given look, s itself without colour.
func (t *text) style(look, s string) string {
	if !t.color || s == "" {
		return s
	}
	return "\x1b[" + look + "m" + s + "\x1b[0m"
}

func (t *text) line(s string) {
	t.b.WriteString(s)
	t.b.WriteByte('\n')
}

// table writes the table of cols behind an indent, its header in faint.
func (t *text) table(indent string, cols []column) error {
	lines, err := renderTable(cols)
	if err != nil {
		return err
	}
	for i, l := range lines {
		if i == 0 {
			l = t.style(faint, l)
		}
		t.line(indent + l)
	}
	return nil
}

// labels are padded to this many columns, so that what they name lines up.
const labelWidth = 13

// item writes a labelled line of a suite's block, wrapped below itself.
func (t *text) item(look, label, s string) {
	const indent = "  "
	pad := strings.Repeat(" ", labelWidth)
	for i, l := range wrap(s, t.width-len(indent)-labelWidth) {
		if i == 0 {
			t.line(indent + t.style(look, label) + pad[len(label):] + l)
			continue
		}
		t.line(indent + pad + l)
	}
}
