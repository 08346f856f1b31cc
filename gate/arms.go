package gate

import (
	"slices"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// arms are two results side by side, one pair a task that either declares,
// sorted by id.
type arms struct {
	baseline, candidate record.SplitResult
	tasks               []string
	b, c                []*record.TaskResult // nil where an arm does not declare the task
	pairs               []stats.Pair
}

func pairUp(baseline, candidate record.SplitResult) arms {
	a := arms{baseline: baseline, candidate: candidate}
	b, c := byTask(baseline), byTask(candidate)
	for id := range b {
		a.tasks = append(a.tasks, id)
	}
	for id := range c {
		if b[id] == nil {
			a.tasks = append(a.tasks, id)
		}
	}
	slices.Sort(a.tasks)
	for _, id := range a.tasks {
		a.b, a.c = append(a.b, b[id]), append(a.c, c[id])
		a.pairs = append(a.pairs, pair(b[id], c[id]))
	}
	return a
}

func byTask(r record.SplitResult) map[string]*record.TaskResult {
	m := make(map[string]*record.TaskResult, len(r.PerTask))
	for i := range r.PerTask {
		m[r.PerTask[i].Task] = &r.PerTask[i]
	}
	return m
}

func pair(b, c *record.TaskResult) stats.Pair {
	var p stats.Pair
	if b != nil {
		p.Baseline, p.BaselineOutputs = valid(b)
		p.BaselinePlanned, p.Cluster = b.NTrials, b.Cluster
	}
	if c != nil {
		p.Candidate, p.CandidateOutputs = valid(c)
		p.CandidatePlanned = c.NTrials
		if p.Cluster == "" {
			p.Cluster = c.Cluster
		}
	}
	return p
}

// valid returns the rewards of a task's valid trials and the digests beside
// them.
func valid(t *record.TaskResult) (rewards []float64, outputs []string) {
	for i, r := range t.TrialRewards {
		if v, ok := r.Value(); ok {
			rewards = append(rewards, v)
			digest := ""
			if i < len(t.OutputDigests) {
				digest = t.OutputDigests[i]
			}
			outputs = append(outputs, digest)
		}
	}
	return rewards, outputs
}

// rewards are the mean rewards of both arms over the paired tasks.
func (a arms) rewards() Arms {
	var b, c [][]float64
	for _, p := range a.pairs {
		if len(p.Baseline) > 0 && len(p.Candidate) > 0 {
			b, c = append(b, p.Baseline), append(c, p.Candidate)
		}
	}
	return Arms{stats.Summarize(b).Reward, stats.Summarize(c).Reward}
}

// only lists the tasks that one arm alone declares.
func (a arms) only() (baseline, candidate []string) {
	baseline, candidate = []string{}, []string{}
	for i, id := range a.tasks {
		switch {
		case a.c[i] == nil:
			baseline = append(baseline, id)
		case a.b[i] == nil:
			candidate = append(candidate, id)
		}
	}
	return baseline, candidate
}

// filled returns the arms with every missing cell of one arm at 1 and of the
// other at 0: the most that the missing data could say for or against the
// candidate.
func (a arms) filled(forCandidate bool) arms {
	base, cand := 1.0, 0.0
	if forCandidate {
		base, cand = 0, 1
	}
	return pairUp(fill(a.baseline, base), fill(a.candidate, cand))
}

func fill(r record.SplitResult, reward float64) record.SplitResult {
	r.PerTask = slices.Clone(r.PerTask)
	for i := range r.PerTask {
		t := &r.PerTask[i]
		t.TrialRewards = slices.Clone(t.TrialRewards)
		for k, v := range t.TrialRewards {
			if !v.Defined() {
				t.TrialRewards[k] = stats.Defined(reward)
			}
		}
	}
	r.NMissing = 0
	return r
}
