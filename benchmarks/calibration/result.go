package main

import (
	"fmt"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// forms makes results of suites of one size. Every trial has an output of its
// own, as an agent's have, so nothing looks like a copy: where copies are
// suspected the gate is more cautious, and its false alarms fewer.
type forms struct {
	tasks   int
	trials  int
	names   []string
	rewards [][]stats.Estimate // by the number of trials that passed
	stderrs []stats.Estimate   // of these, the same way
	outputs map[string][]string
}

func newForms(tasks, trials int) *forms {
	f := &forms{tasks: tasks, trials: trials, outputs: map[string][]string{}}
	for i := range tasks {
		f.names = append(f.names, fmt.Sprintf("task-%02d", i))
	}
	for passed := range trials + 1 {
		row := make([]stats.Estimate, trials)
		for k := range row {
			row[k] = stats.Defined(0)
			if k < passed {
				row[k] = stats.Defined(1)
			}
		}
		f.rewards = append(f.rewards, row)
		values := make([]float64, trials)
		for k := range passed {
			values[k] = 1
		}
		f.stderrs = append(f.stderrs, stats.Stderr(values))
	}
	for _, arm := range []string{"baseline", "candidate"} {
		for k := range trials {
			f.outputs[arm] = append(f.outputs[arm], fmt.Sprintf("sha256:%s-%d", arm, k))
		}
	}
	return f
}

// result is what record.Summarize would say about one arm, as far as the gate
// looks at it.
func (f *forms) result(arm string, passed []int) record.SplitResult {
	r := record.SplitResult{
		Schema: record.ResultSchema, Suite: "calibration", Split: record.Val, Arm: arm,
		NTasks: f.tasks, NScored: f.tasks, Coverage: stats.Defined(1),
		NCells: f.tasks * f.trials, CellCoverage: stats.Defined(1),
		PassThreshold: 1,
		PerTask:       make([]record.TaskResult, f.tasks),
	}
	for i, n := range passed {
		r.PerTask[i] = record.TaskResult{
			Task: f.names[i], Reward: stats.Defined(float64(n) / float64(f.trials)), Stderr: f.stderrs[n],
			NTrials: f.trials, NValid: f.trials,
			TrialRewards: f.rewards[n], OutputDigests: f.outputs[arm],
		}
	}
	return r
}
