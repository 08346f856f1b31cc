package record

import (
	"fmt"

	"github.com/capeval/capeval/stats"
)

// warn adds the warnings, always in the same order.
func (r *SplitResult) warn(sum stats.Summary, noted int) {
	add := func(code, format string, args ...any) {
		r.Warnings = append(r.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	if n := r.identical(); n > 0 {
		add(WarnIdenticalTrials, "%s with 2 or more valid trials gave one output and one reward in every trial: if the seed was ignored, every variance figure is too small", count(n, "task"))
	}
	if sum.MinValid != sum.MaxValid {
		add(WarnUnequalTrials, "scored tasks have %d to %d valid trials: each task still weighs the same", sum.MinValid, sum.MaxValid)
	}
	one := len(r.PerTask) > 0
	for i := range r.PerTask {
		one = one && r.PerTask[i].NTrials == 1
	}
	if one {
		add(WarnOneTrial, "1 trial a task: no spread within a task can be seen")
	}
	if noted > 0 {
		add(WarnNotes, "notes on %s", count(noted, "trial"))
	}
}

// identical returns the number of tasks with two valid trials or more, when
// none of them shows a difference between its trials in reward or output and
// every one of these trials kept a digest of its output. Otherwise it is 0.
func (r *SplitResult) identical() int {
	n := 0
	for i := range r.PerTask {
		t := &r.PerTask[i]
		if t.NValid < 2 {
			continue
		}
		n++
		first := -1
		for k, e := range t.TrialRewards {
			if !e.Defined() {
				continue
			}
			if t.OutputDigests[k] == "" {
				return 0
			}
			if first < 0 {
				first = k
			}
			if e != t.TrialRewards[first] || t.OutputDigests[k] != t.OutputDigests[first] {
				return 0
			}
		}
	}
	return n
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
