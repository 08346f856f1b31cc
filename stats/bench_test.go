package stats

import (
	"math/rand/v2"
	"testing"
)

// A large split: 200,000 tasks of five trials.
const (
	benchTasks  = 200_000
	benchTrials = 5
)

func benchSplit(reward func(*rand.Rand) float64) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	tasks := make([][]float64, benchTasks)
	for i := range tasks {
		tasks[i] = make([]float64, benchTrials)
		for j := range tasks[i] {
			tasks[i][j] = reward(rng)
		}
	}
	return tasks
}

func BenchmarkSummarize(b *testing.B) {
	for _, c := range []struct {
		name   string
		reward func(*rand.Rand) float64
	}{
		{"binary", func(r *rand.Rand) float64 { return float64(r.IntN(2)) }},
		{"twentieths", func(r *rand.Rand) float64 { return float64(r.IntN(21)) / 20 }},
		{"real", (*rand.Rand).Float64},
	} {
		tasks := benchSplit(c.reward)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Summarize(tasks)
			}
		})
	}
}

func BenchmarkSplitPassHat(b *testing.B) {
	tasks := benchSplit(func(r *rand.Rand) float64 { return float64(r.IntN(2)) })
	b.ReportAllocs()
	for b.Loop() {
		SplitPassHat(tasks, 3, 1)
	}
}

func BenchmarkWilsonT(b *testing.B) {
	tasks := benchSplit(func(r *rand.Rand) float64 { return float64(r.IntN(2)) })
	means := defined(Summarize(tasks).TaskMeans)
	b.ReportAllocs()
	for b.Loop() {
		WilsonT(means, benchTasks*benchTrials, 0.95)
	}
}

func BenchmarkStderrOfOneTask(b *testing.B) {
	rewards := []float64{1, 0.25, 0.5, 1, 0}
	b.ReportAllocs()
	for b.Loop() {
		Stderr(rewards)
	}
}
