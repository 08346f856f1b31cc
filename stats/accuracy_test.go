package stats

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// drift returns binary tasks whose candidate passes more often by lift.
func drift(rng *rand.Rand, tasks, mb, mc int, lift float64) []Pair {
	pairs := make([]Pair, tasks)
	for i := range pairs {
		chance := rng.Float64()
		arm := func(m int, chance float64) []float64 {
			out := make([]float64, m)
			for k := range out {
				if rng.Float64() < chance {
					out[k] = 1
				}
			}
			return out
		}
		pairs[i] = Pair{Baseline: arm(mb, chance), Candidate: arm(mc, chance+lift)}
	}
	return pairs
}

// However unlikely the outcome, the relative error stays where it is for
// likely ones.
func TestSmallChancesAreAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	least := 1.0
	for _, lift := range []float64{-0.9, -0.4, -0.1, 0, 0.03, 0.1, 0.2, 0.4, 0.7, 0.95} {
		for _, design := range [][3]int{{12, 5, 5}, {100, 1, 1}, {120, 5, 5}, {60, 3, 7}, {40, 10, 2}} {
			c := Compare(drift(rng, design[0], design[1], design[2], lift))
			for _, scope := range []struct {
				fast  Test
				audit func() (Audit, error)
			}{{c.SuiteTest(), c.AuditSuite}, {c.PopulationTest(), c.AuditPopulation}} {
				audit, err := scope.audit()
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("lift %v of %v", lift, design)
				within(t, name+" better", scope.fast.Better, audit.Better.r, 1e-12)
				within(t, name+" worse", scope.fast.Worse, audit.Worse.r, 1e-12)
				within(t, name+" two-sided", scope.fast.TwoSided, audit.TwoSided.r, 1e-12)
				within(t, name+" extreme", scope.fast.MinConditional, audit.MinConditional.r, 1e-12)
				within(t, name+" design", scope.fast.MinDesign, audit.MinDesign.r, 1e-12)
				least = min(least, scope.fast.TwoSided.value)
			}
		}
	}
	if least > 1e-100 {
		t.Errorf("the smallest chance was %v, so nothing unlikely was tried", least)
	}
}

// plain adds up the whole distribution without tilt, transform or pruning. All
// its terms are positive, so it is accurate, only slow.
func (s null) plain() (atLeast, atMost float64) {
	var low, high int64
	for _, k := range s.kinds {
		low += k.x[0] * int64(k.count)
		high += k.x[len(k.x)-1] * int64(k.count)
	}
	p, start := []float64{1}, int64(0)
	for _, k := range s.kinds {
		for range k.count {
			next := make([]float64, int64(len(p))+k.x[len(k.x)-1]-k.x[0])
			for i, x := range k.x {
				for j, v := range p {
					next[int64(j)+x-k.x[0]] += v * k.p[i]
				}
			}
			p, start = next, start+k.x[0]
		}
	}
	for i, v := range p {
		if start+int64(i) <= s.observed {
			atMost += v
		}
	}
	for i, v := range slices.Backward(p) {
		if start+int64(i) >= s.observed {
			atLeast += v
		}
	}
	return atLeast, atMost
}

// Graded rewards take the Fourier transform; it may cost no accuracy either.
func TestGradedChancesAreAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for _, lift := range []float64{-0.3, -0.05, 0, 0.05, 0.2, 0.6} {
		pairs := make([]Pair, 25) // enough for the last convolutions to be transforms
		for i := range pairs {
			arm := func(lift float64) []float64 {
				out := make([]float64, 5)
				for k := range out {
					out[k] = math.Round(100*min(1, max(0, rng.Float64()+lift))) / 100
				}
				return out
			}
			pairs[i] = Pair{Baseline: arm(0), Candidate: arm(lift)}
		}
		c := Compare(pairs)
		s := c.suite()
		better, worse := s.plain()
		within(t, fmt.Sprint(lift, " better"), c.SuiteTest().Better, new(big.Rat).SetFloat64(better), 1e-12)
		within(t, fmt.Sprint(lift, " worse"), c.SuiteTest().Worse, new(big.Rat).SetFloat64(worse), 1e-12)
	}
	cv := convolver{}
	if !cv.transformPays(2500, 2500, 4999) || cv.transformPays(300, 300, 599) {
		t.Error("the transform takes the small convolutions or leaves the large ones")
	}
}

// A chance that no float64 holds is not 0.
func TestChanceIsNeverZero(t *testing.T) {
	pairs := make([]Pair, 5000)
	for i := range pairs {
		pairs[i] = Pair{Baseline: []float64{0}, Candidate: []float64{1}}
	}
	c := Compare(pairs)
	for _, test := range []Test{c.SuiteTest(), c.PopulationTest()} {
		smallest := Defined(math.SmallestNonzeroFloat64)
		if test.Better != smallest || test.MinDesign != smallest || test.Worse != Defined(1) {
			t.Errorf("5,000 of 5,000 improved: %+v", test)
		}
	}
	// Almost all of them, so that the tilt is taken and not the shortcut.
	pairs[0] = Pair{Baseline: []float64{1}, Candidate: []float64{0}}
	if p, _ := Compare(pairs).SuiteTest().Better.Value(); p != math.SmallestNonzeroFloat64 {
		t.Errorf("4,999 of 5,000 improved: %v", p)
	}
}

// One task with more trials than counts fit in a float64.
func TestManyTrialsOfOneTask(t *testing.T) {
	arm := func(n, c int) []float64 { return outcomes(n, c) }
	for _, m := range [][4]int{{600, 700, 300, 400}, {30, 30, 3, 25}, {26, 25, 10, 14}, {1, 900, 0, 880}, {900, 2, 880, 0}} {
		c := Compare([]Pair{{Baseline: arm(m[0], m[2]), Candidate: arm(m[1], m[3])}})
		ones, all := m[2]+m[3], m[0]+m[1]
		upper, lower := new(big.Int), new(big.Int)
		for s := max(0, m[1]-(all-ones)); s <= min(ones, m[1]); s++ {
			ways := product(choose(int64(ones), int64(s)), choose(int64(all-ones), int64(m[1]-s)))
			if s >= m[3] {
				upper.Add(upper, ways)
			}
			if s <= m[3] {
				lower.Add(lower, ways)
			}
		}
		total := choose(int64(all), int64(m[1]))
		within(t, fmt.Sprint(m, " better"), c.SuiteTest().Better, fraction(upper, total).r, 1e-12)
		within(t, fmt.Sprint(m, " worse"), c.SuiteTest().Worse, fraction(lower, total).r, 1e-12)
		within(t, fmt.Sprint(m, " task"), c.TaskChanges()[0].Better, fraction(upper, total).r, 1e-12)
	}
}

// Graded trials of one task by the hundred overflow the counts as well.
func TestManyGradedTrials(t *testing.T) {
	values := []int64{}
	for i := range 1100 {
		values = append(values, int64(i%3))
	}
	slices.Sort(values)
	ways := subsetSums(values, 550)
	sum, mean := 0.0, 0.0
	for s, w := range ways {
		sum += w
		mean += float64(s) * w
	}
	// Half of the values are drawn, so the mean is half of their sum.
	total := 0.0
	for _, v := range values {
		total += float64(v)
	}
	if !(sum > 0) || math.IsInf(sum, 1) || math.Abs(mean/sum-total/2) > 1e-9*total {
		t.Errorf("%v ways with mean %v, want mean %v", sum, mean/sum, total/2)
	}
}

// What is pruned at the upper end stays in the tail; what is pruned is less
// than the limit.
func TestPrune(t *testing.T) {
	f := pmf{lo: -3, step: 3, p: []float64{1e-20, 1e-17, 0.5, 0.5, 1e-17, 5e-19, 4e-19}, beyond: 1e-30}
	got := f.prune(1e-18)
	if got.lo != 0 || len(got.p) != 4 || got.p[0] != 1e-17 || got.p[3] != 1e-17 {
		t.Errorf("%+v", got)
	}
	if want := 1e-30 + (4e-19 + 5e-19); got.beyond != want {
		t.Errorf("beyond the end: %v, want %v", got.beyond, want)
	}
	if one := (pmf{step: 1, p: []float64{1e-30}}).prune(1); len(one.p) != 1 {
		t.Errorf("nothing is left: %+v", one)
	}
}

// Tasks share a distribution when their pooled rewards do, and not when they
// only look alike: 0.300 is 256 steps from 0.044.
func TestTasksAreNotConfused(t *testing.T) {
	pairs := []Pair{
		{Baseline: []float64{0, 0.001}, Candidate: []float64{0.044, 0.001}},
		{Baseline: []float64{0, 0.001}, Candidate: []float64{0.300, 0.001}},
		{Baseline: []float64{0.5, 0.501}, Candidate: []float64{0.8, 0.501}},             // the second, half higher
		{Baseline: []float64{0, 0, 0.001}, Candidate: []float64{0.300, 0.001, 0.5}},     // more trials
		{Baseline: []float64{0.25, 0.25, 0.75, 0.25}, Candidate: []float64{0.75, 0.75}}, // two values
		{Baseline: []float64{0, 0, 1, 0}, Candidate: []float64{1, 1}},                   // two others
		{Baseline: []float64{0, 0}, Candidate: []float64{1, 1, 0, 1}},                   // dealt otherwise
	}
	together := Compare(pairs).TaskChanges()
	for i, p := range pairs {
		if alone := Compare([]Pair{p}).TaskChanges()[0]; alone != together[i] {
			t.Errorf("task %d: %+v among others, %+v alone", i, together[i], alone)
		}
	}
	d := newDealer(scaleOf(Compare(pairs).l, pairs))
	for _, p := range pairs {
		d.add(p)
	}
	if len(d.hands) != 6 {
		t.Errorf("%d hands, want 6: only the second and the third are alike", len(d.hands))
	}
}

// Hundreds of graded trials in both arms are counted on coarser steps, and the
// answer stays about the same.
func TestManyGradedTrialsOfOneTask(t *testing.T) {
	if got := affordable(300, 300); got < 100 {
		t.Errorf("300 trials allow %d steps, want a hundred", got)
	}
	if got := affordable(100_000, 100_000); got != 1 {
		t.Errorf("100,000 trials allow %d steps, want 1", got)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	p := Pair{}
	for range 20_000 {
		p.Baseline = append(p.Baseline, math.Round(100*rng.Float64())/100)
		p.Candidate = append(p.Candidate, math.Round(100*min(1, rng.Float64()+0.01))/100)
	}
	if got, ok := Compare([]Pair{p}).SuiteTest().Better.Value(); !ok || got > 0.05 {
		t.Errorf("20,000 trials with a lift of 0.01: %v", got)
	}
}
