package evaltest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/capeval/capeval/record"
)

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		code string
		text string
	}{
		{"duplicate-id", "duplicate_id", `task "twin" is declared twice in split val`},
		{"two-splits", "two_splits", `task "both" is in the splits train and val`},
		{"two-splits-test", "two_splits", `task "held" is in the splits test and val`},
		{"like-case", "like_ids", `task ids "late" and "Late"`},
		{"like-space", "like_ids", `"late "`},
		{"like-nfkc", "like_ids", "are the same to a reader"},
		{"like-sharp-s", "like_ids", `"straße"`},
		{"empty-id", "empty_id", "empty id"},
		{"blank-id", "empty_id", "empty id"},
		{"content-val", "contaminated", `task "b" (test) has the same content as task "a" (val`},
		{"content-train", "contaminated", "no held-out task"}, // 1 and 1.0 are one number
		{"no-split", "no_split", "need one of the decorators Train, Val, Test"},
		{"bad-split", "bad_split", `has split "dev", need train, val or test`},
		{"val-in-test", "two_splits", "is val and, by another decorator or a container around it, test"},
		{"test-in-val", "two_splits", "is test and, by another"},
		{"train-in-val", "two_splits", "is train and, by another"},
		{"val-and-test", "two_splits", "is val and, by another decorator or a container around it, test"},
		{"test-and-val", "two_splits", "is test and, by another decorator"},
		{"container-of-two", "two_splits", "is train and, by another decorator"},
		{"flake-task", "flake_attempts", "under FlakeAttempts"},
		{"flake-container", "flake_attempts", "under FlakeAttempts"},
		{"must-task", "must_pass_repeatedly", "under MustPassRepeatedly"},
		{"must-container", "must_pass_repeatedly", "under MustPassRepeatedly"},
		{"no-trials", "no_trials", "has 0 trials, need at least 1"},
		{"negative-trials", "no_trials", "has -1 trials, need at least 1"},
		{"no-trials-container", "no_trials", "has 0 trials, need at least 1"},
		{"no-body", "bad_task", "has 0 bodies, need one"},
		{"nil-body", "bad_task", "need a non-nil func(SpecContext, *Trial)"},
		{"two-bodies", "bad_task", "has 2 bodies, need one"},
		{"bad-body", "bad_task", "is a func(int), need a non-nil func(SpecContext, *Trial)"},
		{"nil-stage", "bad_task", "has a nil stage"},
		{"third-stage", "bad_task", "has a third function"},
		{"seed-on-task", "misplaced_seed", "BaseSeed, which belongs to the suite"},
		{"seed-on-container", "misplaced_seed", "BaseSeed, which belongs to the suite"},
		{"bad-limit", "bad_limit", "has a time limit of -1s"},
		{"bad-content", "bad_content", "Content: json: unsupported value: NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			suiteRun{name: "refuse-" + c.name}.run(t).refused(t, 2, c.code, c.text, "refusals_test.go:")
		})
	}
}

// All that is wrong is said at once, once, whoever runs the suite.
func TestRefusalsTogether(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("refuse-many").run(t)
		r.refused(t, 2, "two_splits", "is val and, by another decorator or a container around it, test", "under FlakeAttempts", "has 0 trials", "has 2 bodies", "declared twice")
		r.has(t, "capeval refused to run this suite, and nothing ran")
		r.lacks(t, "goroutine ", "panic:")
	})
}

// The suite that the refusals are put into is fine without them.
func TestNothingToRefuse(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("refuse-nothing").run(t)
		r.exits(t, !red)
		if len(r.traced) < 10 { // hooks of two specs, two bodies, the suite's
			t.Errorf("side effects %q", r.traced)
		}
	})
}

func TestRefusedFlags(t *testing.T) {
	t.Run("--flake-attempts", func(t *testing.T) {
		everyWay(t, func(t *testing.T, how suiteRun) {
			how.on("refuse-nothing").flag("--flake-attempts=2").run(t).refused(t, 2, "flake_attempts", "--flake-attempts runs failed trials again")
		})
	})
	t.Run("MustPassRepeatedly of the configuration", func(t *testing.T) {
		t.Parallel()
		suiteRun{}.on("refuse-nothing", "RUNNER=MustPass").run(t).refused(t, 2, "must_pass_repeatedly", "stops at the first failure")
	})
	for _, flag := range []string{"--repeat=1", "--until-it-fails"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			suiteRun{procs: 2}.on("refuse-nothing").flag(flag).run(t).refused(t, 2, "repeat", "say Trials(n)")
		})
	}
	t.Run("--repeat=0", func(t *testing.T) {
		t.Parallel()
		suiteRun{procs: 2}.on("refuse-nothing").flag("--repeat=0").run(t).exits(t, !red)
	})
}

func TestRefusedRows(t *testing.T) {
	good := `{"id":"a","split":"val"}`
	for _, c := range []struct {
		name, rows, code, text string
	}{
		{"no JSON", good + "\nnonsense\n", "bad_row", "tasks.jsonl:2: found no JSON object"},
		{"array", `["id"]`, "bad_row", "tasks.jsonl:1: found [, need a JSON object"},
		{"string", `"id"`, "bad_row", "tasks.jsonl:1: found id, need a JSON object"},
		{"torn", good + "\n" + `{"id":"b","sp`, "bad_row", "tasks.jsonl:2: found broken JSON"},
		{"torn value", `{"id":"b","split":`, "bad_row", "tasks.jsonl:1: found broken JSON"},
		{"two objects", good + good, "bad_row", "tasks.jsonl:1: found { after the object, need one object a line"},
		{"trailing text", good + " x", "bad_row", "tasks.jsonl:1: found"},
		{"key twice", `{"id":"a","split":"val","id":"b"}`, "bad_row", `tasks.jsonl:1: found key "id" twice`},
		{"no id", "\n\n" + `{"split":"val"}`, "bad_row", "tasks.jsonl:3: found a row without an id"},
		{"null id", `{"id":null,"split":"val"}`, "bad_row", "tasks.jsonl:1: found id null, need a string"},
		{"empty id", `{"id":"","split":"val"}`, "empty_id", "empty id"},
		{"id true", `{"id":true,"split":"val"}`, "bad_row", "tasks.jsonl:1: found id true, need a string"},
		{"id 1.5", `{"id":1.5,"split":"val"}`, "bad_row", "tasks.jsonl:1: found id 1.5, need a string"},
		{"no split", `{"id":"a"}`, "no_split", `task "a" has no split`},
		{"split dev", `{"id":"a","split":"dev"}`, "bad_row", `tasks.jsonl:1: found split "dev", need train, val or test`},
		{"split Test", `{"id":"a","split":"Test"}`, "bad_row", `tasks.jsonl:1: found split "Test", need train, val or test`},
		{"split 3", `{"id":"a","split":3}`, "bad_row", "tasks.jsonl:1: found split 3, need train, val or test"},
		{"empty split", `{"id":"a","split":""}`, "bad_row", `found split ""`},
		{"cluster 3", `{"id":"a","split":"val","cluster":3}`, "bad_row", "tasks.jsonl:1: found cluster 3, need a string"},
		{"trials many", `{"id":"a","split":"val","trials":"many"}`, "bad_row", "need a whole number"},
		{"trials 1.5", `{"id":"a","split":"val","trials":1.5}`, "bad_row", "tasks.jsonl:1: found trials 1.5, need a whole number"},
		{"trials 0", `{"id":"a","split":"val","trials":0}`, "no_trials", "has 0 trials"},
		{"wrong field", `{"id":"a","split":"val","points":"ten"}`, "bad_row", "tasks.jsonl:1: found a row that is no kinds.question"},
		{"empty file", "", "no_tasks", "found no row, need one task a line"},
		{"blank file", "\n \n", "no_tasks", "found no row, need one task a line"},
		{"same id twice", good + "\n" + good, "duplicate_id", "tasks.jsonl:2: task \"a\" is declared twice in split val, first at"},
		{"in two splits", good + "\n" + `{"id":"a","split":"train"}`, "two_splits", "tasks.jsonl:2: task \"a\" is in the splits"},
		{"test content in val", `{"id":"a","split":"val","q":1}` + "\n" + `{"split":"test","q":1.0,"id":"b"}`, "contaminated", "tasks.jsonl:2: task \"b\" (test) has the same content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			suiteRun{}.on("refuse-rows", "TASKS="+file(t, "tasks.jsonl", c.rows)).run(t).refused(t, 2, c.code, c.text)
		})
	}
	t.Run("no file", func(t *testing.T) {
		t.Parallel()
		suiteRun{}.on("refuse-rows", "TASKS=nowhere.jsonl").run(t).refused(t, 2, "no_tasks", "nowhere.jsonl", "relative to the package")
	})
	t.Run("nil body", func(t *testing.T) {
		t.Parallel()
		suiteRun{}.on("refuse-rows-nil-body", "TASKS="+file(t, "tasks.jsonl", good)).run(t).refused(t, 2, "bad_row", "nil body")
	})
	t.Run("every way", func(t *testing.T) {
		tasks := file(t, "tasks.jsonl", good+"\nnonsense\n")
		everyWay(t, func(t *testing.T, how suiteRun) {
			how.on("refuse-rows", "TASKS="+tasks).run(t).refused(t, 2, "bad_row", "tasks.jsonl:2: found no JSON object")
		})
	})
}

// file writes a file into a folder of its own and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRefusedConfiguration(t *testing.T) {
	for _, c := range []struct{ name, env, yaml, text string }{
		{"split", "CAPEVAL_SPLIT=vla", "", "CAPEVAL_SPLIT"},
		{"split Test", "CAPEVAL_SPLIT=Test", "", "CAPEVAL_SPLIT"},
		{"trials", "CAPEVAL_TRIALS=0", "", "CAPEVAL_TRIALS"},
		{"trials many", "CAPEVAL_TRIALS=many", "", "CAPEVAL_TRIALS"},
		{"seed", "CAPEVAL_BASE_SEED=1.5", "", "CAPEVAL_BASE_SEED"},
		{"workers", "CAPEVAL_WORKERS=0", "", "CAPEVAL_WORKERS"},
		{"shard", "CAPEVAL_SHARD=4/3", "", "CAPEVAL_SHARD"},
		{"shard from 0", "CAPEVAL_SHARD=0/3", "", "CAPEVAL_SHARD"},
		{"budget", "CAPEVAL_BUDGET_USD=-1", "", "CAPEVAL_BUDGET_USD"},
		{"budget NaN", "CAPEVAL_BUDGET_USD=nan", "", "CAPEVAL_BUDGET_USD"},
		{"budget much", "CAPEVAL_BUDGET_USD=much", "", "CAPEVAL_BUDGET_USD"},
		{"retries", "CAPEVAL_RETRIES_LEFT=-1", "", "CAPEVAL_RETRIES_LEFT"},
		{"todo", "CAPEVAL_TODO=nowhere", "", "holds no todo.json"},
		{"key", "", "version: 1\nrun: {trails: 3}\n", "capeval.yaml:2"},
		{"key twice", "", "version: 1\nversion: 1\n", "capeval.yaml:2"},
		{"sealed split", "", "version: 1\nrun: {split: test}\n", "capeval.yaml:2"},
		{"no version", "", "run: {trials: 3}\n", "version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			how := suiteRun{}.on("refuse-nothing", c.env)
			if c.yaml != "" {
				how.dir = filepath.Dir(file(t, "capeval.yaml", c.yaml))
			}
			how.run(t).refused(t, 2, "config", c.text)
		})
	}
	t.Run("every way", func(t *testing.T) {
		everyWay(t, func(t *testing.T, how suiteRun) {
			how.on("refuse-nothing", "CAPEVAL_SPLIT=vla").run(t).refused(t, 2, "config", "CAPEVAL_SPLIT")
		})
	})
}

// A folder that holds a run is not written over.
func TestUsedRunDirectoryIsRefused(t *testing.T) {
	r := suiteRun{}.on("small").run(t)
	r.exits(t, !red)
	before, _, err := r.dir.ReadJournal()
	if err != nil {
		t.Fatal(err)
	}
	again := suiteRun{root: r.root}.on("small").run(t)
	again.exits(t, red)
	again.did(t)
	again.has(t, "already holds a run of suite", "--resume")
	if got, ok, err := again.dir.ReadRefusal(); err != nil || !ok || got.Exit != 2 || got.Code != "run_dir_used" {
		t.Errorf("refused.json says %+v, %v, %v", got, ok, err)
	}
	after, _, err := r.dir.ReadJournal()
	if err != nil || len(after) != len(before) {
		t.Errorf("%d records became %d (%v)", len(before), len(after), err)
	}
}

// A red suite that was refused measured nothing, and says so to nobody as a
// result.
func TestRefusedRunHasNoResult(t *testing.T) {
	r := suiteRun{}.on("refuse-duplicate-id").run(t)
	if _, err := os.Stat(filepath.Join(r.dir.Path, "result.json")); !os.IsNotExist(err) {
		t.Errorf("result.json: %v", err)
	}
	if _, err := r.dir.Result(record.Options{}); err == nil {
		t.Error("a refused run has a result")
	}
}
