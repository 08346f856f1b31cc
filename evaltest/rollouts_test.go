package evaltest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

func TestOutputs(t *testing.T) {
	for name, how := range map[string]suiteRun{"serial": {}, "procs": {procs: 2}, "workers": {env: []string{"CAPEVAL_WORKERS=3"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := how.on("outputs", asRunEvals...).run(t)
			r.exits(t, !red)
			digests := map[string]string{}
			for id, want := range map[string]string{
				"silent": "", "text": `["an answer"]`, "bytes": `["an answer"]`, "object": `[{"a":[1],"b":1}]`, "several": `["one","two"]`,
				"changed later": `[{"n":1}]`, "fails": `["wrong"]`, "rolled": `["rolled out"]`, "rolled-own": `["own"]`,
			} {
				trial := r.trials(t, id)[1]
				digests[id] = trial.OutputDigest
				path := r.dir.RolloutPath(record.Val, id, "candidate", 1)
				if want == "" {
					if _, err := os.Stat(path); !os.IsNotExist(err) || trial.OutputDigest != "" {
						t.Errorf("%s: %v, digest %q; want nothing", id, err, trial.OutputDigest)
					}
					continue
				}
				var rollout struct {
					Schema, Suite, Task string
					Trial, Attempt      int
					Seed                int64
					Outputs             json.RawMessage
					Feedback            []string
					Reward              *float64
					Cause               string
				}
				if err := json.Unmarshal(must(os.ReadFile(path)), &rollout); err != nil {
					t.Fatal(err)
				}
				var compact strings.Builder
				if err := json.NewEncoder(&compact).Encode(rollout.Outputs); err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimSpace(compact.String()); got != want {
					t.Errorf("%s: outputs %s, want %s", id, got, want)
				}
				if rollout.Schema != "capeval.rollout/v1" || rollout.Suite != "kinds" || rollout.Task != id || rollout.Trial != 1 || rollout.Attempt != 1 || rollout.Seed != 8 || rollout.Reward == nil {
					t.Errorf("%s: %+v", id, rollout)
				}
				if id == "fails" && (rollout.Cause != "expectation" || *rollout.Reward != 0) {
					t.Errorf("fails: %+v", rollout)
				}
				if !strings.HasPrefix(trial.OutputDigest, "sha256:") {
					t.Errorf("%s: digest %q", id, trial.OutputDigest)
				}
			}
			if digests["text"] != digests["bytes"] {
				t.Error("the same text, as string and as bytes, has two digests")
			}
			// SHA-256 of "an answer", so that anybody can check it.
			if want := "sha256:ee9555184346cf42bc9ef6619d764c88f4c193f8fabbbffc0cceacfa44a9dd35"; digests["text"] != want {
				t.Errorf("digest %s, want %s", digests["text"], want)
			}
			if d := r.trials(t, "unstable")[0].OutputDigest; d != "" {
				t.Errorf("an output without a stable form has digest %q", d)
			}
			if a := r.trials(t, "object"); a[0].OutputDigest == a[1].OutputDigest {
				t.Error("different outputs have one digest")
			}
			if n := len(filesBelow(t, filepath.Join(r.dir.Path, "rollouts"))); n != 2*9 {
				t.Errorf("%d rollout files, want two of nine tasks", n)
			}
		})
	}
}

// Feedback differs in nothing that two runs of one trial must not differ in.
func TestFeedbackIsScrubbed(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("outputs").run(t)
	trials := r.trials(t, "fails")
	if trials[0].Feedback != trials[1].Feedback || !strings.Contains(trials[0].Feedback, "0x…") || !strings.Contains(trials[0].Feedback, "after (time)") {
		t.Errorf("feedback %q and %q", trials[0].Feedback, trials[1].Feedback)
	}
	if f := r.trials(t, "text")[0].Feedback; f != "said\nso" {
		t.Errorf("feedback %q", f)
	}
}

func TestMetrics(t *testing.T) {
	prices := "version: 1\nprices: {small-model: {input: 1.25, output: 10}}\n"
	everyWay(t, func(t *testing.T, how suiteRun) {
		how.dir = filepath.Dir(file(t, "capeval.yaml", prices))
		r := how.on("metrics").run(t)
		r.exits(t, !red)
		trial := r.trials(t, "it")[0]
		// A million tokens in for 1.25, half a million out for 5, and 0.50 by itself.
		for name, want := range map[string]float64{"tokens": 1_500_015, "cost_usd": 6.75, "steps": 5} {
			if got := trial.Metrics[name]; got != want {
				t.Errorf("%s = %v, want %v", name, got, want)
			}
		}
		if len(trial.Metrics) != 3 || len(trial.Notes) != 2 || trial.Units["steps"] != "steps" || trial.Units["cost_usd"] != "usd" {
			t.Errorf("metrics %v, units %v, notes %q", trial.Metrics, trial.Units, trial.Notes)
		}
		res := r.result(t)
		n := float64(res.NCells)
		if res.Totals.Tokens != n*1_500_015 || res.Totals.CostUSD != n*6.75 {
			t.Errorf("totals %+v of %v cells", res.Totals, n)
		}
		if trial.Cached {
			t.Error("cached")
		}
	})
}
