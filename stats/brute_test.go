package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// rats are the rewards of one task in one arm, as they were meant.
type rats []*big.Rat

// ratPair is a task in exact numbers.
type ratPair struct{ baseline, candidate rats }

func (p ratPair) floats() Pair {
	of := func(rs rats) (out []float64) {
		for _, r := range rs {
			out = append(out, asFloat(r))
		}
		return out
	}
	return Pair{Baseline: of(p.baseline), Candidate: of(p.candidate)}
}

func floatsOf(tasks []ratPair) (pairs []Pair) {
	for _, p := range tasks {
		pairs = append(pairs, p.floats())
	}
	return pairs
}

func meanOf(rs rats) *big.Rat {
	sum := new(big.Rat)
	for _, r := range rs {
		sum.Add(sum, r)
	}
	return sum.Quo(sum, big.NewRat(int64(len(rs)), 1))
}

func differenceOf(p ratPair) *big.Rat {
	return new(big.Rat).Sub(meanOf(p.candidate), meanOf(p.baseline))
}

// relabellings returns the difference for every way to choose which trials of
// a task are the candidate's.
func relabellings(p ratPair) (all []*big.Rat) {
	pool := slices.Concat(p.baseline, p.candidate)
	for mask := range 1 << len(pool) {
		var dealt ratPair
		for i, r := range pool {
			if mask>>i&1 == 1 {
				dealt.candidate = append(dealt.candidate, r)
			} else {
				dealt.baseline = append(dealt.baseline, r)
			}
		}
		if len(dealt.candidate) == len(p.candidate) {
			all = append(all, differenceOf(dealt))
		}
	}
	return all
}

// enumerate goes through every combination of one outcome a task and counts
// those whose sum is at least, and at most, the observed one. The smallest
// chance of the most extreme sum is the last number.
func enumerate(outcomes [][]*big.Rat, observed []*big.Rat) (better, worse, extreme *big.Rat) {
	den := big.NewInt(1)
	for _, rs := range append(slices.Clone(outcomes), observed) {
		for _, r := range rs {
			den = lcm(den, r.Denom())
		}
	}
	scaled := func(r *big.Rat) int64 {
		return new(big.Rat).Mul(r, new(big.Rat).SetInt(den)).Num().Int64()
	}
	var target int64
	for _, r := range observed {
		target += scaled(r)
	}
	numbers := make([][]int64, len(outcomes))
	for i, rs := range outcomes {
		for _, r := range rs {
			numbers[i] = append(numbers[i], scaled(r))
		}
	}
	var atLeast, atMost, all, best int64
	top := int64(math.MinInt64)
	var visit func(task int, sum int64)
	visit = func(task int, sum int64) {
		if task < len(numbers) {
			for _, x := range numbers[task] {
				visit(task+1, sum+x)
			}
			return
		}
		all++
		if sum >= target {
			atLeast++
		}
		if sum <= target {
			atMost++
		}
		if sum > top {
			top, best = sum, 0
		}
		if sum == top {
			best++
		}
	}
	visit(0, 0)
	return big.NewRat(atLeast, all), big.NewRat(atMost, all), big.NewRat(best, all)
}

// randomTasks returns a small suite: unequal trials, tasks that are missing in
// an arm, rewards that are pass or fail, thirds, quarters, tenths or mixed,
// with at most limit relabellings.
func randomTasks(rng *rand.Rand, limit int) []ratPair {
	levels := [][]int64{{1}, {1}, {3}, {4}, {10}, {1, 3, 4}, {7}}[rng.IntN(7)]
	reward := func() *big.Rat {
		q := levels[rng.IntN(len(levels))]
		return big.NewRat(rng.Int64N(q+1), q)
	}
	var tasks []ratPair
	total := 1
	for range 1 + rng.IntN(5) {
		b, c := rng.IntN(5), rng.IntN(5)
		ways := int(new(big.Int).Binomial(int64(b+c), int64(c)).Int64())
		if total*ways > limit {
			break
		}
		total *= ways
		var p ratPair
		for range b {
			p.baseline = append(p.baseline, reward())
		}
		for range c {
			p.candidate = append(p.candidate, reward())
		}
		tasks = append(tasks, p)
	}
	return tasks
}

func within(t *testing.T, name string, got Estimate, want *big.Rat, tolerance float64) {
	t.Helper()
	w := asFloat(want)
	if v, ok := got.Value(); !ok || math.Abs(v-w) > tolerance*w {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func exactly(t *testing.T, name string, got Exact, want *big.Rat) {
	t.Helper()
	if !got.Defined() || got.r.Cmp(want) != 0 {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

const suites = 2_500

// The suite test is what it says: every relabelling, counted.
func TestSuiteTestEqualsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(351, 1))
	paired := 0
	for range suites {
		tasks := randomTasks(rng, 10_000)
		var outcomes [][]*big.Rat
		var observed []*big.Rat
		for _, p := range tasks {
			if len(p.baseline) > 0 && len(p.candidate) > 0 {
				outcomes = append(outcomes, relabellings(p))
				observed = append(observed, differenceOf(p))
			}
		}
		c := Compare(floatsOf(tasks))
		if len(observed) == 0 {
			if c.SuiteTest() != (Test{}) || c.Delta().Defined() {
				t.Errorf("nothing is paired and %v is defined", c.SuiteTest())
			}
			continue
		}
		paired++
		better, worse, extreme := enumerate(outcomes, observed)
		audit, err := c.AuditSuite()
		if err != nil {
			t.Fatal(err)
		}
		fast := c.SuiteTest()
		exactly(t, "better", audit.Better, better)
		exactly(t, "worse", audit.Worse, worse)
		exactly(t, "extreme", audit.MinConditional, extreme)
		within(t, "better", fast.Better, better, 1e-12)
		within(t, "worse", fast.Worse, worse, 1e-12)
		within(t, "extreme", fast.MinConditional, extreme, 1e-12)
		within(t, "design", fast.MinDesign, audit.MinDesign.r, 1e-12)
		sum := new(big.Rat)
		for _, d := range observed {
			sum.Add(sum, d)
		}
		exactly(t, "delta", c.Delta(), sum.Quo(sum, big.NewRat(int64(len(observed)), 1)))
		if t.Failed() {
			t.Fatalf("%v", floatsOf(tasks))
		}
		for i, p := range tasks {
			change := c.TaskChanges()[i]
			if len(p.baseline) == 0 || len(p.candidate) == 0 {
				if change != (TaskChange{}) {
					t.Fatalf("task %d is not paired: %v", i, change)
				}
				continue
			}
			better, worse, _ := enumerate([][]*big.Rat{relabellings(p)}, []*big.Rat{differenceOf(p)})
			within(t, "task better", change.Better, better, 1e-12)
			within(t, "task worse", change.Worse, worse, 1e-12)
			if change.Delta != Rational(differenceOf(p)).Estimate() {
				t.Fatalf("task %d: delta %v, want %v", i, change.Delta, differenceOf(p))
			}
		}
	}
	if paired < 2_000 {
		t.Errorf("only %d suites had a paired task", paired)
	}
}

// The sign-flip test is what it says, with clusters and without.
func TestPopulationTestEqualsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(351, 2))
	for range suites {
		tasks := randomTasks(rng, 100_000)
		clusters := []string{"", "a", "b", "c"}[:1+rng.IntN(4)]
		pairs := floatsOf(tasks)
		var sums []*big.Rat
		index := map[string]int{}
		for i, p := range tasks {
			name := clusters[rng.IntN(len(clusters))]
			pairs[i].Cluster = name
			if len(p.baseline) == 0 || len(p.candidate) == 0 {
				continue
			}
			at, seen := index[name]
			if !seen || name == "" {
				at = len(sums)
				index[name] = at
				sums = append(sums, new(big.Rat))
			}
			sums[at].Add(sums[at], differenceOf(p))
		}
		if len(sums) == 0 {
			continue
		}
		var outcomes [][]*big.Rat
		for _, s := range sums {
			outcomes = append(outcomes, []*big.Rat{s, new(big.Rat).Neg(s)})
		}
		better, worse, extreme := enumerate(outcomes, sums)
		c := Compare(pairs)
		audit, err := c.AuditPopulation()
		if err != nil {
			t.Fatal(err)
		}
		fast := c.PopulationTest()
		exactly(t, "better", audit.Better, better)
		exactly(t, "worse", audit.Worse, worse)
		exactly(t, "extreme", audit.MinConditional, extreme)
		exactly(t, "design", audit.MinDesign, big.NewRat(1, 1<<len(sums)))
		within(t, "better", fast.Better, better, 1e-12)
		within(t, "worse", fast.Worse, worse, 1e-12)
		within(t, "extreme", fast.MinConditional, extreme, 1e-12)
		within(t, "design", fast.MinDesign, big.NewRat(1, 1<<len(sums)), 0)
		if t.Failed() {
			t.Fatalf("%v", pairs)
		}
	}
}

// Where the exact scale would be above the budget, differences are rounded,
// and all relabellings alike: the counts are those of the rounded statistic.
func TestRoundedStatisticEqualsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(351, 3))
	rounded := func(r *big.Rat) *big.Rat { // to 1/10,000, half away from 0
		num := new(big.Int).Abs(r.Num())
		num.Mul(num, big.NewInt(2*budget))
		num.Add(num, r.Denom())
		num.Quo(num, new(big.Int).Mul(r.Denom(), big.NewInt(2)))
		if r.Sign() < 0 {
			num.Neg(num)
		}
		return new(big.Rat).SetInt(num)
	}
	for range 300 {
		var tasks []ratPair
		for _, m := range [][2]int{{2, 3}, {1 + rng.IntN(3), 4}} {
			var p ratPair
			for range m[0] {
				p.baseline = append(p.baseline, big.NewRat(rng.Int64N(998), 997))
			}
			for range m[1] {
				p.candidate = append(p.candidate, big.NewRat(rng.Int64N(998), 997))
			}
			tasks = append(tasks, p)
		}
		var outcomes [][]*big.Rat
		var observed []*big.Rat
		for _, p := range tasks {
			all := relabellings(p)
			for i := range all {
				all[i] = rounded(all[i])
			}
			outcomes = append(outcomes, all)
			observed = append(observed, rounded(differenceOf(p)))
		}
		better, worse, extreme := enumerate(outcomes, observed)
		c := Compare(floatsOf(tasks))
		if s := scaleOf(c.l, c.paired); s.common != 0 {
			t.Fatalf("scale %v is exact, so rounding is not tried", s)
		}
		fast := c.SuiteTest()
		within(t, "better", fast.Better, better, 1e-12)
		within(t, "worse", fast.Worse, worse, 1e-12)
		within(t, "extreme", fast.MinConditional, extreme, 1e-12)
		if audit, err := c.AuditSuite(); err != nil {
			t.Fatal(err)
		} else {
			exactly(t, "better", audit.Better, better)
			exactly(t, "worse", audit.Worse, worse)
		}
		if t.Failed() {
			t.Fatalf("%v", floatsOf(tasks))
		}
	}
}
