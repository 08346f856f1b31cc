package evaltest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/rundir"
)

func TestAfterSplits(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("assertions", asRunEvals...).run(t)
		r.exits(t, red)
		// Each once and in order, whatever became of the one before.
		if got := strings.Join(r.traced, " "); got != "ordinary 1 2 3 4 5 6 7 2 cells of 1 tasks" {
			t.Errorf("side effects %q\n%s", got, r.output)
		}
		o := r.outcome(t)
		var states []string
		for _, a := range o.Asserted {
			states = append(states, a.State)
			if !strings.HasPrefix(a.Name, "AfterSplit(val) ") || !strings.Contains(a.Name, "aftersplit_test.go:") {
				t.Errorf("name %q", a.Name)
			}
		}
		want := []string{rundir.Passed, rundir.Failed, rundir.Panicked, rundir.Undefined, rundir.Undefined, rundir.Failed, rundir.Passed}
		if !slices.Equal(states, want) {
			t.Fatalf("states %q, want %q", states, want)
		}
		for i, text := range []string{"", "to be > 0.9", "panic: a scorer of ours at aftersplit_test.go:", "cannot say: ", "cannot say: ", "ginkgo's own", ""} {
			if m := o.Asserted[i].Message; !strings.Contains(m, text) || (m == "") != (text == "") {
				t.Errorf("assertion %d says %q, want %q", i+1, m, text)
			}
		}
		if o.OrdinaryFailed != 0 || o.AfterSplitDeferred || o.Stopped != "" {
			t.Errorf("outcome.json: %+v", o)
		}
	})
}

func TestGreenAfterSplit(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("green-assertion", asRunEvals...).run(t)
		r.exits(t, !red)
		if n := len(r.traced); n != 9 || r.traced[n-1] != "after split 8 cells" { // once, and last
			t.Errorf("side effects %q", r.traced)
		}
		if o := r.outcome(t); len(o.Asserted) != 1 || o.Asserted[0].State != rundir.Passed || o.Asserted[0].Message != "" {
			t.Errorf("outcome.json: %+v", o)
		}
	})
}

func TestAfterSplitOfAnotherSplit(t *testing.T) {
	t.Parallel()
	// The suite measures train, and asserts on val.
	r := suiteRun{}.on("after-train", "CAPEVAL_SPLIT=train").run(t)
	r.exits(t, !red)
	r.did(t, "train body", "after train")
	if o := r.outcome(t); len(o.Asserted) != 1 || !strings.HasPrefix(o.Asserted[0].Name, "AfterSplit(train)") {
		t.Errorf("outcome.json: %+v", o)
	}
}

func TestBaselines(t *testing.T) {
	made := suiteRun{}.on("baseline", "BASELINE=nowhere").run(t)
	made.exits(t, red)
	made.has(t, "cannot say: there is no baseline", "make it with `capeval-ci run --save-baseline nowhere` and commit it")
	if o := made.outcome(t); len(o.Asserted) != 1 || o.Asserted[0].State != rundir.Undefined {
		t.Errorf("outcome.json: %+v", o)
	}
	// The result of that run becomes the baseline of the next.
	dir := t.TempDir()
	data, err := os.ReadFile(filepath.Join(made.dir.Path, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "kinds"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "kinds", "result.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("present", func(t *testing.T) {
		everyWay(t, func(t *testing.T, how suiteRun) {
			r := how.on("baseline", append(asRunEvals, "BASELINE="+dir)...).run(t)
			r.exits(t, !red)
			r.did(t, "baseline 0.500 of kinds")
		})
	})
	t.Run("torn", func(t *testing.T) {
		torn := t.TempDir()
		if err := os.CopyFS(torn, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(torn, "kinds", "result.json"), data[:len(data)/2], 0o644); err != nil {
			t.Fatal(err)
		}
		r := suiteRun{}.on("baseline", "BASELINE="+torn).run(t)
		r.exits(t, red)
		r.did(t)
		r.has(t, "cannot say: the baseline cannot be read")
	})
}
