package gate_test

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// The four arms of this file ran the same bytes: each ordered pair of them is a
// change that changes nothing. No rule that holds alpha accepts or rejects one;
// paired-se accepts 2 of the 12.
func TestRealArmsThatAreAlike(t *testing.T) {
	dir := os.Getenv("CAPEVAL_DATA")
	if dir == "" {
		t.Skip("CAPEVAL_DATA is not set: the real data are not at hand")
	}
	data, err := os.ReadFile(filepath.Join(dir, "cap-evolve", "tau2_airline_v4.val_per_task.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]map[string]struct{ Trials []float64 }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	alike := []string{"seed", "c0_null5", "c0_null5b", "c0_null5c"}
	arms := map[string]record.SplitResult{}
	for _, name := range alike {
		var trials []record.Trial
		for task, x := range file[name] {
			for k, v := range x.Trials {
				trials = append(trials, record.Trial{Schema: record.TrialSchema, Suite: "airline", Split: record.Val, Arm: name, Task: task,
					Trial: k, Attempt: 1, Seed: int64(k), Status: record.Scored, Reward: stats.Defined(v)})
			}
		}
		if len(trials) != 60 {
			t.Fatalf("%s has %d trials, want 12 tasks x 5", name, len(trials))
		}
		r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		arms[name] = r
	}
	count := func(r gate.Rule) (accepted, rejected int, codes []string) {
		for _, b := range alike {
			for _, c := range alike {
				if b == c {
					continue
				}
				d := decide(t, arms[b], arms[c], r)
				switch d.Verdict {
				case gate.Accepted:
					accepted++
				case gate.Rejected:
					rejected++
				}
				codes = append(codes, d.Code)
				for _, row := range d.PerTask {
					if row.Claimed && r.Name == gate.RuleImprove {
						t.Errorf("%s to %s: task %s is said to have changed", b, c, row.Task)
					}
				}
			}
		}
		slices.Sort(codes)
		return accepted, rejected, slices.Compact(codes)
	}
	for _, r := range []gate.Rule{gate.Improve(), rule(gate.Improve(), population)} {
		if accepted, _, codes := count(r); accepted != 0 || slices.Contains(codes, gate.CodeWorse) {
			t.Errorf("improve, %s: accepted %d, codes %v; want none better and none worse", r.Scope, accepted, codes)
		}
	}
	for _, r := range []gate.Rule{gate.NoRegression(), rule(gate.NoRegression(), population), gate.NonInferior("0.05")} {
		if _, rejected, codes := count(r); rejected != 0 {
			t.Errorf("%s, %s: rejected %d, codes %v; want none", r.Name, r.Scope, rejected, codes)
		}
	}
	if accepted, _, _ := count(gate.PairedSE("1")); accepted != 2 {
		t.Errorf("paired-se: accepted %d, want 2", accepted)
	}
}

func goldenCases(t *testing.T, kind string) []goldenCase {
	t.Helper()
	dir := os.Getenv("CAPEVAL_VECTORS")
	if dir == "" {
		t.Skip("CAPEVAL_VECTORS is not set: the golden vectors are not at hand")
	}
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(golden.Cases, func(c goldenCase) bool { return c.Kind != kind })
}

type goldenCase struct {
	Name, Kind string
	Inputs     struct {
		Deltas []string
		KSE    string `json:"k_se"`
		N      int
		Delta  string
	}
	Expected struct {
		Accept, Tie     bool
		SEZero          bool   `json:"se_zero"`
		ImprovePopulace string `json:"improve_verdict_population"`
	}
}

// armsOf makes two arms with these deltas, one trial a task.
func armsOf(t *testing.T, deltas []*big.Rat) (b, c record.SplitResult) {
	t.Helper()
	var low, high [][]*float64
	for _, d := range deltas {
		v, _ := new(big.Rat).Abs(d).Float64()
		zero := 0.0
		x, y := &zero, &v
		if d.Sign() < 0 {
			x, y = y, x
		}
		low, high = append(low, []*float64{x}), append(high, []*float64{y})
	}
	return trialsOf(t, "baseline", low, true), trialsOf(t, "candidate", high, true)
}

func TestGoldenPairedSE(t *testing.T) {
	cases := goldenCases(t, "kse_gate")
	if len(cases) != 47 {
		t.Errorf("found %d cases, want 47", len(cases))
	}
	for _, k := range cases {
		var deltas []*big.Rat
		for _, text := range k.Inputs.Deltas {
			d, ok := new(big.Rat).SetString(text)
			if !ok {
				t.Fatalf("%s: delta %q", k.Name, text)
			}
			deltas = append(deltas, d)
		}
		if len(deltas) == 0 {
			continue
		}
		b, c := armsOf(t, deltas)
		d := decide(t, b, c, gate.PairedSE(k.Inputs.KSE))
		if got := d.Verdict == gate.Accepted; got != k.Expected.Accept || has(d, gate.WarnSEZero) != k.Expected.SEZero ||
			strings.Contains(d.Message, "exact tie") != k.Expected.Tie {
			t.Errorf("%s: got %s %s, warnings %v; want %+v", k.Name, d.Verdict, d.Message, d.Warnings, k.Expected)
		}
	}
}

// One task moved: the mean is its standard error exactly, whatever was moved by
// how much and wherever the task stands, so paired-se must never accept.
func TestOneTaskMovedIsATie(t *testing.T) {
	for n := 2; n <= 50; n++ {
		for _, x := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 3), big.NewRat(2, 5)} {
			for _, at := range []int{0, n - 1} {
				deltas := make([]*big.Rat, n)
				for i := range deltas {
					deltas[i] = new(big.Rat)
				}
				deltas[at] = x
				b, c := armsOf(t, deltas)
				if d := decide(t, b, c, gate.PairedSE("1")); d.Code != gate.CodeNotAboveRule || !strings.Contains(d.Message, "exact tie") {
					t.Errorf("n=%d, moved by %v at %d: got %s %s", n, x, at, d.Code, d.Message)
				}
			}
		}
	}
	for _, k := range goldenCases(t, "one_moved") {
		x, ok := new(big.Rat).SetString(k.Inputs.Delta)
		if !ok || k.Expected.Accept {
			t.Fatalf("%s: %+v", k.Name, k)
		}
		deltas := []*big.Rat{x}
		for len(deltas) < k.Inputs.N {
			deltas = append(deltas, new(big.Rat))
		}
		b, c := armsOf(t, deltas)
		if d := decide(t, b, c, rule(gate.Improve(), population)); string(d.Verdict) != k.Expected.ImprovePopulace || d.PBetter != stats.Defined(0.5) {
			t.Errorf("%s: got %s %s p=%v, want %s and 1/2", k.Name, d.Verdict, d.Code, d.PBetter, k.Expected.ImprovePopulace)
		}
	}
}

// Margins and thresholds are compared as decimals, not as floats: 0.1 + 0.2 is
// 0.3 here. Three tasks move by 0.1 and three by 0.2 of 6: the mean is 0.15.
func TestMarginsAreExact(t *testing.T) {
	var deltas []*big.Rat
	for range 3 {
		deltas = append(deltas, big.NewRat(1, 10), big.NewRat(2, 10))
	}
	b, c := armsOf(t, deltas)
	threshold := rule(gate.Strict(), func(r *gate.Rule) { r.Name = gate.RuleThreshold })
	for _, x := range []struct {
		rule gate.Rule
		code string
	}{
		{rule(gate.Improve(), margin("0.15")), gate.CodeBetter},
		{rule(gate.Improve(), margin("0.1500000000000000000000000001")), gate.CodeBelowMinEffect},
		{rule(threshold, margin("0.15")), gate.CodeNotAboveRule},
		{rule(threshold, margin("0.1499999999999999999999999999")), gate.CodeAboveRule},
	} {
		if d := decide(t, b, c, x.rule); d.Code != x.code || *d.DeltaFraction != "3/20" {
			t.Errorf("%s %s: got %s, delta %s, want %s", x.rule.Name, x.rule.Margin, d.Code, *d.DeltaFraction, x.code)
		}
		back := x.rule
		back.Name = gate.RuleNoRegression
		want := map[string]string{gate.CodeBetter: gate.CodeRegression, gate.CodeBelowMinEffect: gate.CodeWithinMargin}[x.code]
		if d := decide(t, c, b, back); want != "" && d.Code != want {
			t.Errorf("a drop, margin %s: got %s, want %s", back.Margin, d.Code, want)
		}
	}
	// 0.3 in one task of one trial, made as 0.1 + 0.2.
	x, y := 0.1, 0.1
	y += 0.2 // 0.30000000000000004 - 0.1 is not 0.2 in floating point
	b = trialsOf(t, "b", [][]*float64{{&x}}, true)
	c = trialsOf(t, "c", [][]*float64{{&y}}, true)
	if d := decide(t, b, c, rule(threshold, margin("0.2"))); d.Code != gate.CodeNotAboveRule || *d.DeltaFraction != "1/5" {
		t.Errorf("got %s, delta %s: want 1/5, which is not above 0.2", d.Code, *d.DeltaFraction)
	}
}
