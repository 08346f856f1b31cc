package evaltest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

// hooked are the side effects of a tracing task in a container with hooks.
func hooked(split string) []string {
	return []string{split + " before", split + " just before", split + " body", split + " just after", split + " after"}
}

func TestOtherSplitsDoNotRun(t *testing.T) {
	ordinary := "ordinary"
	for _, c := range []struct {
		name  string
		suite string
		env   string
		flags []string
		want  []string
	}{
		{name: "val by default", suite: "splits", want: append(hooked("val"), ordinary)},
		{name: "train", suite: "splits", env: "CAPEVAL_SPLIT=train", want: append(hooked("train"), ordinary)},
		{name: "a filter of the user's that lets all splits in", suite: "splits", flags: []string{"--label-filter=split:val || split:train || split:test"}, want: hooked("val")},
		{name: "a filter that tries to leave the clause", suite: "splits", flags: []string{"--label-filter=!nothing || capeval"}, want: append(hooked("val"), ordinary)},
		{name: "a focus on every task", suite: "splits", flags: []string{"--focus=around"}, want: hooked("val")},
		{name: "an ordered container", suite: "ordered-splits", want: []string{"before all", "val body", "after all"}},
		{name: "the split of a container", suite: "split-of-container", want: []string{"val before", "val body", "also val body"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				r := how.on(c.suite, c.env).flag(c.flags...).run(t)
				r.exits(t, !red)
				r.did(t, c.want...)
			})
		})
	}
}

func TestProgrammaticFocusAndSplits(t *testing.T) {
	// Ginkgo ends a process with programmatic focus with code 197, so all of
	// these are red; what counts is what ran.
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("splits-focus-spec").run(t)
		r.did(t, "ordinary")
		if res := r.result(t); !res.Subset || res.NCells != 0 {
			t.Errorf("subset = %v with %d cells, want a subset of none", res.Subset, res.NCells)
		}
		how.on("splits-focus-val-and-sealed").run(t).did(t, hooked("val")...)
		r = how.on("splits-focus-train").run(t)
		r.exits(t, red)
		r.did(t)
	})
}

func TestTestSplitIsSealed(t *testing.T) {
	t.Run("asked for by name", func(t *testing.T) {
		everyWay(t, func(t *testing.T, how suiteRun) {
			how.on("splits", "CAPEVAL_SPLIT=test").run(t).refused(t, 4, "S01", `Task "test" belongs to the sealed test split`, "Do: measure on val")
		})
	})
	t.Run("asked for where there is none", func(t *testing.T) {
		suiteRun{}.on("only-train", "CAPEVAL_SPLIT=test").run(t).refused(t, 4, "S01", "(none declared)")
	})
	for name, flags := range map[string][]string{
		"filter": {"--label-filter=split:test"}, "label": {"--label-filter=task:test"}, "focus": {"--focus=around test"}, "skip": {"--skip=train|val|ordinary"},
	} {
		t.Run("selected by "+name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				how.on("splits").flag(flags...).run(t).refused(t, 4, "S02", "only sealed tasks (1 declared)", "this is not a pass")
			})
		})
	}
	for _, name := range []string{"splits-focus-sealed", "splits-focus-sealed-container"} {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				how.on(name).run(t).refused(t, 4, "S02", "not a pass")
			})
		})
	}
	t.Run("a grant that nobody answers for", func(t *testing.T) {
		everyWay(t, func(t *testing.T, how suiteRun) {
			for _, split := range []string{"", "CAPEVAL_SPLIT=test"} {
				how.on("splits", "CAPEVAL_SEAL_GRANT=rubbish", split).run(t).refused(t, 4, "S03", "unset CAPEVAL_SEAL_GRANT")
			}
		})
	})
}

// The ids of sealed tasks are nowhere: they are not built.
func TestSealedTasksLeaveNoTrace(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		reporting, report := how.on("sealed-and-ordinary").report(t, "json")
		r := reporting.run(t)
		r.exits(t, !red)
		r.did(t, "ordinary")
		r.lacks(t, "secret-of-the-test-split", "FAIL")
		data, err := os.ReadFile(report)
		if err != nil {
			t.Fatalf("%v\n%s", err, r.output)
		}
		if !strings.Contains(string(data), "ordinary") {
			t.Errorf("the report lacks the ordinary spec: %s", data)
		}
		if strings.Contains(string(data), "secret-of-the-test-split") {
			t.Errorf("the report names a sealed task: %s", data)
		}
		if _, err := r.dir.ReadRun(); err == nil {
			t.Error("a suite without tasks of its split left a plan")
		}

		r = how.on("only-sealed").run(t)
		r.exits(t, red)
		r.did(t)
		r.has(t, "not a pass")
		r.lacks(t, "secret-of-the-test-split")
	})
}

func TestNumberOfSealedTasksIsSaid(t *testing.T) {
	r := suiteRun{}.on("splits").run(t)
	r.has(t, "1 sealed test tasks were not built")
	if n := r.plan(t).Sealed; n != 1 {
		t.Errorf("run.json says %d sealed tasks, want 1", n)
	}
	if plan := r.plan(t).Plan; len(plan) != 1 || plan[0].Task != "val" {
		t.Errorf("run.json plans %+v, want the one val task", plan)
	}
}

// What a row of the test split says is handed to nobody: it may stand in no
// output.
func TestSealedRowsAreNotHandedOut(t *testing.T) {
	dir := t.TempDir()
	tasks := filepath.Join(dir, "tasks.jsonl")
	rows := `{"id":"open","split":"val","question":"known"}` + "\n" + `{"id":"shut","split":"test","question":"unseen-words"}` + "\n"
	if err := os.WriteFile(tasks, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	everyWay(t, func(t *testing.T, how suiteRun) {
		reporting, report := how.on("rows", "TASKS="+tasks).flag("--v").report(t, "json")
		r := reporting.run(t)
		r.exits(t, !red)
		for _, line := range r.traced {
			if !strings.HasPrefix(line, `open `) {
				t.Errorf("a body ran for %q", line)
			}
		}
		r.lacks(t, "unseen-words", "shut")
		for _, file := range append(filesBelow(t, r.root), report) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{"unseen-words", "shut"} {
				if strings.Contains(string(data), secret) {
					t.Errorf("%s holds %q", file, secret)
				}
			}
		}
	})
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Something that takes the clause out of the filter after the tree was built is
// found before anything runs.
func TestFilterThatWasResetIsRefused(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		how.on("filter-reset").run(t).refused(t, 6, "no_split_filter", "lacks the clause that keeps other splits out")
	})
}

func TestSuiteOfAnotherSplitIsNoPass(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("only-train").run(t)
		r.exits(t, red)
		r.did(t)
		r.has(t, "split val has no task (declared: 1 train tasks)")
	})
}

func TestLabelsOfTrials(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.json")
	suiteRun{}.on("splits").flag("--json-report="+report).run(t).exits(t, !red)
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts  []string
			ContainerHierarchyLabels [][]string
			LeafNodeText             string
		}
	}
	data, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(data, &suites)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range suites[0].SpecReports {
		if n := len(spec.ContainerHierarchyTexts); n > 0 && spec.ContainerHierarchyTexts[n-1] == "val" {
			if got := strings.Join(spec.ContainerHierarchyLabels[n-1], " "); got != "capeval task:val split:"+string(record.Val) {
				t.Errorf("labels %q", got)
			}
			if spec.LeafNodeText != "[trial 0]" {
				t.Errorf("leaf text %q", spec.LeafNodeText)
			}
			return
		}
	}
	t.Error("no spec of the task val")
}
