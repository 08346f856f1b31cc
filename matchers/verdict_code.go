package matchers

import (
	"fmt"

	"github.com/capeval/capeval/gate"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
)

// HaveVerdictCode hands the code of a decision, such as gate.CodeRegression, to
// want, a matcher or the code itself. It works for indecisive decisions too. A
// gate.Verdict must be on one suite; ask one of its Suites otherwise.
func HaveVerdictCode(want any) types.GomegaMatcher {
	m := verdictCode{}
	switch x := want.(type) {
	case types.GomegaMatcher:
		m.want = x
	case string:
		m.want, m.code = gomega.Equal(x), x
	default:
		m.misuse = fmt.Errorf("HaveVerdictCode: found a %T as the expectation, need a code or a matcher", want)
	}
	return m
}

type verdictCode struct {
	want   types.GomegaMatcher
	code   string // what want was made of
	misuse error
}

func (m verdictCode) Match(actual any) (bool, error) {
	_, d, err := m.decision(actual)
	if err != nil {
		return false, err
	}
	return m.want.Match(d.Code)
}

func (m verdictCode) decision(actual any) (judged, gate.Decision, error) {
	if m.misuse != nil {
		return judged{}, gate.Decision{}, m.misuse
	}
	j, err := judgedOf("HaveVerdictCode", actual)
	if err != nil {
		return j, gate.Decision{}, err
	}
	if len(j.suites) != 1 {
		return j, gate.Decision{}, fmt.Errorf("HaveVerdictCode: found a verdict on %s, need one; ask one of its Suites", plural(len(j.suites), "suite"))
	}
	return j, j.suites[0], nil
}

func (m verdictCode) FailureMessage(actual any) string {
	return m.message(actual, types.GomegaMatcher.FailureMessage)
}

func (m verdictCode) NegatedFailureMessage(actual any) string {
	return m.message(actual, types.GomegaMatcher.NegatedFailureMessage)
}

func (m verdictCode) message(actual any, words func(types.GomegaMatcher, any) string) string {
	j, d, err := m.decision(actual)
	if err != nil {
		return err.Error()
	}
	// An inner And or Or words its message after its last Match.
	if _, err := m.want.Match(d.Code); err != nil {
		return err.Error()
	}
	return j.message(expectation(words(m.want, d.Code)))
}

func (m verdictCode) String() string {
	if m.code != "" {
		return fmt.Sprintf("HaveVerdictCode(%q)", m.code)
	}
	return fmt.Sprintf("HaveVerdictCode(%s)", show(m.want))
}

// GomegaString is what Gomega prints for the matcher.
func (m verdictCode) GomegaString() string { return m.String() }
