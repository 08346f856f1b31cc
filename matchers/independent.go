package matchers

import (
	"fmt"

	"github.com/capeval/capeval/record"
	"github.com/onsi/gomega/format"
	"github.com/onsi/gomega/types"
)

// HaveIndependentTrials succeeds when different seeds gave different outputs
// somewhere in the split, and fails when all outputs of every task are
// byte-identical: then trials add no information, and no figure about variance
// can be trusted. It is undefined when no task has two valid trials that kept
// their output.
func HaveIndependentTrials() types.GomegaMatcher { return independent{} }

type independent struct{}

func (m independent) Match(actual any) (bool, error) {
	r, err := resultOf("HaveIndependentTrials", actual)
	if err != nil {
		return false, err
	}
	if identical(r) != "" {
		return false, nil
	}
	for _, t := range r.PerTask {
		if digests(t) >= 2 {
			return true, nil
		}
	}
	return false, record.Undefined{
		What: "the independence of trials of " + subject(r),
		Why:  "no task has 2 valid trials with an output digest; call t.Output in the tasks and run at least 2 trials a task",
	}
}

// digests counts the valid trials of t that kept a digest of their output.
func digests(t record.TaskResult) int {
	n := 0
	for i, e := range t.TrialRewards {
		if _, ok := e.Value(); ok && i < len(t.OutputDigests) && t.OutputDigests[i] != "" {
			n++
		}
	}
	return n
}

func (m independent) FailureMessage(actual any) string {
	return m.message(actual, "to differ between seeds, but all outputs are byte-identical; does the agent use the seed, or answer from a cache?")
}

func (m independent) NegatedFailureMessage(actual any) string {
	return m.message(actual, "not to differ between seeds, but some do")
}

func (m independent) message(actual any, words string) string {
	r, err := resultOf("HaveIndependentTrials", actual)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("Expected the outputs of %s\n%s%s\n%s", subject(r), format.Indent, words, behind(r))
}

func (independent) String() string { return "HaveIndependentTrials()" }

// GomegaString is what Gomega prints for the matcher.
func (m independent) GomegaString() string { return m.String() }
