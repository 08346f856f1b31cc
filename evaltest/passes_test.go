package evaltest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

func TestBudget(t *testing.T) {
	// Eight trials of 0.25 USD, and 0.70 to spend: after the third, which is
	// what first exceeds it, nothing starts any more.
	for name, how := range map[string]suiteRun{
		"serial": {env: []string{"CAPEVAL_BUDGET_USD=0.7"}},
		"procs":  {env: []string{"CAPEVAL_BUDGET_USD=0.7"}, procs: 2},
		"file":   {dir: "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if how.dir != "" {
				how.dir = dirOf(t, "capeval.yaml", "version: 1\nrun: {budget_usd: 0.7}\n")
			}
			r := how.on("costs").run(t)
			r.exits(t, !red) // what was not measured is missing, not wrong
			res := r.result(t)
			ran := 8 - res.NMissing
			if res.NCells != 8 || ran < 3 || ran > 2+max(1, how.procs) || res.ByCause[record.CauseNotStarted] != res.NMissing || res.Subset {
				t.Errorf("%d cells, %d missing, causes %v, subset = %v\n%s", res.NCells, res.NMissing, res.ByCause, res.Subset, r.output)
			}
			if res.Totals.CostUSD != 0.25*float64(ran) {
				t.Errorf("%v USD for %d trials", res.Totals.CostUSD, ran)
			}
			// Neither hooks nor bodies of what did not start, and AfterSplit at the end.
			if len(r.traced) != 2*ran+1 || !slices.Contains(r.traced, "after split") {
				t.Errorf("side effects %q of %d trials", r.traced, ran)
			}
			r.has(t, "capeval: stopped early: the budget of 0.7 USD is spent (")
			if s := r.outcome(t).Stopped; !strings.HasPrefix(s, "the budget of 0.7 USD is spent (") || how.procs == 0 && !strings.HasSuffix(s, " (0.75 USD)") {
				t.Errorf("outcome.json: %+v", r.outcome(t))
			}
		})
	}
}

func dirOf(t *testing.T, name, text string) string {
	t.Helper()
	path := file(t, name, text)
	return path[:len(path)-len(name)-1]
}

// A further pass builds the cells that it is told to and no others, under the
// numbers of attempt that it is told.
func TestRetriedCells(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		first := how.on("passes", append(asRunEvals, "STORM=1", "CAPEVAL_RETRIES_LEFT=1")...).run(t)
		first.exits(t, !red)
		if o := first.outcome(t); !o.AfterSplitDeferred || len(o.Asserted) != 0 {
			t.Errorf("outcome.json: %+v", o)
		}
		if slices.Contains(first.traced, "after split 2 missing") {
			t.Error("AfterSplit ran before the last pass")
		}
		todo, err := first.dir.Todo(true)
		if err != nil {
			t.Fatal(err)
		}
		want := []rundir.Pending{{Cell: record.Cell{Task: "t1", Trial: 0}, Attempt: 2}, {Cell: record.Cell{Task: "t1", Trial: 1}, Attempt: 2}}
		if !slices.Equal(todo, want) {
			t.Fatalf("to do %+v, want %+v", todo, want)
		}
		plan := first.plan(t)
		again := func(cells []rundir.Pending, env ...string) ran {
			if err := first.dir.Reset(); err != nil {
				t.Fatal(err)
			}
			if err := first.dir.WriteTodo(cells); err != nil {
				t.Fatal(err)
			}
			second := how
			second.root = first.root
			return second.on("passes", append(append(env, asRunEvals...), "CAPEVAL_TODO="+first.dir.Path)...).run(t)
		}
		// One of the two, which is still refused.
		second := again(todo[1:], "STORM=1")
		second.exits(t, !red)
		second.did(t, "before t1", "t1/1", "after split 2 missing")
		// Both, and now the weather is fine.
		todo, err = first.dir.Todo(true)
		if err != nil {
			t.Fatal(err)
		}
		if todo[0].Attempt != 2 || todo[1].Attempt != 3 {
			t.Fatalf("to do %+v", todo)
		}
		third := again(todo)
		third.exits(t, !red)
		third.did(t, "before t1", "t1/0", "before t1", "t1/1", "after split 0 missing")

		res := third.result(t)
		if res.NCells != 8 || res.NMissing != 0 || res.Subset {
			t.Errorf("%d cells, %d missing, subset = %v", res.NCells, res.NMissing, res.Subset)
		}
		attempts := map[string]int64{}
		for _, trial := range third.trials(t, "t1") {
			attempts[fmt.Sprint(trial.Trial, "/", trial.Attempt, " ", trial.Status)] = trial.Seed
		}
		if wantSeeds := map[string]int64{"0/1 missing": 7, "0/2 scored": 7, "1/1 missing": 8, "1/2 missing": 8, "1/3 scored": 8}; !maps.Equal(attempts, wantSeeds) {
			t.Errorf("attempts and seeds %v, want %v", attempts, wantSeeds)
		}
		if run := third.plan(t); run.ID != plan.ID || len(run.Plan) != 4 {
			t.Errorf("run.json: %+v", run)
		}
	})
}

// A round is a part of the plan: the whole plan is declared, the rest of it comes
// in later passes, and the result is that of one run.
func TestRounds(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		whole := how.on("passes", asRunEvals...).run(t)
		first := how.on("passes", append(asRunEvals, "CAPEVAL_ROUND=0-0", "CAPEVAL_RETRIES_LEFT=1")...).run(t)
		first.exits(t, !red)
		if o := first.outcome(t); !o.AfterSplitDeferred || len(o.Asserted) != 0 {
			t.Errorf("outcome.json: %+v", o)
		}
		if res := first.result(t); res.NCells != 8 || res.ByCause[record.CauseNotStarted] != 4 || res.Subset {
			t.Errorf("%d cells, causes %v, subset = %v", res.NCells, res.ByCause, res.Subset)
		}
		todo, err := first.dir.Todo(false)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range todo {
			if p.Trial != 1 || p.Attempt != 1 {
				t.Fatalf("to do %+v, want the second trials", todo)
			}
		}
		if err := errors.Join(first.dir.Reset(), first.dir.WriteTodo(todo)); err != nil || len(todo) != 4 {
			t.Fatalf("%d to do, %v", len(todo), err)
		}
		second := how
		second.root = first.root
		last := second.on("passes", append(asRunEvals, "CAPEVAL_TODO="+first.dir.Path)...).run(t)
		last.exits(t, !red)
		if got, want := last.result(t), whole.result(t); got.NMissing != 0 || got.Reward != want.Reward || got.Stderr != want.Stderr {
			t.Errorf("in rounds %v (stderr %v, %d missing), in one %v (stderr %v)", got.Reward, got.Stderr, got.NMissing, want.Reward, want.Stderr)
		}
	})
}

func TestBadRound(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "1", "2-1", "-1-2", "a-b"} {
		r := suiteRun{}.on("passes", append(asRunEvals, "CAPEVAL_ROUND="+bad)...).run(t)
		r.exits(t, red)
		r.did(t)
	}
}

// Another plan cannot continue the run.
func TestAnotherPlanIsRefused(t *testing.T) {
	t.Parallel()
	first := suiteRun{}.on("passes", asRunEvals...).run(t)
	first.exits(t, !red)
	if err := first.dir.WriteTodo([]rundir.Pending{{Cell: record.Cell{Task: "t1"}, Attempt: 2}}); err != nil {
		t.Fatal(err)
	}
	r := suiteRun{root: first.root}.on("passes", "CAPEVAL_TRIALS=3", "CAPEVAL_TODO="+first.dir.Path).run(t)
	r.exits(t, red)
	r.did(t)
	if got, _, err := r.dir.ReadRefusal(); err != nil || got.Exit != 5 || got.Code != "another_plan" {
		t.Errorf("refused.json: %+v, %v", got, err)
	}
}

func TestShards(t *testing.T) {
	t.Parallel()
	whole := suiteRun{}.on("seeds", asRunEvals...).run(t)
	everyWay(t, func(t *testing.T, how suiteRun) {
		var all []string
		cells := 0
		for i := range 3 {
			r := how.on("seeds", append(asRunEvals, fmt.Sprintf("CAPEVAL_SHARD=%d/3", i+1))...).run(t)
			r.exits(t, !red)
			all = append(all, r.traced...)
			res := r.result(t)
			if res.Subset || res.NMissing != 0 || res.NCells != len(r.traced) || res.NCells == 0 {
				t.Errorf("shard %d: %d cells, %d missing, subset = %v, %d bodies", i+1, res.NCells, res.NMissing, res.Subset, len(r.traced))
			}
			cells += res.NCells
			run := r.plan(t)
			if run.Shard == nil || *run.Shard != (record.Shard{Index: i + 1, Count: 3}) || len(run.Plan) != 4 {
				t.Errorf("run.json: %+v", run)
			}
		}
		// Disjoint and complete, with the seeds and random numbers of the whole.
		slices.Sort(all)
		if want := slices.Sorted(slices.Values(whole.traced)); !slices.Equal(all, want) {
			t.Errorf("the shards did %q, the whole run %q", all, want)
		}
		if n := whole.result(t).NCells; cells != n {
			t.Errorf("%d cells in the shards, %d in the whole", cells, n)
		}
	})
}

func TestAfterSplitOfAShard(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("costs", "CAPEVAL_SHARD=2/3").run(t)
		r.exits(t, !red)
		if slices.Contains(r.traced, "after split") {
			t.Error("AfterSplit ran")
		}
		r.has(t, "not run: the run is shard 2 of 3")
		if o := r.outcome(t); len(o.Asserted) != 0 || o.AfterSplitDeferred {
			t.Errorf("outcome.json: %+v", o)
		}
	})
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("small").flag("--dry-run").run(t)
	r.exits(t, !red)
	r.did(t)
	r.has(t, "not run: a dry run measures nothing")
	if _, err := os.Stat(r.root); !os.IsNotExist(err) {
		t.Errorf("a dry run left %s: %v", r.root, err)
	}
}

// A suite without any task is none of ours.
func TestSuiteWithoutTasks(t *testing.T) {
	for _, name := range []string{"nothing", "empty"} {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				r := how.on(name).run(t)
				r.exits(t, !red)
				if name == "nothing" {
					r.did(t, "ordinary")
				}
				r.lacks(t, "capeval:", "measured")
				if _, err := os.Stat(r.root); !os.IsNotExist(err) {
					t.Errorf("it left %s: %v", r.root, err)
				}
			})
		})
	}
}

func TestQuiet(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("small", "CAPEVAL_QUIET=1").run(t)
	r.exits(t, !red)
	r.lacks(t, "capeval: records:")
	suiteRun{}.on("small").run(t).has(t, "capeval: records:")
}

// A plan that may need more time than go test gives is warned of.
func TestNearDeadline(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("endless").run(t)
	r.exits(t, !red)
	r.has(t, "capeval: the plan may need 1h0m0s by its time limits, and go test ends it in", "-timeout 0")
	suiteRun{args: []string{"-test.timeout=0"}}.on("endless").run(t).lacks(t, "may need")
}

// Processes that build different trees would run some trials twice and others
// never.
func TestDifferentTreesAreRefused(t *testing.T) {
	t.Parallel()
	r := suiteRun{procs: 2}.on("small-far").run(t)
	r.exits(t, red)
	r.has(t, "built different trees", "declare tasks in a fixed order")
}
