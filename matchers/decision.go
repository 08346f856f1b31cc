package matchers

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/onsi/gomega/types"
)

// Decider is anything that holds a decision.
type Decider interface {
	Decision() gate.Decision
}

// BeAccepted succeeds when a gate.Decision, a pointer to one, a [Decider], or a
// gate.Verdict was accepted, and fails when it was rejected. An indecisive one is
// an error, for To and for NotTo: it is neither.
func BeAccepted() types.GomegaMatcher {
	return decisionMatcher{call: "BeAccepted", want: gate.Accepted, of: judgedOf}
}

// BeRejected succeeds when a decision was rejected, and fails when it was
// accepted. An indecisive one is an error, for To and for NotTo.
func BeRejected() types.GomegaMatcher {
	return decisionMatcher{call: "BeRejected", want: gate.Rejected, of: judgedOf}
}

// BeIndecisive succeeds when a decision says that the data cannot tell.
func BeIndecisive() types.GomegaMatcher {
	return decisionMatcher{call: "BeIndecisive", want: gate.Indecisive, of: judgedOf}
}

// BeAcceptedOver decides about the result at hand as the candidate, against a
// baseline: a record.SplitResult, a pointer to one, or a [Summarizer], as the
// candidate is. The rule is improve or one of the compatibility rules. Another
// rule is an error, and so is an indecisive decision, for To and for NotTo.
func BeAcceptedOver(baseline any, rule gate.Rule) types.GomegaMatcher {
	m := decisionMatcher{call: "BeAcceptedOver", args: rule.Name, want: gate.Accepted}
	m.of = compared(m.call, baseline, rule, rule.Name != gate.RuleNoRegression && rule.Name != gate.RuleNonInferior,
		"improve or a compatibility rule; NotRegressFrom takes the others")
	return m
}

// NotRegressFrom is BeAcceptedOver for the rules no-regression and non-inferior:
// it succeeds when nothing got worse, as far as the rule asks.
func NotRegressFrom(baseline any, rule gate.Rule) types.GomegaMatcher {
	m := decisionMatcher{call: "NotRegressFrom", args: rule.Name, want: gate.Accepted}
	m.of = compared(m.call, baseline, rule, rule.Name == gate.RuleNoRegression || rule.Name == gate.RuleNonInferior,
		"no-regression or non-inferior; BeAcceptedOver takes the others")
	return m
}

// judged is what was decided, and about which suites.
type judged struct {
	verdict gate.Outcome
	suites  []gate.Decision
}

type decisionMatcher struct {
	call, args string
	want       gate.Outcome
	of         func(call string, actual any) (judged, error)
}

func (m decisionMatcher) Match(actual any) (bool, error) {
	j, err := m.of(m.call, actual)
	if err != nil {
		return false, err
	}
	if j.verdict == gate.Indecisive && m.want != gate.Indecisive {
		return false, indecisive{j.behind()}
	}
	return j.verdict == m.want, nil
}

func (m decisionMatcher) FailureMessage(actual any) string {
	return m.message(actual, "to be "+string(m.want))
}

func (m decisionMatcher) NegatedFailureMessage(actual any) string {
	return m.message(actual, "not to be "+string(m.want))
}

func (m decisionMatcher) message(actual any, words string) string {
	j, err := m.of(m.call, actual)
	if err != nil {
		return err.Error()
	}
	return j.message(words)
}

func (m decisionMatcher) String() string { return fmt.Sprintf("%s(%s)", m.call, m.args) }

// GomegaString is what Gomega prints for the matcher.
func (m decisionMatcher) GomegaString() string { return m.String() }

// judgedOf returns the decision that actual holds.
func judgedOf(call string, actual any) (judged, error) {
	const need = "need a gate.Decision, a pointer to one, a gate.Verdict, or a matchers.Decider"
	v := reflect.ValueOf(actual)
	switch {
	case !v.IsValid():
		return judged{}, fmt.Errorf("%s: found nil, %s", call, need)
	case v.Kind() == reflect.Pointer && v.IsNil():
		return judged{}, fmt.Errorf("%s: found a nil %T, %s", call, actual, need)
	}
	var j judged
	switch x := actual.(type) {
	case gate.Decision:
		j = judged{x.Verdict, []gate.Decision{x}}
	case *gate.Decision:
		j = judged{x.Verdict, []gate.Decision{*x}}
	case gate.Verdict:
		j = judged{x.Verdict, x.Suites}
	case *gate.Verdict:
		j = judged{x.Verdict, x.Suites}
	case Decider:
		d := x.Decision()
		j = judged{d.Verdict, []gate.Decision{d}}
	default:
		return judged{}, fmt.Errorf("%s: found a %T, %s", call, actual, need)
	}
	switch j.verdict {
	case gate.Accepted, gate.Rejected, gate.Indecisive:
		return j, nil
	case "":
		return judged{}, fmt.Errorf("%s: found numbers that nobody judged, as gate.Compare returns them; need those of gate.Decide", call)
	}
	return judged{}, fmt.Errorf("%s: found verdict %s, need accepted, rejected or indecisive", call, clean(string(j.verdict)))
}

// compared decides about a candidate when it is asked. fits says whether the rule
// is one for the matcher, need which are.
func compared(call string, baseline any, rule gate.Rule, fits bool, need string) func(string, any) (judged, error) {
	return func(_ string, actual any) (judged, error) {
		if !fits {
			return judged{}, fmt.Errorf("%s: found rule %s, need %s", call, clean(rule.Name), need)
		}
		b, err := resultOf(call+": the baseline", baseline)
		if err != nil {
			return judged{}, err
		}
		c, err := resultOf(call, actual)
		if err != nil {
			return judged{}, err
		}
		d, err := gate.Decide(b, c, rule)
		if err != nil && !errors.Is(err, gate.ErrSealed) { // a sealed split has a decision that says so
			return judged{}, fmt.Errorf("%s: %w", call, err)
		}
		return judged{d.Verdict, []gate.Decision{d}}, nil
	}
}

// indecisive is the error of somebody who asked whether a change was accepted or
// rejected, when it is neither.
type indecisive struct{ behind string }

// Error begins with record.UndefinedPhrase, and by saying whose fault it is not.
func (e indecisive) Error() string {
	return record.UndefinedPhrase + "this is not a failure of the change, the data cannot tell\n" + e.behind
}

// Unwrap makes the error a record.Undefined, as those of the other matchers are.
func (e indecisive) Unwrap() error {
	return record.Undefined{What: "the verdict", Why: "the data cannot tell"}
}
