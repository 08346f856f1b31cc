package record

import (
	"slices"

	"github.com/capeval/capeval/stats"
)

// Task returns what r says about one of its tasks, in the form of a result
// with that task alone, and whether r has the task.
//
// Reward, pass^k and pass@k are the task's own, over its valid trials. Stderr
// and StderrWithin are the standard error of the task's mean over its trials,
// undefined below two valid trials. StderrBetween and CI speak of a sample of
// tasks, so they are undefined. Warnings are r's own where they can hold for
// one task: identical_trials, when this task's outputs are all the same.
// Totals are zero: costs are recorded for a split, not for a task.
func (r SplitResult) Task(id string) (SplitResult, bool) {
	i := slices.IndexFunc(r.PerTask, func(t TaskResult) bool { return t.Task == id })
	if i < 0 {
		return SplitResult{}, false
	}
	t := r.PerTask[i]
	v := r
	v.PerTask = []TaskResult{t}
	v.Totals = Totals{}

	rewards := t.validRewards()
	v.Reward, v.Stderr, v.StderrWithin = t.Reward, t.Stderr, t.Stderr
	v.StderrBetween, v.StderrClustered = stats.Undefined(), stats.Undefined()
	v.CI = Interval{Level: r.CI.Level, Method: r.CI.Method}

	v.NTasks, v.NScored = 1, 0
	if t.Reward.Defined() {
		v.NScored = 1
	}
	v.Coverage = stats.Defined(float64(v.NScored))
	v.NCells, v.NMissing = t.NTrials, t.NTrials-t.NValid
	v.CellCoverage = stats.Undefined()
	if t.NTrials > 0 {
		v.CellCoverage = stats.Defined(float64(t.NValid) / float64(t.NTrials))
	}
	v.Bounds.Low, v.Bounds.High = stats.MissingBounds([][]float64{rewards}, []int{t.NTrials})

	v.PassHatK, v.PassAtK = map[int]stats.Estimate{}, map[int]stats.Estimate{}
	for k := 1; k <= len(rewards); k++ {
		v.PassHatK[k] = stats.PassHat(rewards, k, r.PassThreshold)
		v.PassAtK[k] = stats.PassAt(rewards, k, r.PassThreshold)
	}

	v.ByCause = map[Cause]int{}
	for _, c := range t.Causes {
		if c != "" {
			v.ByCause[c]++
		}
	}
	v.Warnings = nil
	if distinct, valid := t.outputs(); valid >= 2 && distinct == 1 {
		for _, w := range r.Warnings {
			if w.Code == WarnIdenticalTrials {
				v.Warnings = append(v.Warnings, w)
			}
		}
	}
	return v, true
}

// validRewards returns the rewards of the trials that have one, in order.
func (t TaskResult) validRewards() []float64 {
	var xs []float64
	for _, e := range t.TrialRewards {
		if x, ok := e.Value(); ok {
			xs = append(xs, x)
		}
	}
	return xs
}

// outputs counts the valid trials that kept a digest of their output, and the
// different digests among them.
func (t TaskResult) outputs() (distinct, valid int) {
	seen := map[string]bool{}
	for i, e := range t.TrialRewards {
		if _, ok := e.Value(); ok && i < len(t.OutputDigests) && t.OutputDigests[i] != "" {
			valid++
			seen[t.OutputDigests[i]] = true
		}
	}
	return len(seen), valid
}
