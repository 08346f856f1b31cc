package gate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// trialsOf makes the result of an arm from the rewards of its tasks, a nil
// pointer being a missing trial. With distinct outputs every trial has a digest
// of its own.
func trialsOf(t *testing.T, arm string, tasks [][]*float64, distinct bool) record.SplitResult {
	t.Helper()
	var trials []record.Trial
	run := record.Run{Schema: record.RunSchema, Suite: "s", Split: record.Val, Arm: arm, Trials: 1, PassThreshold: 1}
	for i, rewards := range tasks {
		id := fmt.Sprintf("t%03d", i)
		if len(rewards) > 0 {
			run.Plan = append(run.Plan, record.PlanTask{Task: id, Trials: len(rewards)})
		}
		for k, r := range rewards {
			trial := record.Trial{Schema: record.TrialSchema, Suite: "s", Split: record.Val, Arm: arm, Task: id, Trial: k, Attempt: 1, Seed: int64(k)}
			if r == nil {
				trial.Status, trial.Cause = record.Missing, record.CauseRunner
			} else {
				trial.Status, trial.Reward = record.Scored, stats.Defined(*r)
			}
			if distinct {
				trial.OutputDigest = fmt.Sprintf("sha256:%064x", i*1000+k)
			}
			trials = append(trials, trial)
		}
	}
	res, err := record.Summarize(run, trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

type goldenNumber struct {
	Dec  string `json:"dec"`
	Frac string `json:"frac"`
}

func TestGoldenVerdicts(t *testing.T) {
	dir := os.Getenv("CAPEVAL_VECTORS")
	if dir == "" {
		t.Skip("CAPEVAL_VECTORS is not set: the golden vectors are not at hand")
	}
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Cases []struct {
			Name, Kind string
			Inputs     json.RawMessage
			Expected   map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range golden.Cases {
		if c.Kind != "verdict" {
			continue
		}
		seen++
		t.Run(c.Name, func(t *testing.T) {
			var in struct {
				Tasks                      []struct{ Baseline, Candidate []any }
				Mode, Scope, Alpha, Margin string
				MinCoverage                string `json:"min_coverage"`
				Trials, Fingerprints       string
				MaxDetectableDrop          *string `json:"max_detectable_drop"`
			}
			if err := json.Unmarshal(c.Inputs, &in); err != nil {
				t.Fatal(err)
			}
			var base, cand [][]*float64
			for _, task := range in.Tasks {
				base, cand = append(base, numbersOf(t, task.Baseline)), append(cand, numbersOf(t, task.Candidate))
			}
			rule := gate.DefaultRule()
			rule.Name, rule.Scope, rule.Alpha, rule.Margin = in.Mode, in.Scope, in.Alpha, in.Margin
			rule.MinCoverage, rule.MinCellCoverage, rule.TrialsAre = in.MinCoverage, "0", in.Trials
			if in.MaxDetectableDrop != nil {
				rule.MaxDetectableDrop = *in.MaxDetectableDrop
			}
			distinct := in.Fingerprints == "distinct"
			d, err := gate.Decide(trialsOf(t, "baseline", base, distinct), trialsOf(t, "candidate", cand, distinct), rule)
			if err != nil {
				t.Fatal(err)
			}
			var verdict, code string
			_ = json.Unmarshal(c.Expected["verdict"], &verdict)
			_ = json.Unmarshal(c.Expected["code"], &code)
			want := map[string]gate.Outcome{"accept": gate.Accepted, "reject": gate.Rejected, "indecisive": gate.Indecisive}[verdict]
			if d.Verdict != want || d.Code != code {
				t.Errorf("got %s %s (%s), want %s %s", d.Verdict, d.Code, d.Message, want, code)
			}
			for key, got := range map[string]stats.Estimate{
				"coverage": d.Coverage, "delta": d.Delta, "p_better": d.PBetter, "p_worse": d.PWorse,
				"p_min_design": d.PMinDesign, "p_min_conditional": d.PMinConditional, "mde80": d.MDE80,
			} {
				raw, ok := c.Expected[key]
				if !ok {
					continue
				}
				var w goldenNumber
				if err := json.Unmarshal(raw, &w); err != nil {
					t.Fatal(err)
				}
				near(t, key, got, w)
			}
			if raw, ok := c.Expected["delta"]; ok {
				var w goldenNumber
				_ = json.Unmarshal(raw, &w)
				if d.DeltaFraction == nil || *d.DeltaFraction != w.Frac {
					t.Errorf("delta fraction %v, want %s", d.DeltaFraction, w.Frac)
				}
			}
		})
	}
	if seen != 47 {
		t.Errorf("found %d verdict cases, want 47", seen)
	}
}

func numbersOf(t *testing.T, values []any) []*float64 {
	t.Helper()
	out := []*float64{}
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			out = append(out, nil)
		case float64:
			out = append(out, &v)
		case string:
			r, ok := new(big.Rat).SetString(v)
			if !ok {
				t.Fatalf("reward %q", v)
			}
			f, _ := r.Float64()
			out = append(out, &f)
		}
	}
	return out
}

func near(t *testing.T, what string, got stats.Estimate, want goldenNumber) {
	t.Helper()
	tolerance := 1e-10
	w, err := strconv.ParseFloat(want.Dec, 64)
	if want.Frac != "" {
		tolerance = 1e-12
		a, b, _ := strings.Cut(want.Frac, "/")
		x, ok1 := new(big.Int).SetString(a, 10)
		y, ok2 := new(big.Int).SetString(b, 10)
		if !ok1 || !ok2 {
			t.Fatalf("%s: fraction %q", what, want.Frac)
		}
		w, _ = new(big.Rat).SetFrac(x, y).Float64()
	} else if err != nil {
		t.Fatal(err)
	}
	g, ok := got.Value()
	if !ok || math.Abs(g-w) > tolerance*math.Abs(w)+1e-15 {
		t.Errorf("%s is %v, want %v", what, got, w)
	}
}
