package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/capeval/capeval/record"
)

// SamePlan returns nil when a run planned as b may continue the run planned as
// a: the same suite, split, arm, base seed, tasks, trials, contents, scorer,
// shard and commit. Otherwise the error names the first difference. The order
// of the tasks is not compared.
func SamePlan(a, b record.Run) error {
	if a.Suite != b.Suite {
		return differ("suite", a.Suite, b.Suite)
	}
	if a.Split != b.Split {
		return differ("split", a.Split, b.Split)
	}
	if a.Arm != b.Arm {
		return differ("arm", a.Arm, b.Arm)
	}
	if a.BaseSeed != b.BaseSeed {
		return differ("base seed", a.BaseSeed, b.BaseSeed)
	}
	if err := samePlanTasks(byTask(a.Plan), byTask(b.Plan)); err != nil {
		return err
	}
	if a.ScorerDigest != b.ScorerDigest {
		return differ("scorer digest", a.ScorerDigest, b.ScorerDigest)
	}
	if shardOf(a) != shardOf(b) {
		return differ("shard", shardOf(a), shardOf(b))
	}
	if a.Git.Commit != b.Git.Commit {
		return differ("commit", a.Git.Commit, b.Git.Commit)
	}
	return nil
}

func samePlanTasks(a, b []record.PlanTask) error {
	for i := 0; i < len(a) || i < len(b); i++ {
		switch {
		case i >= len(b) || i < len(a) && a[i].Task < b[i].Task:
			return differ("task "+a[i].Task, "declared", "not declared")
		case i >= len(a) || b[i].Task < a[i].Task:
			return differ("task "+b[i].Task, "not declared", "declared")
		case a[i].Trials != b[i].Trials:
			return differ("trials of task "+a[i].Task, a[i].Trials, b[i].Trials)
		case a[i].ContentDigest != b[i].ContentDigest:
			return differ("content of task "+a[i].Task, a[i].ContentDigest, b[i].ContentDigest)
		}
	}
	return nil
}

func differ(what string, a, b any) error {
	return fmt.Errorf("another plan: %s: found %q, need %q as before", what, fmt.Sprint(b), fmt.Sprint(a))
}

func shardOf(r record.Run) string {
	if r.Shard == nil {
		return "whole"
	}
	return fmt.Sprintf("%d/%d", r.Shard.Index, r.Shard.Count)
}

func byTask(plan []record.PlanTask) []record.PlanTask {
	sorted := slices.Clone(plan)
	slices.SortStableFunc(sorted, func(a, b record.PlanTask) int {
		if a.Task < b.Task {
			return -1
		}
		if a.Task > b.Task {
			return 1
		}
		return 0
	})
	return sorted
}

// PlanDigest returns the SHA-256, as "sha256:" and hexadecimal digits, of what
// r plans to measure: suite, split, arm, base seed, scorer, and every task with
// its trials, its content, its cluster and what a selection left out. The
// shards of one run have one digest; commit, time and machine are no part of
// it.
func PlanDigest(r record.Run) string {
	type task struct {
		Task          string `json:"task"`
		Trials        int    `json:"trials"`
		Cluster       string `json:"cluster"`
		ContentDigest string `json:"content_digest"`
		Deselected    []int  `json:"deselected"`
	}
	plan := struct {
		Schema       string       `json:"schema"`
		Suite        string       `json:"suite"`
		Split        record.Split `json:"split"`
		Arm          string       `json:"arm"`
		BaseSeed     int64        `json:"base_seed"`
		ScorerDigest string       `json:"scorer_digest"`
		Tasks        []task       `json:"tasks"`
	}{"capeval.plan/v1", r.Suite, r.Split, r.Arm, r.BaseSeed, r.ScorerDigest, []task{}}
	for _, t := range byTask(r.Plan) {
		plan.Tasks = append(plan.Tasks, task{t.Task, t.Trials, t.Cluster, t.ContentDigest, append([]int{}, t.Deselected...)})
	}
	data, err := json.Marshal(plan)
	if err != nil {
		panic(err) // strings and integers always marshal
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
