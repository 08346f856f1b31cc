package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// somePairs draws up to 10 tasks with up to 5 trials an arm, some missing.
func somePairs(t *rapid.T, reward func(*rapid.T) float64) []Pair {
	arm := rapid.SliceOfN(rapid.Custom(reward), 0, 5)
	cluster := rapid.SampledFrom([]string{"", "", "a", "b"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pair {
		return Pair{Baseline: arm.Draw(t, "baseline"), Candidate: arm.Draw(t, "candidate"),
			Cluster: cluster.Draw(t, "cluster"), BaselinePlanned: 5, CandidatePlanned: 5}
	}), 0, 10).Draw(t, "tasks")
}

// anything is all that a comparison says about the arms as a whole.
type anything struct {
	suite, population           Test
	suiteCI, populationCI       DeltaInterval
	lower                       Estimate
	delta, low, high, imbalance string
	rule                        PairedSE
	need                        Estimate
	identical                   bool
}

func all(c *Comparison) anything {
	low, high := c.DeltaBounds()
	a := anything{
		suite: c.SuiteTest(), population: c.PopulationTest(),
		suiteCI: c.SuiteInterval(0.95), populationCI: c.PopulationInterval(0.9),
		lower: c.SuiteLower(0.01), delta: c.Delta().String(), low: low.String(), high: high.String(),
		imbalance: c.Imbalance().String(), rule: c.PairedSE(Rational(big.NewRat(1, 1))),
		need: c.SuiteTrialsFor(0.1, 0.05, 0.8), identical: c.IdenticalSuspected(),
	}
	a.delta += a.rule.Left.String() + a.rule.Right.String()
	a.rule.Left, a.rule.Right = Exact{}, Exact{}
	return a
}

func TestLawOrderOfTasksDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := somePairs(t, aReward)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		other := make([]Pair, len(pairs))
		order := rng.Perm(len(pairs))
		for i, j := range order {
			p := pairs[j]
			p.Baseline, p.Candidate = slices.Clone(p.Baseline), slices.Clone(p.Candidate)
			rng.Shuffle(len(p.Baseline), func(a, b int) { p.Baseline[a], p.Baseline[b] = p.Baseline[b], p.Baseline[a] })
			rng.Shuffle(len(p.Candidate), func(a, b int) { p.Candidate[a], p.Candidate[b] = p.Candidate[b], p.Candidate[a] })
			other[i] = p
		}
		x, y := Compare(pairs), Compare(other)
		if a, b := all(x), all(y); a != b {
			t.Fatalf("\n%+v\n%+v", a, b)
		}
		a, b := x.TaskChanges(), y.TaskChanges()
		for i, j := range order {
			if b[i] != a[j] {
				t.Fatalf("task %d: %+v and %+v", j, a[j], b[i])
			}
		}
	})
}

func alike(a, b Estimate) bool {
	return a.defined == b.defined && math.Abs(a.value-b.value) <= 1e-12*math.Abs(b.value)
}

func negated(e Estimate) Estimate { return Estimate{-e.value, e.defined} }

// Swapping the arms swaps better and worse and turns the sign of all else.
func TestLawMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := somePairs(t, aReward)
		swapped := slices.Clone(pairs)
		for i, p := range pairs {
			swapped[i].Baseline, swapped[i].Candidate = p.Candidate, p.Baseline
		}
		x, y := Compare(pairs), Compare(swapped)
		for _, two := range [][2]Test{{x.SuiteTest(), y.SuiteTest()}, {x.PopulationTest(), y.PopulationTest()}} {
			a, b := two[0], two[1]
			if !alike(a.Better, b.Worse) || !alike(a.Worse, b.Better) || !alike(a.TwoSided, b.TwoSided) || !alike(a.MinDesign, b.MinDesign) {
				t.Fatalf("%+v\n%+v", a, b)
			}
		}
		if a, b := x.Delta(), y.Delta().Neg(); a.String() != b.String() {
			t.Fatalf("delta %v and %v", a, b)
		}
		for _, two := range [][2]DeltaInterval{{x.SuiteInterval(0.95), y.SuiteInterval(0.95)}, {x.PopulationInterval(0.95), y.PopulationInterval(0.95)}} {
			a, b := two[0], two[1]
			if a.Low.value != -b.High.value || a.High.value != -b.Low.value || a.SE != b.SE || a.Centre.value != -b.Centre.value {
				t.Fatalf("%+v\n%+v", a, b)
			}
		}
		lowX, highX := x.DeltaBounds()
		lowY, highY := y.DeltaBounds()
		if lowX.String() != highY.Neg().String() || highX.String() != lowY.Neg().String() {
			t.Fatalf("bounds %v %v and %v %v", lowX, highX, lowY, highY)
		}
		again := y.TaskChanges()
		for i, c := range x.TaskChanges() {
			if d := again[i]; !alike(c.Better, d.Worse) || !alike(c.Worse, d.Better) || c.Delta.value != negated(d.Delta).value {
				t.Fatalf("%+v\n%+v", c, d)
			}
		}
	})
}

// With one pass-or-fail trial in each arm both tests are McNemar's.
func TestLawOneTrialIsMcNemar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pairs []Pair
		improved, broke := 0, 0
		for range rapid.IntRange(1, 60).Draw(t, "tasks") {
			b, c := binary(t), binary(t)
			if c > b {
				improved++
			}
			if c < b {
				broke++
			}
			pairs = append(pairs, Pair{Baseline: []float64{b}, Candidate: []float64{c}})
		}
		ways := new(big.Int)
		for k := improved; k <= improved+broke; k++ {
			ways.Add(ways, choose(int64(improved+broke), int64(k)))
		}
		want := fraction(ways, new(big.Int).Lsh(big.NewInt(1), uint(improved+broke))).Estimate()
		c := Compare(pairs)
		if s, p := c.SuiteTest(), c.PopulationTest(); !alike(s.Better, want) || !alike(p.Better, want) {
			t.Fatalf("suite %v, population %v, McNemar %v", s.Better, p.Better, want)
		}
		one := Rational(big.NewRat(1, 1))
		d := improved - broke
		if rule := c.PairedSE(one); !rule.SEZero && rule.Accept != (d > 0 && d*d > improved+broke) {
			t.Fatalf("%d improved, %d broke: %+v", improved, broke, rule)
		}
	})
}

// The bounds that missing trials leave hold the difference when every task is
// paired and the trials that there are decide it; a level more makes an
// interval wider; adjusting makes no p-value smaller, and Holm is the stricter.
func TestLawBoundsAndAdjustments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := somePairs(t, aReward)
		c := Compare(pairs)
		low, high := c.DeltaBounds()
		if len(pairs) > 0 && !high.AtLeast(low) {
			t.Fatalf("bounds %v above %v", low, high)
		}
		if c.ok && c.Paired() == c.Declared() && (low.Above(c.Delta()) || c.Delta().Above(high)) {
			t.Fatalf("delta %v outside %v to %v", c.Delta(), low, high)
		}
		narrow, wide := c.SuiteInterval(0.8), c.SuiteInterval(0.99)
		if c.ok && (narrow.Low.value < wide.Low.value || narrow.High.value > wide.High.value) {
			t.Fatalf("%v is not inside %v", narrow, wide)
		}
		var ps []Estimate
		for _, change := range c.TaskChanges() {
			ps = append(ps, change.TwoSided)
		}
		holm, bh := Holm(ps), BenjaminiHochberg(ps)
		for i, p := range ps {
			if p.Defined() != holm[i].Defined() || p.value > bh[i].value || bh[i].value > holm[i].value*(1+1e-15) {
				t.Fatalf("%v, adjusted %v and %v", p, bh[i], holm[i])
			}
		}
	})
}
