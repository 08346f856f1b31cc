package evaltest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/capeval/capeval/record"
)

func readResult(t *testing.T, path string) record.SplitResult {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := record.ReadResult(f, path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// comparable returns result.json without what differs between two runs.
func (r ran) comparable(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir.Path, "result.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, r.output)
	}
	// Order is part of what is compared, so the keys are cut out of the text.
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"totals", "run"} {
		if keys[key] == nil {
			t.Fatalf("result.json has no %s", key)
		}
		before := len(data)
		data = bytes.Replace(data, keys[key], []byte("null"), 1)
		if len(data) == before {
			t.Fatalf("%s was not found again", key)
		}
	}
	return data
}

// The same records give the same bytes: the engine that ran the trials leaves
// nothing in the result.
func TestResultDoesNotDependOnTheEngine(t *testing.T) {
	seeds := []string{"CAPEVAL_TRIALS=3", "CAPEVAL_BASE_SEED=7"}
	serial := suiteRun{}.on("grid", seeds...).run(t)
	serial.exits(t, !red)
	want := serial.comparable(t)
	res := serial.result(t)
	if res.NTasks != 12 || res.NCells != 36 || res.NMissing != 4 || res.ByCause[record.CauseExpectation] != 6 || res.ByCause[record.CauseAgentTimeout] != 3 {
		t.Fatalf("%d cells of %d tasks, %d missing, causes %v", res.NCells, res.NTasks, res.NMissing, res.ByCause)
	}
	for name, how := range map[string]suiteRun{
		"again":          {},
		"procs 2":        {procs: 2},
		"procs 4":        {procs: 4},
		"workers 8":      {env: []string{"CAPEVAL_WORKERS=8"}},
		"random 1":       suiteRun{}.flag("--randomize-all", "--seed=1"),
		"random 2":       suiteRun{}.flag("--randomize-all", "--seed=2"),
		"random workers": suiteRun{env: []string{"CAPEVAL_WORKERS=8"}}.flag("--randomize-all", "--seed=3"),
		"random procs":   suiteRun{procs: 4}.flag("--randomize-all", "--seed=4"),
		"RunSpecs":       {env: []string{"RUNNER=RunSpecs"}},
		"time and place": {env: []string{"TZ=Asia/Tokyo", "LC_ALL=de_DE.UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := how.on("grid", seeds...).run(t)
			r.exits(t, !red)
			if got := r.comparable(t); !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Different seeds that give one output everywhere make every variance figure
// suspect, and every reader hears of it.
func TestIdenticalTrialsAreWarnedOf(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("identical", asRunEvals...).run(t)
		r.exits(t, !red)
		r.has(t, "capeval: warning: 3 tasks with 2 or more valid trials gave one output")
		got := readResult(t, filepath.Join(r.dir.Path, "result.json"))
		if len(got.Warnings) == 0 || got.Warnings[0].Code != record.WarnIdenticalTrials {
			t.Errorf("warnings %+v", got.Warnings)
		}
	})
}
