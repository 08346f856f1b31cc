package reporter

import (
	"strings"

	"github.com/capeval/capeval/record"
)

// htmlTable is a table of a page.
type htmlTable struct {
	ID      string
	Caption any
	Note    string // below the caption
	Live    bool   // can be sorted and filtered
	Columns []htmlColumn
	Rows    [][]htmlCell // as many cells as columns; the first names the row
}

type htmlColumn struct {
	Name string
	Text bool   // aligned left: text; numbers are aligned right
	Sort string // how the rows are sorted by it: ascending, or ""
}

type htmlCell struct {
	Text  any
	Class string
	Href  string
}

func (t *htmlTable) add(cells ...any) {
	row := make([]htmlCell, len(cells))
	for i, c := range cells {
		if cell, ok := c.(htmlCell); ok {
			row[i] = cell
		} else {
			row[i].Text = c
		}
		if t.Columns[i].Text && i > 0 {
			row[i].Class = strings.TrimSpace(row[i].Class + " t")
		}
	}
	t.Rows = append(t.Rows, row)
}

// Long says that the browser had better not lay the table out before it is seen.
func (t *htmlTable) Long() bool { return len(t.Rows) > 200 }

// htmlSummary has one row a result.
func htmlSummary(d Document, groups []*htmlGroup) *htmlTable {
	if len(d.Suites) < 2 {
		return nil
	}
	t := &htmlTable{
		ID:      "summary-table",
		Caption: "Every result of this report",
		Columns: []htmlColumn{{Name: "suite"}, {Name: "split", Text: true}, {Name: "arm", Text: true}, {Name: "reward"}, {Name: "interval"}, {Name: "stderr"}, {Name: "tasks scored"}, {Name: "cells valid"}, {Name: "pass^1"}, {Name: "cells missing"}},
	}
	for _, g := range groups {
		for _, a := range g.Arms {
			s := a.suite
			r := s.Result
			one := record.SplitResult{}.Reward // undefined
			if len(s.HatKs) > 0 && s.HatKs[0] == 1 {
				one = r.PassHatK[1]
			}
			t.add(htmlCell{Text: htmlIsolate(htmlName(r.Suite)), Href: "#" + a.ID}, htmlIsolate(htmlName(string(r.Split))), htmlIsolate(htmlName(r.Arm)),
				htmlShare(r.Reward), spreadOf(r, htmlRange(r.CI.Low, r.CI.High, htmlShare)), spreadOf(r, htmlShare(r.Stderr)),
				htmlOf(r.NScored, r.NTasks), htmlOf(s.NValid, r.NCells), htmlShare(one), count(float64(r.NMissing)))
			if identical(r) {
				t.Note = identicalNote
			}
		}
	}
	return t
}

// identicalNote explains the mark on figures that copies of one trial cannot give.
const identicalNote = identicalMark + " different seeds gave byte-identical outputs: the marked figures cannot be trusted"

// spreadOf marks a figure about the spread of r where it cannot be trusted.
func spreadOf(r record.SplitResult, s string) string {
	if s == dashMark {
		return s
	}
	return spread(r, s)
}

// htmlChecks has one row a check.
func htmlChecks(checks []Check) *htmlTable {
	if len(checks) == 0 {
		return nil
	}
	t := &htmlTable{
		ID:      "checks-table",
		Caption: "What was asserted, and how it ended",
		Columns: []htmlColumn{{Name: "check"}, {Name: "suite", Text: true}, {Name: "split", Text: true}, {Name: "ended", Text: true}, {Name: "message", Text: true}},
	}
	for _, c := range checks {
		end := htmlCell{Text: "? " + named(string(c.State)), Class: "open"}
		switch c.State {
		case CheckPassed:
			end = htmlCell{Text: "✓ passed", Class: "good"}
		case CheckFailed:
			end = htmlCell{Text: "× failed", Class: "bad"}
		case CheckUndefined:
			end.Text = "? cannot be told"
		}
		t.add(htmlIsolate(htmlName(c.Name)), htmlIsolate(htmlName(c.Suite)), htmlIsolate(htmlName(string(c.Split))), end, htmlIsolate(htmlLine(c.Message, 400)))
	}
	return t
}
