package evaltest_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/capeval/capeval/record"
)

func TestInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				how = how.on("slow-suite", asRunEvals...).flag("--seed=1").interrupted(t, signal)
				r := how.run(t)
				r.exits(t, red)
				res := r.result(t)
				if res.NCells != 12 || res.NTasks != 6 {
					t.Errorf("the denominator is %d cells of %d tasks, want 12 of 6", res.NCells, res.NTasks)
				}
				// No 0 among them: the Eventually that the interrupt ended is not the agent's.
				if res.ByCause[record.CauseExpectation] != 0 || res.ByCause[record.CauseAgentTimeout] != 0 {
					t.Errorf("causes %v", res.ByCause)
				}
				if in, never := res.ByCause[record.CauseInterrupted], res.ByCause[record.CauseNotStarted]; in < 1 || in > 2 || in+never != res.NMissing {
					t.Errorf("%d missing, causes %v", res.NMissing, res.ByCause)
				}
				if v, ok := res.Reward.Value(); ok && v != 1 {
					t.Errorf("reward %v: what ended had reward 1", res.Reward)
				}
				i := slices.IndexFunc(r.trials(t, "t2"), func(tr record.Trial) bool { return tr.Trial == 0 })
				if i < 0 {
					t.Fatalf("no record of the trial that was interrupted\n%s", r.output)
				}
				want{cause: record.CauseInterrupted}.check(t, r.trials(t, "t2")[i])
				r.has(t, "AfterSplit saw 12 cells", "capeval: stopped early: interrupted")
				if run := r.plan(t); run.Stopped != "interrupted" || run.Subset {
					t.Errorf("run.json: stopped %q, subset = %v", run.Stopped, run.Subset)
				}
			})
		})
	}
}

func TestSuiteTimeout(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		timeout := "--timeout=1s"
		if how.procs > 0 {
			timeout = "--timeout=5s" // of which the command takes its part
		}
		r := how.on("slow-suite", append(asRunEvals, "ANNOUNCE="+t.TempDir()+"/announced")...).flag(timeout, "--grace-period=1s").run(t)
		r.exits(t, red)
		res := r.result(t)
		if res.NCells != 12 || res.ByCause[record.CauseInterrupted] < 1 || res.ByCause[record.CauseExpectation] != 0 ||
			res.ByCause[record.CauseInterrupted]+res.ByCause[record.CauseNotStarted] != res.NMissing {
			t.Errorf("%d cells, %d missing, causes %v\n%s", res.NCells, res.NMissing, res.ByCause, r.output)
		}
		r.has(t, "AfterSplit saw 12 cells")
		if run := r.plan(t); run.Stopped == "" || run.Subset {
			t.Errorf("run.json: stopped %q, subset = %v", run.Stopped, run.Subset)
		}
	})
}

func TestFailFast(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("red-first", asRunEvals...).flag("--fail-fast").run(t)
		r.exits(t, red)
		res := r.result(t)
		if res.NCells != 8 || res.NMissing < 8-2 || res.ByCause[record.CauseNotStarted]+res.ByCause[record.CauseInterrupted] != res.NMissing || res.Subset {
			t.Errorf("%d cells, %d missing, causes %v, subset = %v; want 8 cells and no subset\n%s", res.NCells, res.NMissing, res.ByCause, res.Subset, r.output)
		}
		if how.procs == 0 {
			r.did(t, "after split 8 of 8 missing")
			if o := r.outcome(t); o.Stopped != "--fail-fast" || o.OrdinaryFailed != 1 || o.SpecsRed != 1 {
				t.Errorf("outcome.json: %+v", o)
			}
		}
	})
	t.Run("without it the suite goes on", func(t *testing.T) {
		t.Parallel()
		r := suiteRun{}.on("red-first").run(t)
		r.exits(t, red)
		if res := r.result(t); res.NMissing != 0 {
			t.Errorf("%d cells are missing", res.NMissing)
		}
		if o := r.outcome(t); o.OrdinaryFailed != 1 || o.Stopped != "" {
			t.Errorf("outcome.json: %+v", o)
		}
	})
}

func TestBeforeSuite(t *testing.T) {
	for name, stopped := range map[string]string{"before-suite-fails": "BeforeSuite failed", "before-suite-skips": "BeforeSuite was skipped"} {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				r := how.on(name, asRunEvals...).run(t)
				r.exits(t, red) // nothing was measured, even where Ginkgo is content
				res := r.result(t)
				if res.NCells != 2 || res.NMissing != 2 || res.ByCause[record.CauseNotStarted] != 2 || res.Subset || res.Reward.Defined() {
					t.Errorf("%d cells, %d missing, causes %v, subset = %v, reward %v\n%s", res.NCells, res.NMissing, res.ByCause, res.Subset, res.Reward, r.output)
				}
				if o := r.outcome(t); o.Stopped != stopped {
					t.Errorf("outcome.json: stopped %q", o.Stopped)
				}
			})
		})
	}
}

// A process dies in the middle of a trial: that trial is interrupted, those
// that had ended are there, those that nobody began are not started.
func TestDeathOfAProcess(t *testing.T) {
	for _, death := range []string{"exit", "kill"} {
		for procs, how := range map[string]suiteRun{"serial": {}, "procs": {procs: 2}} {
			t.Run(death+" "+procs, func(t *testing.T) {
				t.Parallel()
				r := how.on("dies", "DEATH="+death).run(t)
				r.exits(t, red)
				res := r.result(t)
				if res.NCells != 24 || res.NTasks != 8 {
					t.Errorf("the denominator is %d cells of %d tasks, want 24 of 8\n%s", res.NCells, res.NTasks, r.output)
				}
				valid := 0
				for _, row := range res.PerTask {
					valid += row.NValid
					for k, cause := range row.Causes {
						if row.Task == "t3" && k == 1 && cause != record.CauseInterrupted {
							t.Errorf("the trial that died has cause %q", cause)
						}
					}
				}
				in, never := res.ByCause[record.CauseInterrupted], res.ByCause[record.CauseNotStarted]
				if in < 1 || in > 2 || valid+in+never != 24 || res.NMissing != in+never {
					t.Errorf("%d valid, causes %v", valid, res.ByCause)
				}
				// Every body that came to its end but those whose records were
				// being written when the process died.
				ended := 0
				for _, line := range r.traced {
					if strings.HasPrefix(line, "ended ") {
						ended++
					}
				}
				if valid < ended-1 {
					t.Errorf("%d bodies ended and %d trials are valid", ended, valid)
				}
				if procs == "procs" && valid < 22 { // the other process goes on
					t.Errorf("%d valid trials, want all but the one or two in flight\n%s", valid, r.output)
				}
			})
		}
	}
}

// A body that ignores the end of its time cannot touch another trial.
func TestLateAnswers(t *testing.T) {
	for name, how := range map[string]suiteRun{"serial": {}, "procs": {procs: 2}, "workers": {env: []string{"CAPEVAL_WORKERS=2"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			r := how.on("limit-ignored").run(t)
			r.exits(t, !red)
			want{scored: true, cause: record.CauseAgentTimeout}.check(t, r.trials(t, "it")[0])
			want{scored: true, reward: 0.5}.check(t, r.trials(t, "next")[0])
			want{scored: true, reward: 1}.check(t, r.trials(t, "last")[0])
			for _, id := range []string{"it", "next", "last"} {
				if n := len(r.trials(t, id)); n != 1 {
					t.Errorf("%s has %d records", id, n)
				}
			}
			r.has(t, "its body goes on after the end of its time and was left behind")
			if time.Since(began) > time.Minute {
				t.Error("the run waited for the body")
			}
		})
	}
}

// A goroutine that no trial started fails an expectation.
func TestFailureOfAStranger(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("stranger").run(t)
	r.exits(t, !red)
	want{scored: true, cause: record.CauseExpectation}.check(t, r.trials(t, "it")[0])
	want{scored: true, reward: 0.5}.check(t, r.trials(t, "next")[0])

	// While a body that was left behind still runs, nobody can say whose it is.
	r = suiteRun{}.on("stranger-while-leaked").run(t)
	r.exits(t, !red)
	want{scored: true, cause: record.CauseAgentTimeout}.check(t, r.trials(t, "leaks")[0])
	want{cause: record.CauseRunner}.check(t, r.trials(t, "it")[0])
	want{scored: true, reward: 0.5}.check(t, r.trials(t, "next")[0])
	if m := r.trials(t, "it")[0].Message; !strings.Contains(m, "cannot be attributed") {
		t.Errorf("message %q", m)
	}
}

// A run in which everything is missing is no pass.
func TestAllMissing(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("all-missing", asRunEvals...).run(t)
		r.exits(t, red)
		r.has(t, "all 6 cells are missing (runner 6)", "that is not a pass")
		r.did(t, "after split 6 missing")
		if res := r.result(t); res.Reward.Defined() || res.NScored != 0 {
			t.Errorf("%+v", res)
		}
	})
}
