package reporter

import (
	"fmt"
	"slices"
	"strings"
)

// The most runes of a text that a report shows. The whole text is in the records.
const (
	cellRunes = 200
	lineRunes = 400
)

// idCell and textCell are the cells of an id and of a text.
func idCell(s string) string   { return orDash(markdownCode(clipMiddle(clean(s), cellRunes))) }
func textCell(s string) string { return markdownText(clipEnd(clean(s), cellRunes)) }

// markdownSections arranges everything that comes after the first line. No
// section gets more rows than room bytes could hold.
func markdownSections(d Document, room int) ([]section, error) {
	m := &markdown{most: room/16 + 1} // a row has at least four cells, each of four bytes
	m.headlines(d)
	m.notices(d)
	m.suites(d.Suites)
	for _, s := range d.Decisions {
		m.changes(s)
		m.unpaired(s)
	}
	m.checks(d.Checks)
	m.published(d.Finals)
	m.details(d)
	return m.sections, m.err
}

// markdown collects the sections of a report.
type markdown struct {
	sections []section
	most     int // rows of a section
	err      error
}

// table adds a section that is a table with a title of markdown.
func (m *markdown) table(title string, total, keep int, cols ...column) {
	m.add(section{head: "\n" + title + "\n\n", total: total, keep: keep}, cols)
}

// folded adds a table that is shown when its summary, of HTML, is asked for.
func (m *markdown) folded(summary string, total int, cols ...column) {
	m.add(section{head: fold(summary), total: total, tail: unfold}, cols)
}

const unfold = "\n</details>\n"

func fold(summary string) string {
	return "\n<details>\n<summary>" + summary + "</summary>\n\n"
}

func (m *markdown) add(s section, cols []column) {
	if s.total == 0 || m.err != nil {
		return
	}
	for _, c := range cols {
		for i := range c.cells {
			if !c.left { // numbers, not escaped so far
				c.cells[i] = angles.Replace(c.cells[i])
			}
		}
	}
	head, rows, err := renderMarkdown(cols)
	if err != nil {
		m.err = fmt.Errorf("table of a report: %w", err)
		return
	}
	s.head += head
	s.rows = rows
	m.sections = append(m.sections, s)
}

// row adds a cell to each column.
func row(cols []column, cells []string) {
	for i, c := range cells {
		cols[i].cells = append(cols[i].cells, c)
	}
}

// list adds a section of lines of markdown, each behind the mark of a list.
func (m *markdown) list(s section, lines []string) {
	if len(lines) == 0 {
		return
	}
	s.total = len(lines)
	for _, l := range lines[:min(len(lines), m.most)] {
		s.rows = append(s.rows, "- "+l+"\n")
	}
	m.sections = append(m.sections, s)
}

// headlines adds what the first line sums up.
func (m *markdown) headlines(d Document) {
	var lines []string
	if len(d.Headlines) > 1 {
		for _, h := range d.Headlines {
			lines = append(lines, markdownText(clean(h.Text)))
		}
	}
	m.list(section{head: "\n", keep: 20}, lines)
}

// notices adds what speaks against the numbers.
func (m *markdown) notices(d Document) {
	var lines []string
	add := func(where string, n Notice) {
		lines = append(lines, markdownText(where+": "+clipEnd(clean(n.Text), lineRunes)))
	}
	for _, h := range d.Finals {
		for _, n := range h.Notices {
			add("held-out "+named(h.Final.Suite)+", release "+named(h.Final.Seal.Release), n)
		}
	}
	for _, s := range d.Decisions {
		for _, w := range s.Decision.Warnings {
			add("comparison of "+place(s.Decision.Suite, string(s.Decision.Split)), Notice{Code: w.Code, Text: w.Message})
		}
	}
	for _, s := range d.Suites {
		for _, n := range s.Notices {
			add(placeOf(s), n)
		}
	}
	m.list(section{head: "\n**Before you trust the numbers**\n\n", keep: 12}, lines)
}

// place names a suite and a split.
func place(suite, split string) string { return named(suite) + " (" + named(split) + ")" }

// placeOf names a result.
func placeOf(s Suite) string {
	return place(s.Result.Suite, string(s.Result.Split)+", "+s.Result.Arm)
}

// maxPasses is how many columns of pass^k a report has. All of them are among
// the facts of a suite.
const maxPasses = 4

// suites adds the table over all results.
func (m *markdown) suites(suites []Suite) {
	if len(suites) == 0 {
		return
	}
	total := len(suites)
	suites = suites[:min(total, m.most)]
	var cols []column
	passes := 0
	for i, c := range summaryColumns(suites) {
		switch {
		case i == 0 || c.name == "split" || c.name == "arm":
			continue
		case strings.HasPrefix(c.name, "pass^"):
			if passes++; passes > maxPasses {
				continue
			}
		}
		cols = append(cols, c.column)
	}
	ids := []column{{name: "suite", left: true}, {name: "split", left: true}, {name: "arm", left: true}}
	method := column{name: "method", left: true}
	for _, s := range suites {
		ids[0].cells = append(ids[0].cells, idCell(s.Result.Suite))
		ids[1].cells = append(ids[1].cells, idCell(string(s.Result.Split)))
		ids[2].cells = append(ids[2].cells, idCell(s.Result.Arm))
		how := "-"
		if _, ok := s.Result.CI.Low.Value(); ok {
			how = idCell(s.Result.CI.Method)
		}
		method.cells = append(method.cells, how)
	}
	m.table("### Results", total, 12, append(append(ids, cols...), method)...)
	if slices.ContainsFunc(suites, func(s Suite) bool { return identical(s.Result) }) {
		s := &m.sections[len(m.sections)-1]
		s.end = "\n" + identicalMark + " different seeds gave byte-identical outputs: the marked figures cannot be trusted\n"
	}
}

// checks adds what was asserted: what failed, what cannot be told, what passed.
func (m *markdown) checks(checks []Check) {
	cols := []column{{name: "check", left: true}, {name: "state", left: true}, {name: "suite", left: true}, {name: "message", left: true}}
	order := []CheckState{CheckFailed, CheckUndefined, CheckPassed}
	checks = slices.Clone(checks)
	slices.SortStableFunc(checks, func(a, b Check) int { return slices.Index(order, a.State) - slices.Index(order, b.State) })
	for _, c := range checks[:min(len(checks), m.most)] {
		state := string(c.State)
		if c.State == CheckUndefined {
			state = "cannot tell"
		}
		row(cols, []string{textCell(c.Name), textCell(state), idCell(c.Suite), textCell(c.Message)})
	}
	m.table("### Checks", len(checks), 12, cols...)
}
