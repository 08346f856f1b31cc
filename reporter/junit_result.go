package reporter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/jstemmer/go-junit-report/v2/junit"
)

// classes returns the name of every result's suite: suite and split, the arm
// where it is not alone, and the run where that is not enough.
func (j *junitWriter) classes() []string {
	arms, runs := map[record.Key]map[string]bool{}, map[record.Key]int{}
	for _, s := range j.doc.Suites {
		k := record.Key{Suite: s.Result.Suite, Split: s.Result.Split}
		if arms[k] == nil {
			arms[k] = map[string]bool{}
		}
		arms[k][s.Result.Arm] = true
		runs[keyOf(s)]++
	}
	var names []string
	for _, s := range j.doc.Suites {
		r := s.Result
		parts := []string{classPart(r.Suite), classPart(string(r.Split))}
		if len(arms[record.Key{Suite: r.Suite, Split: r.Split}]) > 1 {
			parts = append(parts, classPart(r.Arm))
		}
		if runs[keyOf(s)] > 1 && r.Run.ID != "" {
			parts = append(parts, classPart(r.Run.ID))
		}
		names = append(names, joined(parts...))
	}
	return names
}

func keyOf(s Suite) record.Key {
	return record.Key{Suite: s.Result.Suite, Split: s.Result.Split, Arm: s.Result.Arm}
}

func classPart(s string) string {
	if s = line(s, maxName/2); s == "" {
		return "unnamed"
	}
	return s
}

// resultSuite is a result: a case for each of its tasks or trials.
func (j *junitWriter) resultSuite(s Suite, class string) junit.Testsuite {
	r := s.Result
	ts := junit.Testsuite{Name: class, Time: seconds(r.Totals.Seconds)}
	if r.Totals.Seconds > 0 {
		j.spent += r.Totals.Seconds
	}
	recorded(&ts, r.Run.Started)
	notices := j.describe(&ts, s)
	if r.Run.Dry {
		ts.AddTestcase(nothingMeasured(class, "a dry run: nothing was measured"))
	}
	ids := make([]string, len(r.PerTask))
	for i, t := range r.PerTask {
		ids[i] = t.Task
	}
	fallen := j.fallen(s)
	names := uniqueNames(ids)
	cells := 0
	for _, t := range r.PerTask {
		cells += max(t.NTrials, 1)
	}
	if !j.opts.PerTrial {
		cells = len(r.PerTask)
	}
	ts.Testcases = slices.Grow(ts.Testcases, cells)
	for i := range r.PerTask {
		t := &r.PerTask[i]
		c := taskCase{writer: j, suite: &s, task: t, class: class, name: names[i]}
		switch {
		case t.NTrials == 0:
			ts.AddTestcase(c.deselected())
		case j.opts.PerTrial:
			for k := range t.NTrials {
				ts.AddTestcase(c.trial(k))
			}
		default:
			ts.AddTestcase(c.whole(fallen[t.Task]))
		}
	}
	if s.NValid <= 0 && ts.Errors == 0 { // all skipped, or none at all: that must not look green
		why := "nothing was measured, and that is not a pass"
		if r.NTasks == 0 {
			why = "no task was declared, so nothing was measured"
			if r.Subset {
				why = "the selection holds no trial, so nothing was measured"
			}
		}
		ts.AddTestcase(nothingMeasured(class, why))
	}
	if len(notices) > 0 && len(ts.Testcases) > 0 {
		ts.Testcases[0].SystemOut = j.appended(ts.Testcases[0].SystemOut, list("what speaks against the numbers of "+class, notices))
	}
	return ts
}

// nothingMeasured is a case that keeps a suite without a measurement from looking
// like one without a failure.
func nothingMeasured(class, why string) junit.Testcase {
	return junit.Testcase{Name: "(" + NoticeNothing + ")", Classname: class,
		Error: &junit.Result{Type: NoticeNothing, Message: "reward -: " + why, Data: "reward -: " + why}}
}

// describe adds what is known about a result, a bounded number of properties, and
// returns the notices.
func (j *junitWriter) describe(ts *junit.Testsuite, s Suite) []string {
	r := s.Result
	add := func(name, value string) { addProperty(ts, name, value) }
	held := j.heldOf(s)
	head := measuredLine(s)
	if len(held) > 0 {
		head = heldLine(held[0].Final)
	}
	add("schema", JUnitSchema)
	add("headline", head)
	for _, v := range j.doc.Decisions {
		if v.Decision.Suite == r.Suite && v.Decision.Split == r.Split {
			add("verdict", headline(v))
			break
		}
	}
	add("suite", r.Suite)
	add("split", string(r.Split))
	add("arm", r.Arm)
	add("run", r.Run.ID)
	commit := orDash(r.Run.Commit)
	if r.Run.Dirty {
		commit += " with uncommitted changes"
	}
	add("commit", commit)
	add("base_seed", strconv.FormatInt(r.Run.BaseSeed, 10))
	add("trials", strconv.Itoa(r.Run.Trials))
	add("reward", share(r.Reward, 3))
	add("interval", strings.TrimPrefix(rewardLine(r), share(r.Reward, 3)+", "))
	add("stderr", stderrLine(r))
	add("coverage", fmt.Sprintf("%s (%d of %d tasks scored)", share(r.Coverage, 3), r.NScored, r.NTasks))
	add("cell_coverage", fmt.Sprintf("%s (%d of %d cells valid)", share(r.CellCoverage, 3), s.NValid, r.NCells))
	for i, k := range s.HatKs {
		if i < maxProperties/2 || i == len(s.HatKs)-1 {
			add("pass^"+strconv.Itoa(k), share(r.PassHatK[k], 3))
		}
	}
	add("pass_threshold", strconv.FormatFloat(r.PassThreshold, 'g', -1, 64))
	if causes := causeList("", slices.Concat(s.Missing, s.Agent, s.Other)); causes != "" {
		add("causes", causes)
	}
	add("cost", costLine(r.Totals))
	var notices []string
	for _, h := range held[:min(len(held), maxProperties/2)] {
		f := h.Final
		add("look", fmt.Sprintf("%d, release %s, %s", f.Seal.Number, named(f.Seal.Release), named(string(f.Status))))
		add("ledger", fmt.Sprintf("%s, %s, entry %d", named(f.Ledger.ID), named(f.Ledger.Scope), f.Ledger.Seq))
		for _, n := range h.Notices {
			notices = append(notices, n.Code+": "+n.Text)
		}
	}
	for _, n := range s.Notices {
		notices = append(notices, n.Code+": "+n.Text)
	}
	addList(ts, "notice", notices)
	return notices
}

// heldOf returns the published scores that rest on a result.
func (j *junitWriter) heldOf(s Suite) []Held {
	var held []Held
	for _, h := range j.doc.Finals {
		r := h.Final.Test
		if r.Split == s.Result.Split && r.Suite == s.Result.Suite && r.Arm == s.Result.Arm && r.Run.ID == s.Result.Run.ID {
			held = append(held, h)
		}
	}
	return held
}

// fallen returns the tasks of a result of which a verdict that rejects shows that
// they got worse by themselves. The result has to be the candidate's, beyond
// doubt.
func (j *junitWriter) fallen(s Suite) map[string]*gate.TaskDecision {
	if s.Result.Arm != record.DefaultArm {
		return nil
	}
	same := 0
	for _, other := range j.doc.Suites {
		if keyOf(other) == keyOf(s) {
			same++
		}
	}
	if same > 1 {
		return nil
	}
	rows := map[string]*gate.TaskDecision{}
	for _, v := range j.doc.Decisions {
		d := v.Decision
		if d.Verdict != gate.Rejected || d.Suite != s.Result.Suite || d.Split != s.Result.Split {
			continue
		}
		for i, row := range v.Changed {
			if delta, _ := row.Delta.Value(); row.Claimed && delta < 0 {
				rows[row.Task] = &v.Changed[i]
			}
		}
	}
	return rows
}
