package rundir

import (
	"slices"
	"testing"

	"github.com/capeval/capeval/record"
)

func TestSamePlan(t *testing.T) {
	check := func(want string, change func(*record.Run)) {
		t.Helper()
		a, b := plan(), plan()
		a.ScorerDigest, b.ScorerDigest = "sha256:s", "sha256:s"
		a.Git.Commit, b.Git.Commit = "c0ffee", "c0ffee"
		change(&b)
		got := ""
		if err := SamePlan(a, b); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("", func(r *record.Run) {})
	check("", func(r *record.Run) { // what may differ in a resumed run
		r.ID, r.Started, r.Attempt, r.Workers, r.Procs = "run-2", "later", 2, 8, 4
		slices.Reverse(r.Plan)
	})
	check(`another plan: suite: found "other", need "suite" as before`, func(r *record.Run) { r.Suite = "other" })
	check(`another plan: split: found "train", need "val" as before`, func(r *record.Run) { r.Split = record.Train })
	check(`another plan: arm: found "baseline", need "candidate" as before`, func(r *record.Run) { r.Arm = "baseline" })
	check(`another plan: base seed: found "101", need "100" as before`, func(r *record.Run) { r.BaseSeed = 101 })
	check(`another plan: task task-39: found "not declared", need "declared" as before`, func(r *record.Run) { r.Plan = r.Plan[:39] })
	check(`another plan: task new: found "declared", need "not declared" as before`, func(r *record.Run) {
		r.Plan = append(r.Plan, record.PlanTask{Task: "new", Trials: 1})
	})
	check(`another plan: trials of task task-07: found "51", need "50" as before`, func(r *record.Run) { r.Plan[7].Trials++ })
	check(`another plan: content of task task-07: found "sha256:x", need "`+plan().Plan[7].ContentDigest+`" as before`,
		func(r *record.Run) { r.Plan[7].ContentDigest = "sha256:x" })
	check(`another plan: scorer digest: found "sha256:t", need "sha256:s" as before`, func(r *record.Run) { r.ScorerDigest = "sha256:t" })
	check(`another plan: shard: found "1/2", need "whole" as before`, func(r *record.Run) { r.Shard = &record.Shard{Index: 1, Count: 2} })
	check(`another plan: commit: found "decade", need "c0ffee" as before`, func(r *record.Run) { r.Git.Commit = "decade" })
}

func TestPlanDigest(t *testing.T) {
	same := func(want bool, why string, change func(*record.Run)) {
		t.Helper()
		a, b := plan(), plan()
		change(&b)
		if got := PlanDigest(a) == PlanDigest(b); got != want {
			t.Errorf("%s: the same digest: %v", why, got)
		}
	}
	same(true, "order, time, commit and shard are no part of it", func(r *record.Run) {
		slices.Reverse(r.Plan)
		r.ID, r.Started, r.Git.Commit, r.Shard = "x", "later", "c0ffee", &record.Shard{Index: 2, Count: 3}
		for i := range r.Plan {
			r.Plan[i].Elsewhere = []int{1}
		}
	})
	same(false, "base seed", func(r *record.Run) { r.BaseSeed++ })
	same(false, "scorer", func(r *record.Run) { r.ScorerDigest = "x" })
	same(false, "trials", func(r *record.Run) { r.Plan[3].Trials++ })
	same(false, "content", func(r *record.Run) { r.Plan[3].ContentDigest = "x" })
	same(false, "selection", func(r *record.Run) { r.Plan[3].Deselected = []int{0} })
	same(false, "arm", func(r *record.Run) { r.Arm = "baseline" })
}
