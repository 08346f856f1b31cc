package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// aReward draws a reward on a lattice of its own, or any float in [0, 1].
func aReward(t *rapid.T) float64 {
	if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
		return rapid.Float64Range(0, 1).Draw(t, "float")
	}
	q := rapid.SampledFrom([]int{1, 2, 3, 4, 10, 20, 997}).Draw(t, "q")
	return float64(rapid.IntRange(0, q).Draw(t, "of q")) / float64(q)
}

func binary(t *rapid.T) float64 { return float64(rapid.IntRange(0, 1).Draw(t, "pass")) }

// split draws up to 12 tasks with least to 7 trials.
func split(t *rapid.T, least int, reward func(*rapid.T) float64) [][]float64 {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(reward), least, 7), 1, 12).Draw(t, "tasks")
}

// shuffled returns the tasks, and the trials in each, in another order.
func shuffled(t *rapid.T, tasks [][]float64) [][]float64 {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	out := make([][]float64, len(tasks))
	for i, j := range rng.Perm(len(tasks)) {
		out[i] = slices.Clone(tasks[j])
		rng.Shuffle(len(out[i]), func(a, b int) { out[i][a], out[i][b] = out[i][b], out[i][a] })
	}
	return out
}

func TestLawOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := split(t, 0, aReward)
		other := shuffled(t, tasks)
		a, b := Summarize(tasks), Summarize(other)
		if a.Reward != b.Reward || a.Between != b.Between || a.Within != b.Within || a.Combined != b.Combined {
			t.Fatalf("%+v\n%+v", a, b)
		}
		means, again := defined(a.TaskMeans), defined(b.TaskMeans)
		if x, y := WilsonT(means, a.TotalValid, 0.9), WilsonT(again, b.TotalValid, 0.9); x != y {
			t.Fatalf("intervals %v and %v", x, y)
		}
		if x, y := Stderr(means), Stderr(again); x != y {
			t.Fatalf("errors %v and %v", x, y)
		}
		for k := 1; k <= a.MinValid; k++ {
			if x, y := SplitPassHat(tasks, k, 0.5), SplitPassHat(other, k, 0.5); x != y {
				t.Fatalf("pass^%d %v and %v", k, x, y)
			}
		}
	})
}

// defined returns the numbers that there are.
func defined(es []Estimate) (out []float64) {
	for _, e := range es {
		if v, ok := e.Value(); ok {
			out = append(out, v)
		}
	}
	return out
}

func TestLawEverythingStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := split(t, 0, aReward)
		s := Summarize(tasks)
		in := []Estimate{s.Coverage, s.Reward, s.Between, s.Within, s.Combined}
		for i, rewards := range tasks {
			if got := Mean(rewards); got != s.TaskMeans[i] {
				t.Fatalf("mean of task %d is %v alone and %v in the split", i, got, s.TaskMeans[i])
			}
			in = append(in, s.TaskMeans[i], Variance(rewards), Stderr(rewards), PassHat(rewards, 2, 0.5), PassAt(rewards, 2, 0.5))
		}
		ci := WilsonT(defined(s.TaskMeans), max(s.TotalValid, 1), 0.95)
		in = append(in, ci.Low, ci.High)
		for i, e := range in {
			if v, ok := e.Value(); ok && (v < 0 || v > 1) {
				t.Fatalf("number %d is %v", i, v)
			}
		}
		within, between := s.Within.Defined(), s.Between.Defined()
		if between != (s.NScored >= 2) || within != (s.MinValid >= 2) || s.Combined.Defined() != (within || between) {
			t.Fatalf("%d scored, at least %d trials: %+v", s.NScored, s.MinValid, s)
		}
	})
}

func TestLawIntervalAndBoundsHoldTheReward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := split(t, 1, aReward)
		s := Summarize(tasks)
		reward, _ := s.Reward.Value()
		means := defined(s.TaskMeans)
		ci := WilsonT(means, s.TotalValid, rapid.Float64Range(0.01, 0.999).Draw(t, "level"))
		center, _ := Mean(means).Value()
		if low, ok := ci.Low.Value(); ok {
			high, _ := ci.High.Value()
			size, _ := ci.NEff.Value()
			if low > center || high < center || size < float64(len(means)-1)*(1-1e-9) || size > float64(s.TotalValid) {
				t.Fatalf("%v in [%v, %v], size %v", center, low, high, size)
			}
		}

		// Losing trials widens the bounds; the whole is within them.
		declared := make([]int, len(tasks))
		left := make([][]float64, len(tasks))
		for i, rewards := range tasks {
			declared[i] = len(rewards)
			left[i] = rewards[:rapid.IntRange(0, len(rewards)).Draw(t, "kept")]
		}
		if low, high := MissingBounds(tasks, declared); low != s.Reward || high != s.Reward {
			t.Fatalf("nothing missing: [%v, %v] and not %v", low, high, reward)
		}
		least, most := MissingBounds(left, declared)
		low, _ := least.Value()
		high, _ := most.Value()
		const lost = 1e-9 // what is left may lie on another lattice
		if low > reward+lost || high < reward-lost || low < 0 || high > 1 {
			t.Fatalf("%v is not in [%v, %v]", reward, low, high)
		}
	})
}

func TestLawPassesSurroundTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := split(t, 1, binary)
		s := Summarize(tasks)
		if a, b := SplitPassHat(tasks, 1, 1), SplitPassAt(tasks, 1, 1); a != s.Reward || b != s.Reward {
			t.Fatalf("pass^1 %v, pass@1 %v, mean %v", a, b, s.Reward)
		}
		hat, at := s.Reward, s.Reward
		for k := 2; k <= s.MinValid; k++ {
			nextHat, nextAt := SplitPassHat(tasks, k, 1), SplitPassAt(tasks, k, 1)
			if less(hat, nextHat) || less(nextAt, at) {
				t.Fatalf("k=%d: pass^k rose from %v to %v, or pass@k fell from %v to %v", k, hat, nextHat, at, nextAt)
			}
			hat, at = nextHat, nextAt
		}
		if SplitPassHat(tasks, s.MinValid+1, 1).Defined() {
			t.Fatalf("pass^%d is defined", s.MinValid+1)
		}
	})
}

func less(a, b Estimate) bool {
	x, _ := a.Value()
	y, _ := b.Value()
	return x < y
}

// The combined error is what its name says, and never below either part.
func TestLawCombined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Summarize(split(t, 2, aReward))
		between, _ := s.Between.Value()
		within, _ := s.Within.Value()
		combined, _ := s.Combined.Value()
		if want := math.Hypot(between, within); math.Abs(combined-want) > 1e-12*want {
			t.Fatalf("%v of %v and %v", combined, between, within)
		}
	})
}

// The least common denominator is found by trying; it must be the one that a
// search from 1 finds.
func TestLawLatticeIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := split(t, 0, aReward)
		l, ok := latticeOf(tasks...)
		if !ok {
			t.Fatal("refused")
		}
		all := slices.Concat(tasks...)
		want := 1
		for want <= maxDenominator && slices.ContainsFunc(all, func(r float64) bool { return !onGrid(r, want) }) {
			want++
		}
		if l.fine != (want > maxDenominator) || !l.fine && l.q != uint64(want) {
			t.Fatalf("got %+v, want %d", l, want)
		}
	})
}
