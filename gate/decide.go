package gate

import (
	"errors"
	"fmt"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// ErrSealed says that somebody asked for a verdict on the test split.
var ErrSealed = errors.New("the test split is judged in the finalize job alone")

// Decide judges the candidate against the baseline by a rule. The error is the
// caller's mistake: a rule that cannot be read. A result that cannot be compared
// is no error but an indecisive decision with the code of the guard; one of the
// test split is both, and its decision says so.
func Decide(baseline, candidate record.SplitResult, rule Rule) (Decision, error) {
	d, err := decide(baseline, candidate, rule, false)
	if err == nil && d.Code == CodeTestSplit {
		err = fmt.Errorf("gate: %w", ErrSealed)
	}
	return d, err
}

// DecideFinal judges as Decide does, of any split. It is for the finalize job.
func DecideFinal(baseline, candidate record.SplitResult, rule Rule) (Decision, error) {
	return decide(baseline, candidate, rule, true)
}

// Compare computes the numbers of a Decision for any split and judges nothing:
// verdict and code are empty. Whether the two may be compared is not asked. The
// error is a rule that cannot be read.
func Compare(baseline, candidate record.SplitResult, rule Rule) (Decision, error) {
	t, err := rule.read()
	if err != nil {
		return Decision{}, err
	}
	a := pairUp(baseline, candidate)
	d, c := t.numbers(a)
	t.warn(a, &d, c)
	return d, nil
}

// decide reads the rule and judges.
func decide(baseline, candidate record.SplitResult, rule Rule, final bool) (Decision, error) {
	t, err := rule.read()
	if err != nil {
		return Decision{}, err
	}
	return t.decide(pairUp(baseline, candidate), final)
}

// decide applies the guards and the rule.
func (t terms) decide(a arms, final bool) (Decision, error) {
	if s := t.refuse(a, final); s != nil {
		return t.blank(a).stopped(s), nil
	}
	d, c := t.numbers(a)
	return t.judge(a, d, c)
}

// stopped is the decision of a guard that fired.
func (d Decision) stopped(s *stop) Decision {
	d.Verdict, d.Code, d.Message = Indecisive, s.code, s.message
	return d
}

// judge applies the guards that need numbers, which are in d, and the rule.
func (t terms) judge(a arms, d Decision, c *stats.Comparison) (Decision, error) {
	t.warn(a, &d, c)
	if s := t.thin(a, &d, c); s != nil {
		return d.stopped(s), nil
	}
	t.settle(&d, c, a)
	if p, unequal := attrition(a); unequal {
		if t.couldTurn(a, d) {
			d.Code, d.Message = CodeUnequalAttrition, fmt.Sprintf(
				"the arms lost different shares of their cells (baseline %d of %d, candidate %d of %d missing, p=%s), and what is missing could turn the verdict: repair what loses them, then retry the missing trials",
				a.baseline.NMissing, a.baseline.NCells, a.candidate.NMissing, a.candidate.NCells, small(p))
			d.Verdict = Indecisive
			return d, nil
		}
		d.warnf(WarnAttrition, "the arms lost different shares of their cells (baseline %d of %d, candidate %d of %d missing); whatever the missing ones were, the verdict stands",
			a.baseline.NMissing, a.baseline.NCells, a.candidate.NMissing, a.candidate.NCells)
	}
	if t.Exact {
		if err := t.audit(&d, c); err != nil {
			return d, err
		}
	}
	return d, nil
}

// couldTurn reports whether the missing cells could have led to another verdict.
func (t terms) couldTurn(a arms, d Decision) bool {
	for _, forCandidate := range []bool{false, true} {
		filled := a.filled(forCandidate)
		other, c := t.numbers(filled)
		if other.NPaired == 0 {
			return true
		}
		t.settle(&other, c, filled)
		if other.Verdict != d.Verdict {
			return true
		}
	}
	return false
}

// blank is a decision without numbers but those of tasks.
func (t terms) blank(a arms) Decision {
	d := Decision{
		Suite: a.candidate.Suite, Split: a.candidate.Split, Rule: t.Name, Scope: t.Scope, Alpha: t.Alpha,
		Improved: []string{}, Regressed: []string{}, Guards: []LimitResult{}, Warnings: []record.Warning{}, PerTask: []TaskDecision{},
		CI: record.Interval{Level: t.Level, Method: t.method()},
	}
	d.OnlyBaseline, d.OnlyCandidate = a.only()
	d.NTasks = len(a.tasks)
	for _, p := range a.pairs {
		if len(p.Baseline) > 0 && len(p.Candidate) > 0 {
			d.NPaired++
		}
	}
	return d
}

func (t terms) method() string {
	if t.Scope == ScopePopulation {
		return "bonett_price"
	}
	return "two_pseudo_trials"
}

func (d *Decision) warnf(code, format string, args ...any) {
	d.Warnings = append(d.Warnings, record.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// audit computes the p of the rule's direction once more, in big rationals.
func (t terms) audit(d *Decision, c *stats.Comparison) error {
	run := c.AuditSuite
	if t.Scope == ScopePopulation {
		run = c.AuditPopulation
	}
	exact, err := run()
	if err == nil && t.suspects(c) {
		var other stats.Audit
		if other, err = c.AuditPopulation(); err == nil {
			exact = stats.CautiousAudit(exact, other)
		}
	}
	if err != nil {
		return fmt.Errorf("gate: exact rationals: %w", err)
	}
	p := exact.Better
	if t.worse() {
		p = exact.Worse
	}
	text := p.String()
	d.PExact = &text
	return nil
}

// worse reports whether the rule asks if the candidate is worse.
func (t terms) worse() bool { return t.Name == RuleNoRegression || t.Name == RuleNonInferior }
