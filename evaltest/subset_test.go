package evaltest_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/capeval/capeval/record"
)

func TestSubsets(t *testing.T) {
	two := []string{"two", "two"}
	others := []string{"one", "one", "three", "three"}
	for _, c := range []struct {
		name  string
		suite string
		flags []string
		want  []string
		red   bool // programmatic focus: Ginkgo exits with 197
	}{
		{name: "focus", suite: "small", flags: []string{"--focus=two"}, want: two},
		{name: "focus on a trial", suite: "small", flags: []string{`--focus=two \[trial 1\]`}, want: two[:1]},
		{name: "skip", suite: "small", flags: []string{"--skip=two"}, want: others},
		{name: "a label of the user's", suite: "small-labelled", flags: []string{"--label-filter=easy"}, want: two},
		{name: "not that label", suite: "small-labelled", flags: []string{"--label-filter=!easy"}, want: others},
		{name: "the label of the task", suite: "small", flags: []string{"--label-filter=task: containsAny two"}, want: two},
		{name: "pending", suite: "small-pending", want: others},
		{name: "programmatic focus", suite: "small-focus", want: two, red: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				r := how.on(c.suite, asRunEvals...).flag(c.flags...).run(t)
				r.exits(t, c.red)
				r.did(t, c.want...) // no AfterSplit among it
				res := r.result(t)
				if !res.Subset || res.NCells != len(c.want) || res.NMissing != 0 || len(res.ByCause) != 0 {
					t.Errorf("subset = %v, %d cells of which %d are missing, causes %v; want a subset of %d", res.Subset, res.NCells, res.NMissing, res.ByCause, len(c.want))
				}
				run := r.plan(t)
				cells, left := 0, 0
				for _, p := range run.Plan {
					cells += p.Trials
					left += len(p.Deselected)
				}
				if !run.Subset || len(run.Plan) != 3 || cells != 6 || left != 6-len(c.want) {
					t.Errorf("run.json: subset = %v, %d tasks, %d cells of which %d are deselected", run.Subset, len(run.Plan), cells, left)
				}
				if !c.red {
					r.has(t, "AfterSplit(val)", "not run: the run is a subset", "this is a subset of the plan")
				}
				if o := r.outcome(t); len(o.Asserted) != 0 {
					t.Errorf("asserted %+v", o.Asserted)
				}
			})
		})
	}
}

func TestSkipAndFocusFiles(t *testing.T) {
	for _, c := range []struct {
		flag string
		want int
	}{{"--focus-file=grids_test.go", 6}, {"--skip-file=nothing_test.go", 6}} {
		t.Run(c.flag, func(t *testing.T) {
			t.Parallel()
			r := suiteRun{}.on("small", asRunEvals...).flag(c.flag).run(t)
			r.exits(t, !red)
			if res := r.result(t); res.NCells != c.want || res.Subset {
				t.Errorf("%d cells, subset = %v: a filter that leaves all is no subset", res.NCells, res.Subset)
			}
			r.did(t, "one", "one", "two", "two", "three", "three", "after split")
		})
	}
	t.Run("--skip-file of everything", func(t *testing.T) {
		t.Parallel()
		r := suiteRun{}.on("small", asRunEvals...).flag("--skip-file=grids_test.go").run(t)
		r.exits(t, red)
		r.did(t)
	})
}

// A selection of nothing is no pass, whatever Ginkgo says.
func TestSelectionOfNothing(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		for _, r := range []ran{
			how.on("small").flag("--label-filter=split:vla").run(t),
			how.on("small").flag("--focus=nobody").run(t),
			how.on("small-all-pending").run(t),
		} {
			r.exits(t, red)
			r.did(t)
			r.has(t, "nothing was measured, and that is not a pass")
		}
	})
}

// A subset is marked in the files, not only when it is computed again.
func TestSubsetIsWritten(t *testing.T) {
	r := suiteRun{}.on("small").flag("--focus=two").run(t)
	got := readResult(t, filepath.Join(r.dir.Path, "result.json"))
	if !got.Subset || got.NCells != 2 || got.NTasks != 1 || len(got.PerTask) != 1 || got.PerTask[0].Task != "two" {
		t.Errorf("result.json: subset = %v, %d cells of %d tasks, rows %+v", got.Subset, got.NCells, got.NTasks, got.PerTask)
	}
	if got.Reward != r.result(t).Reward || got.CellCoverage != r.result(t).CellCoverage {
		t.Error("result.json differs from plan less journal")
	}
	if i := slices.IndexFunc(r.plan(t).Plan, func(p record.PlanTask) bool { return p.Task == "one" }); !slices.Equal(r.plan(t).Plan[i].Deselected, []int{0, 1}) {
		t.Errorf("run.json: %+v", r.plan(t).Plan)
	}
}
