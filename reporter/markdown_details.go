package reporter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/capeval/capeval/record"
)

// published adds the scores of the held-out split, each with its look, and the
// looks before it.
func (m *markdown) published(finals []Held) {
	scores := []column{{name: "suite", left: true}, {name: "release", left: true}, {name: "reward"}, {name: "stderr"}, {name: "interval"}, {name: "method", left: true},
		{name: "tasks"}, {name: "cells"}, {name: "look"}, {name: "against the baseline"}, {name: "exact p"}, {name: "status", left: true}}
	looks := []column{{name: "suite", left: true}, {name: "release", left: true}, {name: "time", left: true}, {name: "attempt", left: true}, {name: "result", left: true}}
	earlier := 0
	for i, h := range finals {
		earlier += len(h.Final.Seal.Previous)
		if i < m.most {
			row(scores, scoreRow(h.Final))
		}
		for _, p := range h.Final.Seal.Previous {
			if len(looks[0].cells) < m.most {
				row(looks, []string{idCell(p.Suite), idCell(p.Release), textCell(p.Time), idCell(p.Attempt), idCell(told(p.Result))})
			}
		}
	}
	m.table("### Held-out scores", len(finals), 12, scores...)
	m.table("### Earlier looks at the same tasks", earlier, 6, looks...)
}

func scoreRow(f record.Final) []string {
	t := f.Test
	interval, method := "-", "-"
	if _, ok := t.CI.Low.Value(); ok {
		interval, method = percent(t.CI.Level)+" "+spread(t, between(t.CI.Low, t.CI.High)), idCell(t.CI.Method)
	}
	change, p := "no baseline", "-"
	switch {
	case f.Status == record.FinalEqual:
		change = "0 by construction"
	case f.TestBaseline != nil:
		change = difference(f.TestDelta)
		if f.Comparison != nil {
			p = chance(f.Comparison.PTwoSided)
		}
	}
	return []string{idCell(f.Suite), idCell(f.Seal.Release), share(t.Reward, 3), spread(t, share(t.Stderr, 3)), interval, method,
		ratio(t.NScored, t.NTasks), ratio(t.NCells-t.NMissing, t.NCells), strconv.Itoa(f.Seal.Number), change, p, textCell(string(f.Status))}
}

// details adds what is shown when it is asked for.
func (m *markdown) details(d Document) {
	for _, s := range d.Decisions {
		c := s.Decision
		t := &text{width: factWidth}
		t.item("", verdictLabel(c.Verdict), shortenEnd(oneLine(c.Message), maxMessage)+" ("+named(c.Code)+")")
		t.evidence(c)
		t.item("", "paired", pairedLine(c))
		t.item("", "tasks", tallyTasks(c))
		for _, g := range c.Guards {
			t.item("", "limit", limitLine(g))
		}
		m.fenced("Numbers behind "+htmlText(place(c.Suite, string(c.Split)))+", rule "+htmlText(named(c.Rule)), 24, t)
	}
	for _, s := range d.Suites {
		m.rewards(s)
	}
	for _, h := range d.Finals {
		m.fenced("Where the held-out score of "+htmlText(named(h.Final.Suite))+" comes from", 0, heldFacts(h.Final))
	}
	for _, s := range d.Suites {
		r := s.Result
		t := &text{width: factWidth}
		t.item("", "reward", rewardLine(r))
		t.item("", "stderr", stderrLine(r))
		t.passes(s)
		t.causes(s)
		t.item("", "time", timeLine(r))
		t.item("", "cost", costLine(r.Totals))
		t.item("", "run", runLine(r.Run))
		m.fenced("Run of "+htmlText(placeOf(s)), 0, t)
	}
	var notes []string
	for _, n := range d.Notes {
		notes = append(notes, markdownText(clipEnd(clean(n), lineRunes)))
	}
	m.list(section{head: fold(fmt.Sprintf("Notes on this report: %d", len(notes))), tail: unfold, keep: 6}, notes)
}

// factWidth is the width of facts, in columns.
const factWidth = 100

// heldFacts says what a published score was made of, and where it is recorded.
func heldFacts(f record.Final) *text {
	t := &text{width: factWidth}
	source := func(s record.Source) string {
		return fmt.Sprintf("commit %s, ref %s, folder %s, digest %s", named(s.Commit), named(s.Ref), named(s.Dir), named(s.Digest))
	}
	t.item("", "seal", fmt.Sprintf("key %s, attempt %s", named(f.Seal.Key), named(f.Seal.Attempt)))
	t.item("", "ledger", fmt.Sprintf("%s, scope %s, ref %s, entry %d", named(f.Ledger.ID), named(f.Ledger.Scope), named(f.Ledger.Ref), f.Ledger.Seq))
	t.item("", "candidate", source(f.Candidate))
	if f.Baseline != nil {
		t.item("", "baseline", source(*f.Baseline))
	}
	if c := f.Comparison; c != nil {
		t.item("", "change", fmt.Sprintf("%s, %s interval %s..%s (%s), after %d looks %s..%s; %d paired tasks; p better %s, worse %s, two-sided %s",
			difference(f.TestDelta), percent(c.CI.Level), difference(c.CI.Low), difference(c.CI.High), named(c.CI.Method),
			f.Seal.Number, difference(c.CILook.Low), difference(c.CILook.High), c.NPaired, chance(c.PBetter), chance(c.PWorse), chance(c.PTwoSided)))
	}
	t.item("", "plan", fmt.Sprintf("%d tasks, %d cells, trials %d, base seed %d, digest %s", f.Plan.NTasks, f.Plan.NCells, f.Plan.Trials, f.Plan.BaseSeed, named(f.Plan.Digest)))
	t.item("", "job", fmt.Sprintf("%s %s, attempt %s, by %s, %s", named(f.Run.Provider), named(f.Run.ID), named(f.Run.Attempt), named(f.Run.Actor), named(f.Run.URL)))
	return t
}

// fenced adds the lines of t as they are, to be shown when they are asked for.
// Nothing within a fence is markup, a mention or a link.
func (m *markdown) fenced(summary string, keep int, t *text) {
	lines := strings.SplitAfter(t.b.String(), "\n")
	lines = lines[:len(lines)-1] // each line ends with a newline
	fence := strings.Repeat("`", max(3, longestRun(t.b.String(), '`')+1))
	m.sections = append(m.sections, section{
		head: fold(summary) + fence + "text\n", rows: lines, total: len(lines),
		end: fence + "\n", tail: unfold, keep: keep,
	})
}
