package gate_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/stats"
)

func TestSpend(t *testing.T) {
	check := func(alpha string, look, looks int, part, spent string) {
		t.Helper()
		p, s, err := gate.Spend(alpha, look, looks)
		if err != nil || p != part || s != spent {
			t.Errorf("look %d of %d at %s: %s of %s, %v, want %s of %s", look, looks, alpha, p, s, err, part, spent)
		}
	}
	check("0.05", 1, 5, "0.001", "0.001")
	check("0.05", 2, 5, "0.004", "0.005")
	check("0.05", 3, 5, "0.01", "0.015")
	check("0.05", 4, 5, "0.015", "0.03")
	check("0.05", 5, 5, "0.02", "0.05")
	check("0.05", 1, 1, "0.05", "0.05")               // one look is no adaptation
	check("0.05", 1, 2, "0.01", "0.01")               // halfway between .005 and .015
	check("0.05", 1, 3, "0.003666666", "0.003666666") // rounded down, and the last look has the rest
	for _, bad := range []func() error{
		func() error { _, _, err := gate.Spend("0", 1, 5); return err },
		func() error { _, _, err := gate.Spend("1", 1, 5); return err },
		func() error { _, _, err := gate.Spend("0.05", 0, 5); return err },
		func() error { _, _, err := gate.Spend("0.05", 6, 5); return err },
		func() error { _, _, err := gate.Spend("x", 1, 5); return err },
		func() error { return gate.CheckAdaptive(gate.Rule{Name: gate.RulePairedSE}) },
	} {
		if bad() == nil {
			t.Error("a call that cannot be meant was taken")
		}
	}
}

// Whatever the looks, the parts are above 0 and add up to alpha, exactly.
func TestSpendAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alpha := rapid.SampledFrom([]string{"0.05", "0.2", "0.01", "0.123", "0.999"}).Draw(t, "alpha")
		looks := rapid.IntRange(1, 40).Draw(t, "looks")
		sum := new(big.Rat)
		for look := 1; look <= looks; look++ {
			part, spent, err := gate.Spend(alpha, look, looks)
			if err != nil {
				t.Fatal(err)
			}
			p, _ := new(big.Rat).SetString(part)
			if p.Sign() <= 0 {
				t.Fatalf("look %d of %d spends %s", look, looks, part)
			}
			s, _ := new(big.Rat).SetString(spent)
			if sum.Add(sum, p).Cmp(s) != 0 {
				t.Fatalf("look %d of %d: %s is spent, the parts come to %s", look, looks, spent, sum.FloatString(12))
			}
		}
		if whole, _ := new(big.Rat).SetString(alpha); sum.Cmp(whole) != 0 {
			t.Fatalf("%d looks spend %s of %s", looks, sum.FloatString(12), alpha)
		}
	})
}

// draw is one suite of n tasks with m trials in each arm; rates gives the arms'
// chances of a task.
func draw(r *rand.Rand, n, m int, rates func(*rand.Rand) (b, c float64)) []stats.Pair {
	pairs := make([]stats.Pair, n)
	for i := range pairs {
		b, c := rates(r)
		for range m {
			pairs[i].Baseline = append(pairs[i].Baseline, bernoulli(r, b))
			pairs[i].Candidate = append(pairs[i].Candidate, bernoulli(r, c))
		}
	}
	return pairs
}

func bernoulli(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// looked runs the looks over a suite: whether an improvement was claimed, and
// after how many trials it stopped.
func looked(t *testing.T, pairs []stats.Pair, m, looks int) (claimed bool, trials int) {
	t.Helper()
	for look := 1; look <= looks; look++ {
		k := m * look / looks
		part := make([]stats.Pair, len(pairs))
		for i, p := range pairs {
			part[i] = stats.Pair{Baseline: p.Baseline[:k], Candidate: p.Candidate[:k]}
		}
		text, _, err := gate.Spend("0.05", look, looks)
		if err != nil {
			t.Fatal(err)
		}
		alpha, err := stats.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		if test := stats.Compare(part).SuiteTest(); stats.Reaches(test.Better, alpha) {
			return true, k
		}
	}
	return false, m
}

// Five looks at 20 tasks and up to 10 trials: where nothing changed, a gain is
// claimed at most as often as alpha says, in every world; where much changed, most
// trials are spared.
func TestFiveLooksHoldAlpha(t *testing.T) {
	const n, m, looks = 20, 10, 5
	reps := 1000
	if testing.Short() {
		reps = 200
	}
	most := 0.05 + 3*math.Sqrt(0.05*0.95/float64(reps))
	tau := []float64{1, .9, .45, .35, .7, .5, .05, 1, .2, 1, .2, 0} // pooled rates of an agent's real tasks
	same := func(p float64) (float64, float64) { return p, p }
	worlds := map[string]func(*rand.Rand) (float64, float64){
		"all 0.5":  func(*rand.Rand) (float64, float64) { return same(0.5) },
		"Beta .5":  func(r *rand.Rand) (float64, float64) { s := math.Sin(r.Float64() * math.Pi / 2); return same(s * s) },
		"uniform":  func(r *rand.Rand) (float64, float64) { return same(r.Float64()) },
		"an agent": func(r *rand.Rand) (float64, float64) { return same(tau[r.IntN(len(tau))]) },
	}
	for name, rates := range worlds {
		r := rand.New(rand.NewPCG(1, 2))
		false_, naive := 0, 0
		for range reps {
			pairs := draw(r, n, m, rates)
			if claimed, _ := looked(t, pairs, m, looks); claimed {
				false_++
			}
			if peeked(pairs, m, looks) {
				naive++
			}
		}
		if share := float64(false_) / float64(reps); share > most {
			t.Errorf("%s: %.3f false claims, at most %.3f", name, share, most)
		}
		t.Logf("%s: %.3f false claims over %d looks; alpha at every look would make %.3f", name, float64(false_)/float64(reps), looks, float64(naive)/float64(reps))
	}
	for gain, least := range map[float64]float64{0.2: 0.9, 0.1: 0.3} {
		r := rand.New(rand.NewPCG(3, 4))
		found, trials := 0, 0
		for range reps {
			claimed, k := looked(t, draw(r, n, m, func(r *rand.Rand) (float64, float64) {
				b := (1 - gain) * r.Float64()
				return b, b + gain
			}), m, looks)
			if claimed {
				found++
			}
			trials += k
		}
		share := float64(found) / float64(reps)
		t.Logf("a gain of %.1f: found %.3f, after %.1f of %d trials a task on average", gain, share, float64(trials)/float64(reps), m)
		if share < least || gain == 0.2 && float64(trials)/float64(reps) > 0.7*m {
			t.Errorf("a gain of %.1f is found with %.3f, after %.1f trials", gain, share, float64(trials)/float64(reps))
		}
	}
}

// peeked is what looking at alpha each time would claim.
func peeked(pairs []stats.Pair, m, looks int) bool {
	alpha, _ := stats.ParseDecimal("0.05")
	for look := 1; look <= looks; look++ {
		k := m * look / looks
		part := make([]stats.Pair, len(pairs))
		for i, p := range pairs {
			part[i] = stats.Pair{Baseline: p.Baseline[:k], Candidate: p.Candidate[:k]}
		}
		if stats.Reaches(stats.Compare(part).SuiteTest().Better, alpha) {
			return true
		}
	}
	return false
}

func TestClear(t *testing.T) {
	check := func(b, c string, r gate.Rule, want bool) {
		t.Helper()
		if d := decide(t, arm(t, "baseline", b), arm(t, "candidate", c), r); d.Clear() != want {
			t.Errorf("%s against %s by %s: %s, clear = %v", c, b, r.Name, d.Code, d.Clear())
		}
	}
	zeros, ones := strings.Repeat("000 ", 6), strings.Repeat("111 ", 6)
	check(zeros, ones, rule(gate.Improve()), true)
	check(ones, zeros, rule(gate.Improve()), true)
	check(ones, zeros, rule(gate.NoRegression()), true)
	check(zeros, ones, rule(gate.NoRegression()), true) // shown to be better
	check("101 010 110 011 101 001", "110 001 101 011 110 010", rule(gate.NoRegression()), false)
	check("101 010 110 011 101 001", "110 001 101 011 110 010", rule(gate.Improve()), false)
}

func TestStoppedIsDisclosed(t *testing.T) {
	d := decide(t, arm(t, "baseline", "000 000 000"), arm(t, "candidate", "111 111 111"), rule(gate.Improve(), alpha("0.004")))
	got := d.Stopped(gate.Adaptive{Look: 2, Looks: 5, Alpha: "0.05", AlphaSpent: "0.005", Trials: 4, Planned: 10, NotNeeded: 36})
	want := "looked 2 times of at most 5, and stopped after 4 of 10 trials a task: alpha 0.004 is this look's part of 0.05, of which 0.005 is spent; 36 cells were not needed and in no denominator"
	if w := warning(t, got, gate.WarnAdaptive); w != want {
		t.Errorf("got %q\nwant %q", w, want)
	}
	if has(d, gate.WarnAdaptive) || got.Adaptive.NotNeeded != 36 || !strings.Contains(asJSON(t, got), `"cells_not_needed": 36`) || strings.Contains(asJSON(t, d), "adaptive") {
		t.Error("the decision before was changed, or the JSON does not tell")
	}
}
