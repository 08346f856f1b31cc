package reporter

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/reporter/internal/plot"
)

// htmlDecision is a verdict, or a comparison that nobody judged.
type htmlDecision struct {
	ID      string
	Word    string // the verdict, "compared" where nobody judged
	Tone    string
	Glyph   string
	Text    any
	Message any
	Notices []any
	Facts   []htmlFact
	Limits  *htmlTable
	Forest  *htmlFigure
	Tasks   *htmlTable
}

func htmlDecide(s SuiteDecision, id string) (*htmlDecision, error) {
	d := s.Decision
	tone := htmlTone(kindOf(d.Verdict))
	v := &htmlDecision{ID: id, Word: verdictLabel(d.Verdict), Tone: tone, Glyph: htmlGlyph(tone), Text: htmlIsolate(headline(s)),
		Message: htmlIsolate(htmlLine(d.Message, maxMessage) + " (" + named(d.Code) + ")"),
		Facts:   htmlEvidence(s), Limits: htmlLimits(d, id), Tasks: htmlChanges(s, id)}
	var ns []Notice
	for _, w := range d.Warnings {
		ns = append(ns, Notice{Code: w.Code, Text: w.Message})
	}
	v.Notices = htmlNotices(ns)
	var err error
	v.Forest, err = htmlForest(s, id)
	return v, err
}

// htmlChange is the change of a suite with its interval.
func htmlChange(d gate.Decision) any {
	if _, ok := d.Delta.Value(); !ok {
		return "no change can be told"
	}
	return htmlIsolate("change " + htmlDifference(d.Delta) + ", " + htmlInterval(d))
}

func htmlInterval(d gate.Decision) string {
	if _, ok := d.CI.Low.Value(); !ok {
		return "no interval"
	}
	return fmt.Sprintf("%s interval %s (%s)", percent(d.CI.Level), htmlRange(d.CI.Low, d.CI.High, htmlDifference), named(d.CI.Method))
}

// htmlEvidence are the figures behind a verdict.
func htmlEvidence(s SuiteDecision) []htmlFact {
	d := s.Decision
	paired := htmlFact{Name: "tasks paired", Value: htmlOf(d.NPaired, d.NTasks), Note: "with a valid trial in both arms"}
	if _, ok := d.CellCoverage.Baseline.Value(); ok {
		paired.Note = "cells valid: candidate " + htmlShare(d.CellCoverage.Candidate) + ", baseline " + htmlShare(d.CellCoverage.Baseline)
	}
	rule := htmlFact{Name: "rule", Value: htmlIsolate(htmlName(d.Rule)), Note: htmlIsolate("scope " + named(d.Scope) + ", one-sided, alpha " + named(d.Alpha))}
	if _, ok := d.Delta.Value(); !ok {
		return []htmlFact{paired, rule}
	}
	p := htmlFact{Name: "p, better and worse", Value: htmlChance(d.PBetter) + " and " + htmlChance(d.PWorse), Note: "one-sided"}
	if d.Scope == gate.ScopeSuite {
		p.Note = "one-sided; on more tasks like these " + htmlChance(d.PPopulation)
	}
	if d.PExact != nil {
		p.Note = htmlIsolate(fmt.Sprint(p.Note) + "; exactly " + shortenMiddle(htmlLine(*d.PExact, 200), 60))
	}
	finds := htmlFact{Name: "change found 4 times in 5", Value: htmlShare(d.MDE80), Note: "a smaller one is more easily missed"}
	if v, ok := d.MDE80.Value(); ok && v > 1 {
		finds.Value, finds.Note = dashMark, "no change is large enough to be found four times in five"
	} else if !ok {
		finds.Note = "not defined here"
	}
	facts := []htmlFact{
		{Name: "change", Value: htmlDifference(d.Delta), Note: htmlIsolate(htmlInterval(d))},
		{Name: "reward, candidate", Value: htmlShare(d.Reward.Candidate), Note: "baseline " + htmlShare(d.Reward.Baseline) + ", over paired tasks"},
		p, finds, paired, rule,
	}
	low, _ := d.Bounds.Low.Value()
	if high, ok := d.Bounds.High.Value(); ok && low != high {
		note := "were what is missing 0 or 1, for and against"
		if d.Fragile {
			note += "; that could turn its sign"
		}
		facts = append(facts, htmlFact{Name: "bounds of the change", Value: htmlRange(d.Bounds.Low, d.Bounds.High, htmlDifference), Note: note})
	}
	return facts
}

func htmlLimits(d gate.Decision, id string) *htmlTable {
	if len(d.Guards) == 0 {
		return nil
	}
	t := &htmlTable{ID: id + "-limits", Caption: "Limits on other metrics",
		Columns: []htmlColumn{{Name: "limit"}, {Name: "ended", Text: true}, {Name: "figures", Text: true}}}
	for _, g := range d.Guards {
		end := htmlCell{Text: "? cannot tell", Class: "open"}
		switch g.Verdict {
		case gate.Rejected:
			end = htmlCell{Text: "× beyond it", Class: "bad"}
		case gate.Accepted:
			end = htmlCell{Text: "✓ within it", Class: "good"}
		}
		t.add(htmlIsolate(htmlName(g.Limit)), end, htmlIsolate(htmlLine(limitLine(g), 300)))
	}
	return t
}

// htmlPaired are the tasks with a change: the largest drop first, then by id.
func htmlPaired(s SuiteDecision) []gate.TaskDecision {
	var rows []gate.TaskDecision
	for _, r := range s.Decision.PerTask {
		if _, ok := r.Delta.Value(); ok {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b gate.TaskDecision) int {
		x, _ := a.Delta.Value()
		y, _ := b.Delta.Value()
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Task, b.Task))
	})
	return rows
}

// htmlChanges has one row a declared task; those without a pair come last.
func htmlChanges(s SuiteDecision, id string) *htmlTable {
	d := s.Decision
	if len(d.PerTask) == 0 {
		return nil
	}
	t := &htmlTable{
		ID:      id + "-tasks",
		Caption: htmlIsolate("All changes of " + htmlName(d.Suite) + ", task by task"),
		Note:    claimMark + " is shown to have changed by itself, after a correction for all paired tasks. One that is not may have moved inside its own noise.",
		Live:    true,
		Columns: []htmlColumn{{Name: "task"}, {Name: "change", Sort: "ascending"}, {Name: "stderr"}, {Name: "baseline"}, {Name: "candidate"}, {Name: "trials, baseline"}, {Name: "trials, candidate"}, {Name: "p"}, {Name: "shown", Text: true}},
	}
	why := whyUnpaired(d)
	for _, r := range htmlPaired(s) {
		shown := htmlCell{}
		if r.Claimed {
			shown.Text = claimMark + " changed"
		}
		t.add(htmlIsolate(htmlName(r.Task)), htmlDifference(r.Delta), htmlShare(r.Stderr), htmlShare(r.Baseline), htmlShare(r.Candidate),
			strconv.Itoa(r.NBaseline), strconv.Itoa(r.NCandidate), htmlChance(r.P), shown)
	}
	for _, r := range s.Unpaired {
		t.add(htmlIsolate(htmlName(r.Task)), htmlDifference(r.Delta), htmlShare(r.Stderr), htmlShare(r.Baseline), htmlShare(r.Candidate),
			strconv.Itoa(r.NBaseline), strconv.Itoa(r.NCandidate), htmlChance(r.P), "not paired: "+why(r))
	}
	return t
}

// A forest plot of more than shownForest tasks has the shownEnds largest drops
// and as many of the largest gains.
const (
	shownForest = 40
	shownEnds   = 15
)

func htmlForest(s SuiteDecision, id string) (*htmlFigure, error) {
	d := s.Decision
	rows := htmlPaired(s)
	if len(rows) == 0 {
		return nil, nil
	}
	f := plot.Forest{Header: [2]string{"task", "change ± standard error"}, Worse: "worse", Right: "better", Axis: "change in reward"}
	caption := "Each row is a task: the change of its reward from baseline to candidate, with a bar of one standard error to either side where one can be told; largest drop first. A filled diamond and a bold name (" + claimMark + "): shown to have changed by itself."
	all := len(rows)
	if all > shownForest {
		hidden := rows[shownEnds : all-shownEnds]
		f.GapAt = shownEnds
		f.Gap = fmt.Sprintf("%s tasks between %s and %s are not drawn", count(float64(len(hidden))), htmlDifference(hidden[0].Delta), htmlDifference(hidden[len(hidden)-1].Delta))
		caption += fmt.Sprintf(" %s tasks in between are not drawn; the table has them all.", count(float64(len(hidden))))
		rows = slices.Concat(rows[:shownEnds], rows[all-shownEnds:])
	}
	if n := len(s.Unpaired); n > 0 {
		caption += fmt.Sprintf(" %s tasks are not paired and have no change.", count(float64(n)))
	}
	for _, r := range rows {
		e := plot.Effect{Label: htmlLabel(r.Task), Text: htmlDifference(r.Delta), Marked: r.Claimed}
		e.Change, _ = r.Delta.Value()
		if se, ok := r.Stderr.Value(); ok {
			e.Spread = se
			e.Text += " ± " + htmlShare(r.Stderr)
		}
		if r.Claimed {
			e.Label = claimMark + " " + e.Label
		}
		f.Rows = append(f.Rows, e)
	}
	what := fmt.Sprintf("%s paired tasks: %s regressed, %s improved, %s unchanged; %s shown to have changed by itself.",
		count(float64(all)), count(float64(len(d.Regressed))), count(float64(len(d.Improved))), count(float64(d.Unchanged)), count(float64(s.Claimed)))
	if v, ok := d.Delta.Value(); ok {
		f.Whole = &plot.Whole{Label: "all paired tasks", Text: htmlDifference(d.Delta), Low: v, Change: v, High: v}
		if low, ok := d.CI.Low.Value(); ok {
			f.Whole.Low = low
			f.Whole.High, _ = d.CI.High.Value()
			caption += " The last row is their mean, as wide as its interval."
		}
		what += " All together " + htmlDifference(d.Delta) + ", " + htmlInterval(d) + "."
	}
	f.Alt = plot.Alt{ID: id + "-forest", Title: "Change of each task from baseline to candidate", Desc: what + " The table of all changes has every value."}
	svg, err := f.SVG()
	if err != nil {
		return nil, err
	}
	return &htmlFigure{Label: "Change of each task", SVG: template.HTML(svg), Caption: htmlIsolate(caption + " " + what)}, nil
}
