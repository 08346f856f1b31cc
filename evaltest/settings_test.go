package evaltest_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Code is weaker than capeval.yaml, which is weaker than the environment.
func TestTrialsAndBaseSeed(t *testing.T) {
	// The suite's own are 2 trials from seed 7; one task has 3, one is in a
	// container that says 1.
	for _, c := range []struct {
		name  string
		yaml  string
		env   []string
		runs  string // RUNNER
		want  string // trials of first, own-trials, containers-trials
		first int64
	}{
		{name: "code", want: "2 3 1", first: 7},
		{name: "defaults", runs: "RunSpecs", want: "1 3 1", first: 0},
		{name: "file over code", yaml: "version: 1\nrun: {trials: 4, base_seed: 100}\n", want: "4 4 4", first: 100},
		{name: "suite in the file", yaml: "version: 1\nrun: {trials: 4}\nsuites: {kinds: {trials: 5}, others: {trials: 6}}\n", want: "5 5 5", first: 7},
		{name: "environment over code", env: []string{"CAPEVAL_TRIALS=2", "CAPEVAL_BASE_SEED=-3"}, want: "2 2 2", first: -3},
		{name: "environment over file", yaml: "version: 1\nrun: {trials: 4, base_seed: 100}\nsuites: {kinds: {trials: 5}}\n", env: []string{"CAPEVAL_TRIALS=1", "CAPEVAL_BASE_SEED=0"}, want: "1 1 1", first: 0},
		{name: "empty environment", env: []string{"CAPEVAL_TRIALS=", "CAPEVAL_BASE_SEED="}, want: "2 3 1", first: 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			how := suiteRun{}.on("seeds", append(c.env, "RUNNER="+c.runs)...)
			how.dir = t.TempDir()
			if c.yaml != "" {
				how.dir = filepath.Dir(file(t, "capeval.yaml", c.yaml))
			}
			r := how.run(t)
			r.exits(t, !red)
			var counts []string
			for _, id := range []string{"first", "own-trials", "containers-trials"} {
				trials := r.trials(t, id)
				counts = append(counts, fmt.Sprint(len(trials)))
				for k, trial := range trials {
					if want := c.first + int64(k); trial.Trial != k || trial.Seed != want {
						t.Errorf("%s: trial %d has seed %d, want trial %d with %d", id, trial.Trial, trial.Seed, k, want)
					}
				}
			}
			if got := strings.Join(counts, " "); got != c.want {
				t.Errorf("trials %s, want %s\n%s", got, c.want, r.output)
			}
			if run := r.plan(t); run.BaseSeed != c.first {
				t.Errorf("run.json says base seed %d", run.BaseSeed)
			}
		})
	}
}

// A trial's seed and random numbers are its own, whatever runs beside it.
func TestSeedsDependOnNothingElse(t *testing.T) {
	all := suiteRun{}.on("seeds", asRunEvals...).run(t)
	all.exits(t, !red)
	want := slices.Sorted(slices.Values(all.traced))
	if len(want) != 8 || slices.Compact(slices.Clone(want))[7] != want[7] {
		t.Fatalf("traced %q", want)
	}
	for name, how := range map[string]suiteRun{
		"shuffled":      suiteRun{}.flag("--randomize-all", "--seed=5"),
		"shuffled anew": suiteRun{}.flag("--randomize-all", "--seed=6"),
		"procs":         {procs: 3},
		"RunSpecs":      {env: []string{"RUNNER=RunSpecs"}},
		"workers":       {env: []string{"CAPEVAL_WORKERS=4"}},
		"another arm":   {env: []string{"CAPEVAL_ARM=baseline"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			how.on("seeds", asRunEvals...).run(t).did(t, want...)
		})
	}
	t.Run("focus on one trial", func(t *testing.T) {
		everyWay(t, func(t *testing.T, how suiteRun) {
			r := how.on("seeds", asRunEvals...).flag(`--focus=second \[trial 1\]`).run(t)
			r.exits(t, !red)
			r.did(t, slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !strings.HasPrefix(s, "second 1 8 ") })...)
			if len(r.traced) != 1 {
				t.Errorf("traced %q, want one trial", r.traced)
			}
		})
	})
	// The streams of trials that differ in task or seed differ.
	streams := map[string]bool{}
	for _, line := range want {
		streams[line[strings.LastIndex(line, " "):]] = true
	}
	if len(streams) != len(want) {
		t.Errorf("%d streams of %d trials: %q", len(streams), len(want), want)
	}
}

// One trial is the default, and nobody is left to think that it is enough.
func TestOneTrialIsWarnedOf(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("small", "RUNNER=RunSpecs").run(t)
	r.exits(t, !red)
	r.has(t, "capeval: warning: 1 trial a task: no spread within a task can be seen")
}

func TestSettingsAreInThePlan(t *testing.T) {
	how := suiteRun{}.on("small", "CAPEVAL_ARM=baseline", "CAPEVAL_WORKERS=3", "CAPEVAL_TRIALS=4", "CAPEVAL_PACKAGE=example.com/agent/evals")
	how.dir = filepath.Dir(file(t, "capeval.yaml", "version: 1\nrun: {pass_threshold: 0.5}\n"))
	r := how.run(t)
	r.exits(t, !red)
	run := r.plan(t)
	if run.Arm != "baseline" || run.Workers != 3 || run.Trials != 4 || run.Package != "example.com/agent/evals" || run.PassThreshold != 0.5 || run.Procs != 1 {
		t.Errorf("run.json: %+v", run)
	}
	if run.Started == "" || run.Ended < run.Started || run.Versions.Go == "" || run.Versions.Ginkgo == "" || run.ID == "" {
		t.Errorf("run.json: %+v", run)
	}
	for _, p := range run.Plan {
		if p.Trials != 4 || !strings.HasPrefix(p.ContentDigest, "coarse:sha256:") || !strings.Contains(p.Location, "grids_test.go:") {
			t.Errorf("plan: %+v", p)
		}
	}
	for _, trial := range r.trials(t, "one") {
		if trial.Arm != "baseline" || trial.Run != run.ID || trial.Suite != "kinds" {
			t.Errorf("record: %+v", trial)
		}
	}
	if p := (suiteRun{procs: 3}).on("small").run(t).plan(t).Procs; p != 3 {
		t.Errorf("run.json of three processes says %d", p)
	}
}
