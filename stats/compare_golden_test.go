package stats

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"testing"
)

// cases returns the golden cases of one kind, at least one.
func cases(t *testing.T, kind string) []vector {
	t.Helper()
	vs := golden(t)[kind]
	if len(vs) == 0 {
		t.Fatalf("no case of kind %s, so nothing of it would be compared", kind)
	}
	return vs
}

// rational reads a JSON number, or a string that holds a decimal or a fraction.
func rational(t *testing.T, raw json.RawMessage) *big.Rat {
	t.Helper()
	s := string(raw)
	if u, err := strconv.Unquote(s); err == nil {
		s = u
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("found %s, need a number", raw)
	}
	return r
}

func asFloat(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// armsOf reads tasks with a baseline and a candidate; null is a missing trial.
func armsOf(t *testing.T, raw json.RawMessage, planned int) []Pair {
	t.Helper()
	type arms struct{ Baseline, Candidate []decimal }
	pairs := []Pair{}
	for _, a := range read[[]arms](t, raw) {
		pairs = append(pairs, Pair{Baseline: valid(a.Baseline), Candidate: valid(a.Candidate),
			BaselinePlanned: planned, CandidatePlanned: planned})
	}
	return pairs
}

// deltasOf reads differences as tasks with one graded trial in each arm.
func deltasOf(t *testing.T, raw json.RawMessage) []Pair {
	t.Helper()
	pairs := []Pair{}
	for _, d := range read[[]json.RawMessage](t, raw) {
		v := asFloat(rational(t, d))
		pairs = append(pairs, Pair{Baseline: []float64{max(0, -v)}, Candidate: []float64{max(0, v)}})
	}
	return pairs
}

// same compares an exact number with a golden one to the letter.
func same(t *testing.T, name string, got Exact, raw json.RawMessage) {
	t.Helper()
	w := read[*want](t, raw)
	if w == nil {
		if got.Defined() {
			t.Errorf("%s: got %v, want undefined", name, got)
		}
		return
	}
	if w.Frac == "" {
		t.Fatalf("%s: the golden number %s has no fraction", name, raw)
	}
	if got.String() != w.Frac {
		t.Errorf("%s: got %v, want %v", name, got, w.Frac)
	}
}

// closeTo compares a number with a golden one within a relative tolerance, or
// 1e-15 near zero.
func closeTo(t *testing.T, name string, got Estimate, raw json.RawMessage, tolerance float64) {
	t.Helper()
	w := read[*want](t, raw)
	v, ok := got.Value()
	if (w != nil) != ok {
		t.Errorf("%s: got %v, want %s", name, got, raw)
	}
	if w == nil || !ok {
		return
	}
	f, err := strconv.ParseFloat(w.Dec, 64)
	if err != nil || math.Abs(v-f) > max(tolerance*math.Abs(f), 1e-15) {
		t.Errorf("%s: got %v, want %s", name, got, w.Dec)
	}
}

// meetsTest compares both ways to compute an exact test with golden fractions.
func meetsTest(t *testing.T, name string, fast Test, audit Audit, want map[string]json.RawMessage) {
	t.Helper()
	for _, c := range []struct {
		key   string
		fast  Estimate
		exact Exact
	}{
		{"p_greater", fast.Better, audit.Better},
		{"p_less", fast.Worse, audit.Worse},
		{"p_better", fast.Better, audit.Better},
		{"p_worse", fast.Worse, audit.Worse},
		{"p_two_sided", fast.TwoSided, audit.TwoSided},
		{"p_min_design", fast.MinDesign, audit.MinDesign},
		{"p_min_conditional", fast.MinConditional, audit.MinConditional},
	} {
		if raw, ok := want[c.key]; ok {
			closeTo(t, name+" "+c.key, c.fast, raw, 1e-12)
			same(t, name+" "+c.key, c.exact, raw)
		}
	}
}

func TestGoldenSuiteTest(t *testing.T) {
	for _, v := range cases(t, "strat_perm") {
		c := Compare(armsOf(t, v.Inputs["tasks"], 0))
		if n := read[int](t, v.Expected["n_paired"]); c.Paired() != n {
			t.Errorf("%s: %d paired, want %d", v.Name, c.Paired(), n)
		}
		same(t, v.Name+" delta", c.Delta(), v.Expected["delta"])
		audit, err := c.AuditSuite()
		if (err != nil) != (c.Paired() == 0) {
			t.Errorf("%s: %v", v.Name, err)
		}
		meetsTest(t, v.Name, c.SuiteTest(), audit, v.Expected)
	}
}

func TestGoldenPopulationTest(t *testing.T) {
	for _, v := range cases(t, "signflip") {
		c := Compare(deltasOf(t, v.Inputs["deltas"]))
		if c.Paired() == 0 { // the chances of nothing at all are those of the bare sum
			s := flips(nil)
			better, worse := s.tails()
			audit, err := countFlips(nil).audit()
			if err != nil {
				t.Fatal(err)
			}
			meetsTest(t, v.Name, tested(better, worse, s.minDesign, s.minConditional()), audit, v.Expected)
			continue
		}
		sum := Exact{new(big.Rat).Mul(c.Delta().r, big.NewRat(int64(c.Paired()), 1))}
		same(t, v.Name+" sum", sum, v.Expected["sum"])
		audit, err := c.AuditPopulation()
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
		meetsTest(t, v.Name, c.PopulationTest(), audit, v.Expected)
	}
}

func TestGoldenPairedSE(t *testing.T) {
	for _, v := range cases(t, "kse_gate") {
		k, err := ParseDecimal(read[string](t, v.Inputs["k_se"]))
		if err != nil {
			t.Fatal(err)
		}
		got := Compare(deltasOf(t, v.Inputs["deltas"])).PairedSE(k)
		same(t, v.Name+" left", got.Left, v.Expected["lhs"])
		same(t, v.Name+" right", got.Right, v.Expected["rhs"])
		if got.Accept != read[bool](t, v.Expected["accept"]) || got.Tie != read[bool](t, v.Expected["tie"]) ||
			got.SEZero != read[bool](t, v.Expected["se_zero"]) {
			t.Errorf("%s: got %+v, want %s", v.Name, got, v.Expected)
		}
	}
}

// One task moved and the others did not: an exact tie of the rule, however
// many tasks there are and whichever of them moved.
func TestGoldenOneMoved(t *testing.T) {
	one := decimalOf(t, "1")
	for _, v := range cases(t, "one_moved") {
		n, moved := read[int](t, v.Inputs["n"]), asFloat(rational(t, v.Inputs["delta"]))
		for at := range n {
			pairs := make([]Pair, n)
			for i := range pairs {
				pairs[i] = Pair{Baseline: []float64{0}, Candidate: []float64{0}}
			}
			pairs[at].Candidate = []float64{moved}
			c := Compare(pairs)
			same(t, v.Name+" mean", c.Delta(), v.Expected["mean"])
			got := c.PairedSE(one)
			if got.Accept != read[bool](t, v.Expected["kse1_accept"]) || got.Tie != read[bool](t, v.Expected["kse1_tie"]) {
				t.Errorf("%s, task %d: got %+v", v.Name, at, got)
			}
			closeTo(t, v.Name, c.PopulationTest().Better, v.Expected["signflip_p_greater"], 0)
		}
	}
}

func decimalOf(t *testing.T, s string) Exact {
	t.Helper()
	e, err := ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestGoldenDeltaIntervals(t *testing.T) {
	ends := func(name string, got DeltaInterval, raw json.RawMessage) {
		t.Helper()
		ci := read[[]json.RawMessage](t, raw)
		closeTo(t, name+" low", got.Low, ci[0], transcendental)
		closeTo(t, name+" high", got.High, ci[1], transcendental)
	}
	for _, v := range cases(t, "suite_delta_ci") {
		c := Compare(armsOf(t, v.Inputs["tasks"], 0))
		got := c.SuiteInterval(0.95)
		same(t, v.Name+" delta", c.Delta(), v.Expected["delta"])
		closeTo(t, v.Name+" se", got.SE, v.Expected["se"], rooted)
		if c.Paired() == 0 {
			if got != (DeltaInterval{}) {
				t.Errorf("%s: got %v, want undefined", v.Name, got)
			}
			continue
		}
		same(t, v.Name+" var", c.suiteWald().square, v.Expected["var"])
		ends(v.Name, got, v.Expected["ci95"])
		closeTo(t, v.Name+" lcb", c.SuiteLower(0.05), v.Expected["lcb95"], transcendental)
		closeTo(t, v.Name+" ucb", c.SuiteInterval(0.9).High, v.Expected["ucb95"], transcendental)
		closeTo(t, v.Name+" mde", MDE(got.SE, 0.05, 0.8), v.Expected["mde80"], transcendental)
	}
	for _, v := range cases(t, "population_delta_ci") {
		c := Compare(deltasOf(t, v.Inputs["deltas"]))
		got := c.PopulationInterval(0.95)
		same(t, v.Name+" centre", c.populationWald().centre, v.Expected["centre"])
		closeTo(t, v.Name+" centre", got.Centre, v.Expected["centre"], 0)
		closeTo(t, v.Name+" se", got.SE, v.Expected["se"], rooted)
		ends(v.Name, got, v.Expected["ci95"])
		closeTo(t, v.Name+" lcb", c.PopulationLower(0.05), v.Expected["lcb95"], transcendental)
	}
}

func TestGoldenMultiplicity(t *testing.T) {
	for _, v := range cases(t, "multiplicity") {
		var ps []Estimate
		for _, p := range read[[]json.RawMessage](t, v.Inputs["p"]) {
			ps = append(ps, Defined(asFloat(rational(t, p))))
		}
		for key, adjust := range map[string]func([]Estimate) []Estimate{"holm": Holm, "bh": BenjaminiHochberg} {
			got, want := adjust(ps), read[[]json.RawMessage](t, v.Expected[key])
			if len(got) != len(want) {
				t.Fatalf("%s %s: %d results, want %d", v.Name, key, len(got), len(want))
			}
			for i := range got {
				closeTo(t, v.Name+" "+key, got[i], want[i], 1e-12)
			}
		}
	}
}

func TestGoldenPlanning(t *testing.T) {
	for _, v := range cases(t, "mde") {
		d := Design{Tasks: read[int](t, v.Inputs["n_tasks"]), Trials: read[int](t, v.Inputs["n_trials_each_arm"]),
			Variance: number(t, v.Inputs["mean_within_task_variance"])}
		alpha, power := number(t, v.Inputs["alpha_one_sided"]), number(t, v.Inputs["power"])
		closeTo(t, v.Name+" z", Defined(reach(alpha, power)), v.Expected["z_sum"], transcendental)
		closeTo(t, v.Name+" se", d.SE(), v.Expected["se"], rooted)
		closeTo(t, v.Name+" mde", MDE(d.SE(), alpha, power), v.Expected["mde"], transcendental)
		closeTo(t, v.Name+" trials", d.TrialsFor(0.1, alpha, power), v.Expected["trials_per_arm_for_0.1"], transcendental)
		exact := decimalOf(t, read[string](t, v.Inputs["alpha_one_sided"]))
		if k := read[int](t, v.Expected["min_tasks_signflip"]); TasksToReach(1, exact) != k {
			t.Errorf("%s: %d tasks, want %d", v.Name, TasksToReach(1, exact), k)
		}
	}
	for _, v := range cases(t, "attainability") {
		alpha := decimalOf(t, read[string](t, v.Inputs["alpha"]))
		if k := read[int](t, v.Expected["min_tasks_one_trial_or_population_scope"]); TasksToReach(1, alpha) != k {
			t.Errorf("%s: %d tasks, want %d", v.Name, TasksToReach(1, alpha), k)
		}
		for n, m := range read[map[int]int](t, v.Expected["min_trials_per_arm_by_n_tasks_suite_scope"]) {
			if got := TrialsToReach(n, alpha); got != m {
				t.Errorf("%s: %d tasks need %d trials, want %d", v.Name, n, got, m)
			}
		}
	}
}

func TestGoldenDeltaBounds(t *testing.T) {
	for _, v := range cases(t, "missing_bounds") {
		low, high := Compare(armsOf(t, v.Inputs["tasks"], read[int](t, v.Inputs["planned_trials"]))).DeltaBounds()
		same(t, v.Name+" low", low, v.Expected["delta_low"])
		same(t, v.Name+" high", high, v.Expected["delta_high"])
	}
}

// The numbers that verdicts rest on; the verdicts themselves are not this
// package's.
func TestGoldenVerdictNumbers(t *testing.T) {
	for _, v := range cases(t, "verdict") {
		pairs := armsOf(t, v.Inputs["tasks"], 0)
		if read[string](t, v.Inputs["fingerprints"]) == "distinct" {
			for i := range pairs {
				pairs[i].BaselineOutputs = distinct(len(pairs[i].Baseline))
				pairs[i].CandidateOutputs = distinct(len(pairs[i].Candidate))
			}
		}
		c := Compare(pairs)
		if raw, ok := v.Expected["coverage"]; ok {
			same(t, v.Name+" coverage", c.Coverage(), raw)
		}
		if raw, ok := v.Expected["delta"]; ok {
			same(t, v.Name+" delta", c.Delta(), raw)
		}
		if v.Expected["p_better"] == nil {
			continue
		}
		suspected := read[string](t, v.Inputs["trials"]) == "auto" && c.IdenticalSuspected()
		if suspected != read[bool](t, v.Expected["identical_trials_suspected"]) {
			t.Errorf("%s: identical trials suspected: %v", v.Name, suspected)
		}
		test := c.SuiteTest()
		audit, err := c.AuditSuite()
		if err != nil {
			t.Fatal(err)
		}
		population, err := c.AuditPopulation()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case read[string](t, v.Inputs["scope"]) == "population":
			test, audit = c.PopulationTest(), population
		case suspected:
			test, audit = Cautious(test, c.PopulationTest()), CautiousAudit(audit, population)
		}
		meetsTest(t, v.Name, test, audit, v.Expected)
		alpha := number(t, v.Inputs["alpha"])
		if raw, ok := v.Expected["mde80"]; ok {
			closeTo(t, v.Name+" mde", MDE(c.SuiteInterval(0.95).SE, alpha, 0.8), raw, transcendental)
		}
		if raw, ok := v.Expected["lcb"]; ok {
			closeTo(t, v.Name+" lcb", c.SuiteLower(alpha), raw, transcendental)
		}
	}
}

// distinct returns n digests that differ.
func distinct(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}
