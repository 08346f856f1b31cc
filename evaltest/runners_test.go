package evaltest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

// However a suite calls RunSpecs, the records are the same and ordinary specs
// fail as they always did.
func TestRunners(t *testing.T) {
	for _, runner := range []string{"RunSpecs", "Custom", "None", "Config", "Preview"} {
		t.Run(runner, func(t *testing.T) {
			for procs, how := range map[string]suiteRun{"serial": {}, "procs": {procs: 2}} {
				t.Run(procs, func(t *testing.T) {
					t.Parallel()
					env := append(slices.Clone(asRunEvals), "RUNNER="+runner)
					r := how.on("beside", env...).run(t)
					r.exits(t, red)
					for id, w := range map[string]want{
						"fails":  {scored: true, cause: record.CauseExpectation},
						"passes": {scored: true, reward: 1},
						"setup":  {cause: record.CauseSetup},
					} {
						trials := r.trials(t, id)
						if len(trials) != 2 {
							t.Fatalf("%s has %d records\n%s", id, len(trials), r.output)
						}
						for _, trial := range trials {
							w.check(t, trial)
						}
					}
					if o := r.outcome(t); o.OrdinaryFailed != 1 || o.SpecsRed != 1 {
						t.Errorf("outcome.json: %+v", o)
					}
					custom := 0
					for _, line := range r.traced {
						if line == "the suite's own handler" {
							custom++
						}
					}
					if want := map[bool]int{true: 1}[runner == "Custom"]; custom != want {
						t.Errorf("the suite's own handler was called %d times, want %d", custom, want)
					}
					r.has(t, "ordinary failure")
					// Sealed and other splits stay out.
					for _, line := range r.traced {
						if strings.HasPrefix(line, "train") || strings.HasPrefix(line, "test") {
							t.Errorf("side effect %q", line)
						}
					}
				})
			}
		})
	}
}

// Several suites of one name in one run would be one row: the second is refused.
func TestSuiteNameIsTaken(t *testing.T) {
	t.Parallel()
	first := suiteRun{}.on("small", "CAPEVAL_PACKAGE=example.com/a").run(t)
	first.exits(t, !red)
	r := suiteRun{root: first.root}.on("small", "CAPEVAL_PACKAGE=example.com/b").run(t)
	r.exits(t, red)
	r.did(t)
	r.has(t, "example.com/a", "example.com/b", "give one of them another name")
	if got, _, err := r.dir.ReadRefusal(); err != nil || got.Code != "suite_taken" || got.Exit != 2 {
		t.Errorf("refused.json: %+v, %v", got, err)
	}
	if res := first.result(t); res.NMissing != 0 || res.NTasks != 3 {
		t.Errorf("the first suite's result changed: %+v", res)
	}
}
