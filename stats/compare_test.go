package stats

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"0.05": "1/20", "0": "0/1", "-0.25": "-1/4", "+1": "1/1", ".5": "1/2", "5.": "5/1", "0.6": "3/5", "1.645": "329/200",
	} {
		if e, err := ParseDecimal(text); err != nil || e.String() != want {
			t.Errorf("%q: got %v, %v, want %v", text, e, err, want)
		}
	}
	for _, text := range []string{"", ".", "-", "+-1", "NaN", "inf", "1/20", "1e-3", "0x1", "1_0", " 1", "0.0.1", "five", strings.Repeat("9", 65)} {
		if e, err := ParseDecimal(text); err == nil || e.Defined() || !strings.Contains(err.Error(), "need a decimal number") {
			t.Errorf("%q: got %v, %v, want an error that says what is needed", text, e, err)
		}
	}
}

func TestExact(t *testing.T) {
	half, third := Rational(big.NewRat(1, 2)), Rational(big.NewRat(-1, 3))
	if !half.Above(third) || third.Above(half) || !half.AtLeast(half) || half.Above(half) {
		t.Error("1/2 and -1/3 are out of order")
	}
	var none Exact
	if none.AtLeast(none) || half.AtLeast(none) || none.Above(half) || none.Reaches(half) || half.Reaches(none) || none.Sign() != 0 {
		t.Error("an undefined number was compared")
	}
	if none.Rat() != nil || none.Estimate().Defined() || none.Neg().Defined() || Rational(nil).Defined() || none.String() != "-" {
		t.Error("an undefined number has a value")
	}
	if third.Estimate() != Defined(-1.0/3) || third.Neg().String() != "1/3" || third.Sign() != -1 {
		t.Errorf("-1/3 is %v", third.Estimate())
	}
	b, err := json.Marshal([]Exact{third, none})
	if err != nil || string(b) != `["-1/3",null]` {
		t.Errorf("%s, %v", b, err)
	}
	r := half.Rat()
	r.SetInt64(7)
	if half.String() != "1/2" {
		t.Error("a copy reached the number")
	}
}

// A p-value that equals alpha reaches it, in floating point too, and one that
// is larger by a millionth does not.
func TestReaches(t *testing.T) {
	alpha := decimalOf(t, "0.05")
	for p, want := range map[float64]bool{0.05: true, 1.0 / 20 * (1 + 1e-15): true, 0.0500001: false, 0.049: true, 1: false} {
		if Reaches(Defined(p), alpha) != want {
			t.Errorf("%v reaches 0.05: %v", p, !want)
		}
	}
	if Reaches(Undefined(), alpha) || Reaches(Defined(0.01), Exact{}) {
		t.Error("an undefined number was compared")
	}
	if !Rational(big.NewRat(1, 20)).Reaches(alpha) || Rational(big.NewRat(51, 1000)).Reaches(alpha) {
		t.Error("exact chances are compared otherwise")
	}
}

// A reward that cannot be makes everything it enters undefined.
func TestInvalidRewards(t *testing.T) {
	for _, bad := range []float64{math.NaN(), -0.1, 1.5, math.Inf(1)} {
		c := Compare([]Pair{{Baseline: []float64{0, 1}, Candidate: []float64{1, bad}}, {Baseline: []float64{0}, Candidate: []float64{1}}})
		got := all(c)
		none := anything{delta: "---", low: "-", high: "-", imbalance: "1/1"}
		if got != none {
			t.Errorf("%v: %+v", bad, got)
		}
		if c.TaskChanges()[1] != (TaskChange{}) {
			t.Errorf("%v: %+v", bad, c.TaskChanges())
		}
		if _, err := c.AuditSuite(); !errors.Is(err, ErrNothingPaired) {
			t.Errorf("%v: audit: %v", bad, err)
		}
		if _, err := c.AuditPopulation(); !errors.Is(err, ErrNothingPaired) {
			t.Errorf("%v: audit: %v", bad, err)
		}
	}
	empty := Compare(nil)
	if got := all(empty); got != (anything{delta: "---", low: "-", high: "-", imbalance: "-"}) || empty.Coverage().Defined() {
		t.Errorf("no tasks: %+v", got)
	}
}

func TestImbalance(t *testing.T) {
	c := Compare([]Pair{
		{Baseline: outcomes(2, 1), Candidate: outcomes(5, 1)},
		{Baseline: outcomes(3, 1), Candidate: outcomes(1, 1)}, // 3, above 5/2
		{Baseline: outcomes(9, 1)},                            // not paired
	})
	if got := c.Imbalance().String(); got != "3/1" {
		t.Errorf("got %v, want 3/1", got)
	}
	if got := c.Coverage().String(); got != "2/3" {
		t.Errorf("coverage %v, want 2/3", got)
	}
}

func TestIdenticalSuspected(t *testing.T) {
	check := func(what string, want bool, pairs ...Pair) {
		t.Helper()
		if got := Compare(pairs).IdenticalSuspected(); got != want {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	moved := Pair{Baseline: []float64{0, 0, 0}, Candidate: []float64{1, 1, 1}}
	still := Pair{Baseline: []float64{1, 1}, Candidate: []float64{1, 1}}
	varied := Pair{Baseline: []float64{0, 1}, Candidate: []float64{1, 1}}
	one := Pair{Baseline: []float64{0}, Candidate: []float64{1}}
	check("copies", true, moved, still)
	check("nothing moved", false, still)
	check("one trial each is never a copy", false, one, one)
	check("a reward varies", false, moved, varied)
	check("a reward varies on a task that is not paired", false, moved, Pair{Candidate: []float64{0, 1}})
	check("the same in the other arm", false, moved, Pair{Baseline: []float64{0, 1}})
	check("only a task that is not paired repeats", false, one, Pair{Candidate: []float64{1, 1}})
	check("nothing at all", false)

	outputs := moved
	outputs.CandidateOutputs = []string{"x", "", "y"}
	check("outputs vary though rewards do not", false, outputs)
	outputs.CandidateOutputs = []string{"x", "", "x"}
	check("known outputs are equal", true, outputs)
}

// Two-sided Fisher against the sum over all tables in big integers.
func TestFisher(t *testing.T) {
	check := func(a, n, b, m int) {
		t.Helper()
		ways := func(s int) *big.Int { return product(choose(int64(n), int64(s)), choose(int64(m), int64(a+b-s))) }
		unlikely, all := new(big.Int), new(big.Int)
		for s := max(0, a+b-m); s <= min(n, a+b); s++ {
			all.Add(all, ways(s))
			if ways(s).Cmp(ways(a)) <= 0 {
				unlikely.Add(unlikely, ways(s))
			}
		}
		within(t, "Fisher", Fisher(a, n, b, m), fraction(unlikely, all).r, 1e-12)
	}
	check(3, 4, 1, 4) // the lady tasting tea, 17/35
	check(0, 10, 5, 10)
	check(2, 60, 9, 60)
	check(30, 200, 12, 150)
	check(0, 1000, 7, 1000)
	check(1, 2, 100, 900)
	if got := Fisher(3, 4, 1, 4); !alike(got, Defined(17.0/35)) {
		t.Errorf("the lady tasting tea: got %v, want 17/35", got)
	}
	for _, c := range [][4]int{{0, 0, 1, 5}, {0, 5, 0, 5}, {5, 5, 3, 3}} {
		if got := Fisher(c[0], c[1], c[2], c[3]); got != Defined(1) {
			t.Errorf("%v leaves one table: got %v, want 1", c, got)
		}
	}
	for _, c := range [][4]int{{-1, 4, 1, 4}, {5, 4, 1, 4}, {1, 4, 5, 4}} {
		if got := Fisher(c[0], c[1], c[2], c[3]); got.Defined() {
			t.Errorf("%v is no table: got %v", c, got)
		}
	}
}

func TestHolmSkipsUndefined(t *testing.T) {
	got := Holm([]Estimate{Defined(0.04), Undefined(), Defined(0.01)})
	if got[0] != Defined(0.04) || got[1].Defined() || got[2] != Defined(0.02) { // two tests, not three
		t.Errorf("got %v", got)
	}
}

// Between adds to the variance of a task's difference: 10 trials at 1/4 leave
// 0.05 of a trial's noise, so with 0.15 between, 100 tasks have a variance of
// 0.002, and 2.4864748605^2*0.2/0.1^2 = 123.65 tasks find a tenth.
func TestDesignPopulation(t *testing.T) {
	d := Design{Tasks: 100, Trials: 10, Variance: 0.25, Between: 0.15}
	check := func(what string, got Estimate, want, tolerance float64) {
		t.Helper()
		if v, ok := got.Value(); !ok || math.Abs(v-want) > tolerance {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	check("se", d.SE(), math.Sqrt(0.002), 1e-15)
	check("tasks", d.TasksFor(0.1, 0.05, 0.8), 123.65114, 1e-4)
	// The other way round: with that many trials in total, the design finds it.
	trials, _ := d.TrialsFor(0.13, 0.05, 0.8).Value()
	d.Trials = 1
	d.Variance *= 100 / trials // one trial with the variance of so many
	check("trials", MDE(d.SE(), 0.05, 0.8), 0.13, 1e-12)
	if got := (Design{Tasks: 10, Trials: 1, Variance: 0.25, Between: 0.5}).TrialsFor(0.1, 0.05, 0.8); got.Defined() {
		t.Errorf("no number of trials finds a tenth on ten tasks that differ so much: got %v", got)
	}
	for _, bad := range []Estimate{Design{}.SE(), Design{Tasks: 1, Trials: 1, Variance: -1}.SE(), d.TasksFor(0, 0.05, 0.8),
		d.TrialsFor(0, 0.05, 0.8), MDE(Defined(1), 0, 0.8), MDE(Defined(1), 0.05, 1), MDE(Undefined(), 0.05, 0.8)} {
		if bad.Defined() {
			t.Errorf("got %v, want undefined", bad)
		}
	}
}

// The trials that a comparison asks for give, put into its own standard error,
// the effect back.
func TestSuiteTrialsFor(t *testing.T) {
	c := Compare([]Pair{{Baseline: outcomes(5, 2), Candidate: outcomes(5, 3)}, {Baseline: outcomes(5, 5), Candidate: outcomes(5, 4)}})
	mde, _ := MDE(c.SuiteInterval(0.95).SE, 0.05, 0.8).Value()
	if got, _ := c.SuiteTrialsFor(mde, 0.05, 0.8).Value(); math.Abs(got-5) > 1e-12 {
		t.Errorf("the effect that 5 trials find takes %v trials", got)
	}
	if c.SuiteTrialsFor(0, 0.05, 0.8).Defined() || c.SuiteTrialsFor(0.1, 1, 0.8).Defined() {
		t.Error("no effect, or no alpha, takes a number of trials")
	}
}

func TestToReach(t *testing.T) {
	alpha := decimalOf(t, "0.05")
	if got := TasksToReach(2, alpha); got != 2 { // 1/6, then 1/36
		t.Errorf("with two trials: %d tasks, want 2", got)
	}
	if got := TasksToReach(3, alpha); got != 1 { // exactly 1/20
		t.Errorf("with three trials: %d tasks, want 1", got)
	}
	for _, bad := range []Exact{{}, decimalOf(t, "0"), decimalOf(t, "1"), decimalOf(t, "-1")} {
		if TasksToReach(1, bad) != 0 || TrialsToReach(1, bad) != 0 {
			t.Errorf("alpha %v is reached", bad)
		}
	}
	if TasksToReach(0, alpha) != 0 || TrialsToReach(0, alpha) != 0 {
		t.Error("nothing reaches alpha")
	}
}

func TestDeltaIntervals(t *testing.T) {
	// Three failures and one more trial at 0 and at 1 have a variance of
	// 1/5 - 1/25 = 4/25, a third of that in the mean, and as much three passes.
	c := Compare([]Pair{{Baseline: outcomes(3, 0), Candidate: outcomes(3, 3)}})
	exactly(t, "suite", c.suiteWald().square, big.NewRat(8, 75))
	if got := c.SuiteInterval(0.95); got.Centre != Defined(1) || got.High != Defined(1) || !(got.Low.value > 0.3598 && got.Low.value < 0.3599) {
		t.Errorf("suite: %+v", got) // 1 - 1.96*sqrt(8/75)
	}
	// Differences of 0.2, 0, -0.4, 0.6, 0.2, 0.2 with 1 and -1 more: eight with
	// mean 0.1 and squared deviations of 2.64 - 8*0.01 = 2.56, over 8^2.
	var pairs []Pair
	for _, d := range []float64{0.2, 0, -0.4, 0.6, 0.2, 0.2} {
		pairs = append(pairs, Pair{Baseline: []float64{max(0, -d)}, Candidate: []float64{max(0, d)}})
	}
	c = Compare(pairs)
	exactly(t, "population centre", c.populationWald().centre, big.NewRat(1, 10))
	exactly(t, "population", c.populationWald().square, big.NewRat(1, 25))
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if c.SuiteInterval(level) != (DeltaInterval{}) || c.PopulationInterval(level) != (DeltaInterval{}) ||
			c.SuiteLower(level).Defined() || c.PopulationLower(level).Defined() {
			t.Errorf("a level of %v gives an interval", level)
		}
	}
}

// Variants of one problem that all say the same are one observation.
func TestPopulationIntervalClusters(t *testing.T) {
	single := Pair{Baseline: []float64{0, 1}, Candidate: []float64{1, 1}}
	other := Pair{Baseline: []float64{1}, Candidate: []float64{0}}
	var many []Pair
	for range 7 {
		a, b := single, other
		a.Cluster, b.Cluster = "a", "b"
		many = append(many, a, b)
	}
	if got, want := Compare(many).PopulationInterval(0.95), Compare([]Pair{single, other}).PopulationInterval(0.95); got != want {
		t.Errorf("seven copies: %+v, want %+v", got, want)
	}
	if got, want := Compare(many).PopulationTest().MinDesign, Defined(0.25); got != want {
		t.Errorf("two clusters: %v, want %v", got, want)
	}
}

// The exact count says no before it takes the machine with it.
func TestAuditRefuses(t *testing.T) {
	check := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "exact count") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := Compare(binarySuite(2000, 5)).AuditSuite()
	check("2,000 tasks", err)
	_, err = Compare(gradedSuite(200, 5)).AuditSuite()
	check("200 graded tasks", err)
	_, err = Compare(gradedSuite(1, 200)).AuditSuite()
	check("400 graded trials", err)
}

// Four runs of one unchanged agent: no pair of them may differ, and the rule of
// one standard error takes two of the twelve for better.
func TestRealArmsWithoutChange(t *testing.T) {
	dir := os.Getenv("CAPEVAL_DATA")
	if dir == "" {
		t.Skip("CAPEVAL_DATA names no folder, so the real runs are not compared")
	}
	b, err := os.ReadFile(filepath.Join(dir, "cap-evolve", "tau2_airline_v4.val_per_task.json"))
	if err != nil {
		t.Fatal(err)
	}
	var arms map[string]map[string]struct{ Trials []float64 }
	if err := json.Unmarshal(b, &arms); err != nil {
		t.Fatal(err)
	}
	same := []string{"seed", "c0_null5", "c0_null5b", "c0_null5c"}
	alpha, one := decimalOf(t, "0.05"), decimalOf(t, "1")
	accepted := 0
	for _, x := range same {
		for _, y := range same {
			if x == y {
				continue
			}
			var pairs []Pair
			for task, b := range arms[x] {
				pairs = append(pairs, Pair{Baseline: b.Trials, Candidate: arms[y][task].Trials})
			}
			c := Compare(pairs)
			if c.Paired() != 12 {
				t.Fatalf("%s and %s: %d tasks are paired, want 12", x, y, c.Paired())
			}
			for _, test := range []Test{c.SuiteTest(), c.PopulationTest()} {
				if Reaches(test.Better, alpha) || Reaches(test.Worse, alpha) {
					t.Errorf("%s and %s differ: %+v", x, y, test)
				}
			}
			if c.PairedSE(one).Accept {
				accepted++
			}
		}
	}
	if accepted != 2 {
		t.Errorf("one standard error accepts %d of 12, want 2", accepted)
	}
}
