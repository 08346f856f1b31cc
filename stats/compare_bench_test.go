package stats

import (
	"math/rand/v2"
	"testing"
)

// binarySuite returns tasks that pass with a chance of their own, the same in
// both arms.
func binarySuite(tasks, trials int) []Pair {
	rng := rand.New(rand.NewPCG(1, 2))
	pairs := make([]Pair, tasks)
	for i := range pairs {
		chance := rng.Float64()
		arm := func() []float64 {
			out := make([]float64, trials)
			for k := range out {
				if rng.Float64() < chance {
					out[k] = 1
				}
			}
			return out
		}
		pairs[i] = Pair{Baseline: arm(), Candidate: arm()}
	}
	return pairs
}

// gradedSuite returns tasks with rewards anywhere on 101 levels.
func gradedSuite(tasks, trials int) []Pair {
	rng := rand.New(rand.NewPCG(3, 4))
	pairs := make([]Pair, tasks)
	for i := range pairs {
		arm := func() []float64 {
			out := make([]float64, trials)
			for k := range out {
				out[k] = float64(rng.IntN(101)) / 100
			}
			return out
		}
		pairs[i] = Pair{Baseline: arm(), Candidate: arm()}
	}
	return pairs
}

// BenchmarkSuiteTest and BenchmarkPopulationTest start from rewards, as a gate
// does: they read the lattice, group the tasks and add up both tails.
func BenchmarkSuiteTest(b *testing.B) {
	for _, s := range []struct {
		name  string
		pairs []Pair
	}{
		{"binary/200x5", binarySuite(200, 5)},
		{"binary/10000x5", binarySuite(10_000, 5)},
		{"binary/10000x10", binarySuite(10_000, 10)},
		{"graded/200x5", gradedSuite(200, 5)},
		{"graded/1000x5", gradedSuite(1000, 5)},
	} {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compare(s.pairs).SuiteTest()
			}
		})
	}
}

func BenchmarkPopulationTest(b *testing.B) {
	for _, s := range []struct {
		name  string
		pairs []Pair
	}{
		{"binary/200x5", binarySuite(200, 5)},
		{"binary/10000x5", binarySuite(10_000, 5)},
		{"graded/1000x5", gradedSuite(1000, 5)},
	} {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compare(s.pairs).PopulationTest()
			}
		})
	}
}

func BenchmarkAuditSuite(b *testing.B) {
	pairs := binarySuite(200, 5)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compare(pairs).AuditSuite(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTaskChanges(b *testing.B) {
	pairs := binarySuite(10_000, 5)
	b.ReportAllocs()
	for b.Loop() {
		Compare(pairs).TaskChanges()
	}
}

func BenchmarkIntervals(b *testing.B) {
	pairs := binarySuite(10_000, 5)
	b.ReportAllocs()
	for b.Loop() {
		c := Compare(pairs)
		c.SuiteInterval(0.95)
		c.PopulationInterval(0.95)
	}
}
