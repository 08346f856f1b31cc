package reporter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/jstemmer/go-junit-report/v2/junit"
)

// judgement is what was judged of one suite and split.
type judgement struct {
	suite     string
	split     record.Split
	whole     bool // of the run as a whole, and of no suite
	decisions []SuiteDecision
	finals    []Held
	checks    []Check
}

// class is the name of the suite of a judgement.
func (g judgement) class() string {
	if g.whole {
		return "verdict"
	}
	parts := []string{classPart(g.suite)}
	if g.split != "" {
		parts = append(parts, classPart(string(g.split)))
	}
	return joined(append(parts, "verdict")...)
}

// judged gathers the verdicts and checks of every suite and split, in order.
func (j *junitWriter) judged() []judgement {
	var all []judgement
	of := func(suite string, split record.Split) *judgement {
		for i := range all {
			if all[i].suite == suite && all[i].split == split {
				return &all[i]
			}
		}
		all = append(all, judgement{suite: suite, split: split})
		return &all[len(all)-1]
	}
	shown := j.doc.Verdict == "" || j.doc.Verdict == gate.Accepted && len(j.doc.Decisions) > 0
	for _, v := range j.doc.Decisions {
		g := of(v.Decision.Suite, v.Decision.Split)
		g.decisions = append(g.decisions, v)
		shown = shown || v.Decision.Verdict == j.doc.Verdict
	}
	for _, h := range j.doc.Finals {
		f := h.Final
		if f.Comparison != nil && f.Comparison.Verdict != "" && len(of(f.Suite, f.Test.Split).decisions) == 0 {
			g := of(f.Suite, f.Test.Split)
			g.finals = append(g.finals, h)
		}
	}
	for _, c := range j.doc.Checks {
		g := of(c.Suite, c.Split)
		g.checks = append(g.checks, c)
	}
	slices.SortStableFunc(all, func(a, b judgement) int { return inOrder(a.suite, b.suite, a.split, b.split) })
	if !shown {
		all = append([]judgement{{whole: true}}, all...)
	}
	return all
}

// judgedSuite is a suite with a case for each verdict and each check.
func (j *junitWriter) judgedSuite(g judgement, class string) (junit.Testsuite, error) {
	ts := junit.Testsuite{Name: class, Time: seconds(0)}
	ts.AddProperty("schema", JUnitSchema)
	facts := j.factsOf(g)
	heads := j.headsOf(g, facts)
	addProperty(&ts, "headline", heads[0])
	if j.doc.Verdict != "" {
		addProperty(&ts, "verdict_of_all", string(j.doc.Verdict))
	}
	var ids []string
	var cases []junit.Testcase
	add := func(id string, c junit.Testcase) { ids, cases = append(ids, id), append(cases, c) }
	if g.whole {
		said := "the verdict on all suites: " + heads[0]
		add("verdict", j.judgedCase(string(j.doc.Verdict), j.doc.Verdict, said, said))
	}
	for i, v := range g.decisions {
		d := v.Decision
		if i == 0 {
			describeDecision(&ts, d)
		}
		body, err := decisionBody(v, facts)
		if err != nil {
			return ts, fmt.Errorf("junit: verdict on suite %q: %w", d.Suite, err)
		}
		name := "verdict on "
		if d.Verdict == "" {
			name = "comparison of "
		}
		add(name+named(d.Suite)+" ("+named(string(d.Split))+")", j.judgedCase(d.Code, d.Verdict, headline(v)+"; "+strings.Join(append(numbers(d), facts...), "; "), body))
	}
	for _, h := range g.finals {
		f := h.Final
		said := named(f.Comparison.Verdict) + ": " + heldLine(f)
		body := said + "\n" + strings.Join(append(facts, "rule "+named(f.Comparison.Rule)+", "+named(f.Comparison.Code)), "\n")
		add("verdict on release "+named(f.Seal.Release), j.judgedCase(f.Comparison.Code, gate.Outcome(f.Comparison.Verdict), said+"; "+strings.Join(facts, "; "), body))
	}
	for _, c := range g.checks {
		add("check "+c.Name, j.checkCase(c, facts))
	}
	for i, name := range uniqueNames(ids) {
		cases[i].Name, cases[i].Classname = name, class
		ts.AddTestcase(cases[i])
	}
	return ts, nil
}

// judgedCase is a verdict as a case. Only an accepted one passes, and one that
// nobody judged.
func (j *junitWriter) judgedCase(code string, o gate.Outcome, said, body string) junit.Testcase {
	body = j.text(body)
	if o == gate.Accepted || o == "" {
		return junit.Testcase{SystemOut: &junit.Output{Data: body}}
	}
	if code = line(code, maxName); code == "" {
		code = orDash(line(string(o), maxName))
	}
	return junit.Testcase{Failure: &junit.Result{Type: code, Message: line(said, maxJUnitMessage), Data: body}}
}

// checkCase is a check as a case. One that cannot be told does not pass, and says
// that it is no failure of the change.
func (j *junitWriter) checkCase(c Check, facts []string) junit.Testcase {
	said := "passed"
	switch c.State {
	case CheckPassed:
	case CheckFailed:
		said = "failed"
	default:
		said = "cannot be told, which is no failure of the change"
	}
	// What a check says names its quantity, its value and what was needed, so it
	// comes first; what stands behind the value follows.
	first := said
	if m := line(c.Message, maxJUnitMessage/2); m != "" {
		first += ": " + m
	}
	message := line(strings.Join(append([]string{first}, facts...), "; "), maxJUnitMessage)
	body := strings.Join(append([]string{first}, facts...), "\n")
	if m, _ := block(c.Message, maxJUnitText); m != line(c.Message, maxJUnitMessage/2) {
		body += "\n" + c.Message
	}
	body = j.text(body)
	if c.State == CheckPassed {
		return junit.Testcase{SystemOut: &junit.Output{Data: body}}
	}
	kind := string(CheckUndefined)
	if c.State == CheckFailed {
		kind = string(CheckFailed)
	}
	return junit.Testcase{Failure: &junit.Result{Type: kind, Message: message, Data: body}}
}

// factsOf says in a line for every result that a judgement is about: reward,
// seeds, coverage and causes.
func (j *junitWriter) factsOf(g judgement) []string {
	var facts []string
	for _, s := range j.doc.Suites {
		r := s.Result
		if g.whole || r.Suite != g.suite || g.split != "" && r.Split != g.split || len(facts) == maxProperties {
			continue
		}
		f := fmt.Sprintf("%s: reward %s; base seed %d, trials %d; coverage %d of %d tasks, %d of %d cells",
			named(r.Arm), share(r.Reward, 3), r.Run.BaseSeed, r.Run.Trials, r.NScored, r.NTasks, s.NValid, r.NCells)
		facts = append(facts, f+causeList("; causes ", slices.Concat(s.Missing, s.Agent, s.Other)))
	}
	return facts
}

// headsOf returns the sentences that a judgement comes to, at least one.
func (j *junitWriter) headsOf(g judgement, facts []string) []string {
	var heads []string
	for _, v := range g.decisions {
		heads = append(heads, headline(v))
	}
	for _, h := range g.finals {
		heads = append(heads, heldLine(h.Final))
	}
	if g.whole {
		heads = append(heads, named(string(j.doc.Verdict))+", and no suite says why")
	}
	if len(heads) == 0 {
		bad := 0
		for _, c := range g.checks {
			if c.State != CheckPassed {
				bad++
			}
		}
		heads = append(heads, strings.Join(append([]string{fmt.Sprintf("of %d checks %d are not passed", len(g.checks), bad)}, facts...), "; "))
	}
	return heads
}

// numbers are a verdict's own: they come before those of each arm.
func numbers(d gate.Decision) []string {
	s := fmt.Sprintf("reward %s against %s, change %s; coverage %s, paired %d of %d tasks",
		share(d.Reward.Candidate, 3), share(d.Reward.Baseline, 3), difference(d.Delta), share(d.Coverage, 3), d.NPaired, d.NTasks)
	return []string{s}
}

// decisionBody is the headline, the numbers that must not be cut, and then all
// that stands behind them.
func decisionBody(v SuiteDecision, facts []string) (string, error) {
	t := &text{width: 100}
	t.line(headline(v))
	for _, f := range slices.Concat(numbers(v.Decision), facts) {
		t.line(f)
	}
	t.line("")
	if err := t.decision(v); err != nil {
		return "", err
	}
	return strings.TrimRight(t.b.String(), "\n"), nil
}

// describeDecision adds what a verdict rests on.
func describeDecision(ts *junit.Testsuite, d gate.Decision) {
	add := func(name, value string) { addProperty(ts, name, value) }
	add("suite", d.Suite)
	add("split", string(d.Split))
	add("verdict", cmp.Or(string(d.Verdict), "compared"))
	add("code", d.Code)
	add("rule", d.Rule)
	add("alpha", d.Alpha)
	add("scope", d.Scope)
	add("delta", difference(d.Delta))
	add("p_better", chance(d.PBetter))
	add("p_worse", chance(d.PWorse))
	add("coverage", share(d.Coverage, 3))
	for i, w := range d.Warnings[:min(len(d.Warnings), maxProperties)] {
		add(fmt.Sprintf("warning.%d", i+1), w.Code+": "+w.Message)
	}
}
