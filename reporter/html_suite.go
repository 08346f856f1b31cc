package reporter

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter/internal/plot"
)

// htmlArm is one result.
type htmlArm struct {
	ID      string
	Title   any
	Notices []any
	Facts   []htmlFact
	Mark    string // explains the mark of figures that cannot be trusted, "" where there is none
	Heat    *htmlFigure
	Pass    *htmlFigure
	Ks      *htmlTable
	Causes  *htmlTable
	Tasks   *htmlTable
	Run     []htmlFact

	suite Suite
}

func htmlMeasure(s Suite, id string) (*htmlArm, error) {
	r := s.Result
	a := &htmlArm{ID: id, suite: s, Title: htmlIsolate("Result of arm " + htmlName(r.Arm)), Notices: htmlNotices(s.Notices), Facts: htmlFacts(s), Run: htmlRun(r)}
	if identical(r) {
		a.Mark = identicalNote
	}
	a.Causes = htmlCauses(s, id)
	if r.NTasks == 0 {
		return a, nil
	}
	order := htmlOrder(s)
	a.Tasks = htmlTasks(r, order, id)
	a.Ks = htmlKs(s, id)
	var err error
	if a.Heat, err = htmlHeat(r, order, id); err != nil {
		return nil, err
	}
	a.Pass, err = htmlPass(s, id)
	return a, err
}

// htmlOrder is the order of a result's tasks on the page: the lowest reward
// first, then by id; those without a reward come last.
func htmlOrder(s Suite) []record.TaskResult {
	tasks := slices.Clone(s.Worst)
	for _, t := range s.Result.PerTask {
		if v, ok := t.Reward.Value(); ok && v >= 1 {
			tasks = append(tasks, t)
		}
	}
	return append(tasks, s.Unscored...)
}

// htmlFacts are the figures that a result comes to.
func htmlFacts(s Suite) []htmlFact {
	r := s.Result
	reward := htmlFact{Name: "reward", Value: htmlShare(r.Reward), Note: "no interval: fewer than 2 tasks are scored"}
	if _, ok := r.CI.Low.Value(); ok {
		reward.Note = htmlIsolate(fmt.Sprintf("%s interval %s (%s)", percent(r.CI.Level), spreadOf(r, htmlRange(r.CI.Low, r.CI.High, htmlShare)), named(r.CI.Method)))
	}
	stderr := htmlFact{Name: "standard error", Value: spreadOf(r, htmlShare(r.Stderr))}
	if _, ok := r.Stderr.Value(); !ok {
		stderr.Note = fmt.Sprintf("tasks scored: %d, need 2", r.NScored)
	} else {
		note := "between tasks " + spreadOf(r, htmlShare(r.StderrBetween)) + ", within tasks " + spreadOf(r, htmlShare(r.StderrWithin))
		if _, ok := r.StderrClustered.Value(); ok {
			note += ", clustered " + spreadOf(r, htmlShare(r.StderrClustered))
		}
		stderr.Note = note
	}
	missing := htmlFact{Name: "cells valid", Value: htmlOf(s.NValid, r.NCells), Note: "coverage " + htmlShare(r.CellCoverage) + ", none missing"}
	if r.NMissing > 0 {
		missing.Note = "coverage " + htmlShare(r.CellCoverage) + ", " + count(float64(r.NMissing)) + " missing"
	}
	facts := []htmlFact{reward, stderr,
		{Name: "tasks scored", Value: htmlOf(r.NScored, r.NTasks), Note: "coverage " + htmlShare(r.Coverage)},
		missing}
	return append(facts, htmlCost(r)...)
}

// htmlCost says what a run took. A total of 0 was not reported by any trial.
func htmlCost(r record.SplitResult) []htmlFact {
	time := htmlFact{Name: "time", Value: span(r.Totals.Seconds), Note: "sum over trials"}
	cost := htmlFact{Name: "cost", Value: dashMark, Note: "not reported by any trial"}
	if r.Totals.CostUSD > 0 {
		cost.Value, cost.Note = money(r.Totals.CostUSD), "sum over every attempt"
	}
	tokens := htmlFact{Name: "tokens", Value: dashMark, Note: "not reported by any trial"}
	if r.Totals.Tokens > 0 {
		tokens.Value, tokens.Note = count(r.Totals.Tokens), "sum over every attempt"
	}
	return []htmlFact{time, cost, tokens}
}

// htmlRun is what one needs to run it again.
func htmlRun(r record.SplitResult) []htmlFact {
	facts := []htmlFact{
		{Name: "run", Value: htmlIsolate(htmlName(r.Run.ID))},
		{Name: "base seed", Value: strconv.FormatInt(r.Run.BaseSeed, 10), Note: "trial k runs with the base seed plus k"},
		{Name: "trials, workers, processes", Value: fmt.Sprintf("%d, %d, %d", r.Run.Trials, r.Run.Workers, r.Run.Procs)},
	}
	add := func(name, v string) {
		if v != "" {
			facts = append(facts, htmlFact{Name: name, Value: htmlIsolate(htmlName(v))})
		}
	}
	add("commit", r.Run.Commit)
	add("started", r.Run.Started)
	add("ended", r.Run.Ended)
	add("scorer", r.ScorerDigest)
	if sh := r.Run.Shard; sh != nil {
		facts = append(facts, htmlFact{Name: "shard", Value: fmt.Sprintf("%d of %d", sh.Index, sh.Count)})
	}
	return facts
}

// htmlCauses says why trials are missing and how the agent itself failed.
func htmlCauses(s Suite, id string) *htmlTable {
	t := &htmlTable{
		ID:      id + "-causes",
		Caption: "Causes of trials that are missing or failed by themselves",
		Columns: []htmlColumn{{Name: "cause"}, {Name: "trials"}, {Name: "counts as", Text: true}},
	}
	for _, list := range []struct {
		causes []CauseCount
		as     string
	}{{s.Missing, "missing: in no mean"}, {s.Agent, "the agent’s own: reward 0"}, {s.Other, "not known"}} {
		for i, c := range list.causes {
			if i == shownSentences {
				break
			}
			t.add(htmlIsolate(htmlName(string(c.Cause))), count(float64(c.N)), list.as)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// htmlTasks has one row a task.
func htmlTasks(r record.SplitResult, tasks []record.TaskResult, id string) *htmlTable {
	t := &htmlTable{
		ID:      id + "-tasks",
		Caption: htmlIsolate("All tasks of " + htmlName(r.Suite) + ", arm " + htmlName(r.Arm)),
		Note:    "Trials in order, the first with the base seed; " + missingMark + " is a missing trial, not a 0.",
		Live:    true,
		Columns: []htmlColumn{{Name: "task"}, {Name: "reward", Sort: "ascending"}, {Name: "stderr"}, {Name: "valid"}, {Name: "of"}, {Name: "trials", Text: true}, {Name: "why", Text: true}},
	}
	for _, task := range tasks {
		t.add(htmlIsolate(htmlName(task.Task)), htmlShare(task.Reward), spreadOf(r, htmlShare(task.Stderr)), strconv.Itoa(task.NValid), strconv.Itoa(task.NTrials),
			htmlCell{Text: marks(task, 60), Class: "m"}, htmlIsolate(htmlWhy(task)))
	}
	return t
}

// htmlWhy says what lowered a task, and why trials of it are missing.
func htmlWhy(task record.TaskResult) string {
	short := task
	short.Feedback = nil
	for _, f := range task.Feedback {
		short.Feedback = append(short.Feedback, htmlLine(f, 200))
	}
	short.Causes = nil
	for _, c := range task.Causes {
		short.Causes = append(short.Causes, record.Cause(htmlLine(string(c), 60)))
	}
	var parts []string
	if s := reason(short); s != "" {
		parts = append(parts, htmlLine(s, 200))
	}
	var order []record.Cause
	counts := map[record.Cause]int{}
	for i, e := range task.TrialRewards {
		if _, ok := e.Value(); ok || i >= len(short.Causes) || short.Causes[i] == "" {
			continue
		}
		if counts[short.Causes[i]]++; counts[short.Causes[i]] == 1 {
			order = append(order, short.Causes[i])
		}
	}
	for i, c := range order {
		if i == shownTasks {
			parts = append(parts, "and more")
			break
		}
		parts = append(parts, fmt.Sprintf("missing: %s %d", c, counts[c]))
	}
	return strings.Join(parts, "; ")
}

// htmlKs has one row a k.
func htmlKs(s Suite, id string) *htmlTable {
	t := &htmlTable{
		ID:      id + "-passes",
		Caption: "Passes in k trials",
		Note:    "A trial passes at reward " + strconv.FormatFloat(s.Result.PassThreshold, 'g', -1, 64) + " or more. pass^k: all k trials pass; pass@k: at least one does.",
		Columns: []htmlColumn{{Name: "k"}, {Name: "pass^k"}, {Name: "pass@k"}},
	}
	none := record.SplitResult{}.Reward // undefined
	get := func(ks []int, k int, m func(int) string) string {
		if !slices.Contains(ks, k) {
			return htmlShare(none)
		}
		return m(k)
	}
	for _, k := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.HatKs, s.AtKs)))) {
		if len(t.Rows) == shownSentences {
			break
		}
		t.add(strconv.Itoa(k),
			get(s.HatKs, k, func(k int) string { return htmlShare(s.Result.PassHatK[k]) }),
			get(s.AtKs, k, func(k int) string { return htmlShare(s.Result.PassAtK[k]) }))
	}
	if len(t.Rows) == 0 {
		t.add("1", dashMark, dashMark)
	}
	return t
}

// htmlPass draws pass^k and pass@k against k. There is nothing to draw below two
// values of k.
func htmlPass(s Suite, id string) (*htmlFigure, error) {
	if len(s.HatKs) < 2 {
		return nil, nil
	}
	hat, at := plot.Curve{Label: "pass^k"}, plot.Curve{Label: "pass@k"}
	for _, k := range s.HatKs {
		if v, ok := s.Result.PassHatK[k].Value(); ok {
			hat.Ks, hat.Ys = append(hat.Ks, k), append(hat.Ys, v)
		}
	}
	for _, k := range s.AtKs {
		if v, ok := s.Result.PassAtK[k].Value(); ok {
			at.Ks, at.Ys = append(at.Ks, k), append(at.Ys, v)
		}
	}
	c := plot.Curves{
		Alt: plot.Alt{ID: id + "-pass", Title: "pass^k and pass@k against k",
			Desc: "Two lines over k trials. All k trials of a task pass: pass^k, full line with dots. At least one passes: pass@k, dashed line with squares. The table beside has the values."},
		Axis: "k, trials of a task", Lines: []plot.Curve{hat, at},
	}
	svg, err := c.SVG()
	if err != nil {
		return nil, err
	}
	return &htmlFigure{Label: "pass^k and pass@k against k", SVG: template.HTML(svg), Caption: "pass^k, full line: all of k trials pass. pass@k, dashed: at least one does."}, nil
}
