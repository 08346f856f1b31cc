package record

import (
	"cmp"
	"maps"
	"slices"
)

// PlanOf returns the plan that trials imply where nobody wrote one: the rows
// are the plan. Suite, split and arm are those of the first trial. A trial
// number that no row has, below one that a row has, was not declared; it is
// listed as elsewhere. The base seed is that of the rows where all agree on
// one, else 0.
func PlanOf(trials []Trial) Run {
	run := Run{Schema: RunSchema, PassThreshold: 1, Plan: []PlanTask{}}
	if len(trials) > 0 {
		k := trials[0].Key()
		run.Suite, run.Split, run.Arm = k.Suite, k.Split, k.Arm
	}
	seen := map[string]map[int]bool{}
	plan := map[string]PlanTask{}
	var ids agreed[string]
	var seeds agreed[int64]
	for i := range trials {
		t := &trials[i]
		ids.see(t.Run)
		seeds.see(t.Seed - int64(t.Trial))
		p := plan[t.Task]
		p.Task = t.Task
		p.Trials = max(p.Trials, t.Trial+1)
		p.Cluster = cmp.Or(p.Cluster, t.Cluster)
		p.ContentDigest = cmp.Or(p.ContentDigest, t.ContentDigest)
		plan[t.Task] = p
		if seen[t.Task] == nil {
			seen[t.Task] = map[int]bool{}
		}
		seen[t.Task][t.Trial] = true
	}
	for _, id := range slices.Sorted(maps.Keys(plan)) {
		p := plan[id]
		for k := range p.Trials {
			if !seen[id][k] {
				p.Elsewhere = append(p.Elsewhere, k)
			}
		}
		run.Trials = max(run.Trials, p.Trials-len(p.Elsewhere))
		run.Plan = append(run.Plan, p)
	}
	run.ID, run.BaseSeed = ids.value(), seeds.value()
	return run
}

// agreed is the value that all who were seen have, or zero.
type agreed[T comparable] struct {
	first T
	n     int
	split bool
}

func (a *agreed[T]) see(v T) {
	if a.n++; a.n == 1 {
		a.first = v
	}
	a.split = a.split || v != a.first
}

func (a *agreed[T]) value() (v T) {
	if !a.split {
		v = a.first
	}
	return v
}
