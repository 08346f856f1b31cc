package matchers

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/capeval/capeval/record"
	"github.com/onsi/gomega/types"
)

// ForTask applies m to one task of a split: m sees a record.SplitResult that
// holds the task id alone, with the task's own reward, stderr, pass^k and
// missing cells. A task that the split does not have is an error.
func ForTask(id string, m types.GomegaMatcher) types.GomegaMatcher { return forTask{id: id, m: m} }

type forTask struct {
	id string
	m  types.GomegaMatcher
}

func (f forTask) Match(actual any) (bool, error) {
	v, err := f.view(actual)
	if err != nil {
		return false, err
	}
	return f.m.Match(v)
}

func (f forTask) view(actual any) (record.SplitResult, error) {
	if f.m == nil {
		return record.SplitResult{}, errors.New("ForTask: found nil as the matcher, need one such as HaveReward(1)")
	}
	r, err := resultOf("ForTask", actual)
	if err != nil {
		return r, err
	}
	v, ok := r.Task(f.id)
	switch {
	case ok:
		return v, nil
	case r.Subset:
		return v, record.Undefined{What: "task " + clean(f.id) + " of " + subject(r), Why: "the run is a subset that does not hold it; run the whole split"}
	}
	return v, fmt.Errorf("ForTask: %s has no task %s; %s", subject(r), clean(f.id), known(r))
}

// known lists the tasks that a split has.
func known(r record.SplitResult) string {
	if len(r.PerTask) == 0 {
		return "it has none"
	}
	var ids []string
	for _, t := range r.PerTask {
		ids = append(ids, clean(t.Task))
	}
	slices.Sort(ids)
	if n := len(ids); n > shownTrials {
		ids = append(ids[:shownTrials], fmt.Sprintf("... (%d in all)", n))
	}
	return "it has " + strings.Join(ids, ", ")
}

func (f forTask) FailureMessage(actual any) string {
	v, err := f.view(actual)
	if err != nil {
		return err.Error()
	}
	return f.m.FailureMessage(v)
}

func (f forTask) NegatedFailureMessage(actual any) string {
	v, err := f.view(actual)
	if err != nil {
		return err.Error()
	}
	return f.m.NegatedFailureMessage(v)
}

func (f forTask) String() string { return fmt.Sprintf("ForTask(%q, %s)", f.id, show(f.m)) }

// GomegaString is what Gomega prints for the matcher.
func (f forTask) GomegaString() string { return f.String() }
