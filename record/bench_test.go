package record_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/capeval/capeval/record"
)

// BenchmarkMillion summarises 200,000 tasks x 5 trials from a file on disk, of
// about 480 bytes a line, parsing included. It reports the highest memory that
// the runtime held.
func BenchmarkMillion(b *testing.B) { benchmarkFile(b, 200_000, 5) }

// BenchmarkThousand is the size of a large suite: 200 tasks x 5 trials.
func BenchmarkThousand(b *testing.B) { benchmarkFile(b, 200, 5) }

func benchmarkFile(b *testing.B, tasks, trials int) {
	path := filepath.Join(b.TempDir(), "trials.jsonl")
	size := writeMany(b, path, tasks, trials)
	runtime.GC()
	peak := watchMemory(b)
	b.SetBytes(size)
	b.ResetTimer()
	for range b.N {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		s := record.NewSummarizer(nil, record.Options{})
		if err := s.Read(f, "trials.jsonl"); err != nil {
			b.Fatal(err)
		}
		r, err := s.Result()
		if err != nil {
			b.Fatal(err)
		}
		if r.NTasks != tasks || r.NCells != tasks*trials {
			b.Fatalf("got %v, want %d tasks x %d trials", r, tasks, trials)
		}
		_ = f.Close()
	}
	b.StopTimer()
	b.ReportMetric(float64(peak())/1e6, "peakMB")
}

// writeMany writes trials of the usual form with a fixed seed, one in fifty
// missing.
func writeMany(b *testing.B, path string, tasks, trials int) int64 {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	w := bufio.NewWriter(f)
	digest := func() string {
		return fmt.Sprintf("sha256:%016x%016x%016x%016x", rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64())
	}
	var line []byte
	for task := range tasks {
		content := digest()
		for k := range trials {
			t := bigTrial(rnd, task, k)
			t.ContentDigest, t.OutputDigest = content, digest()
			if line, err = record.AppendTrial(line[:0], t); err != nil {
				b.Fatal(err)
			}
			if _, err := w.Write(line); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func bigTrial(rnd *rand.Rand, task, k int) record.Trial {
	t := record.Trial{
		Run: "01JE0000000000000000000000", Suite: "refund-agent", Split: record.Val, Arm: "candidate",
		Task: fmt.Sprintf("late-delivery-%06d", task), Trial: k, Attempt: 1, Seed: int64(7 + k),
		Metrics: map[string]float64{"cost_usd": float64(rnd.IntN(1e5)) / 1e6, "tokens": float64(rnd.IntN(5000))},
		Started: "2026-11-30T21:17:00Z", Seconds: float64(rnd.IntN(1e5)) / 1e3,
	}
	if rnd.IntN(50) == 0 {
		t.Status, t.Cause, t.Message = record.Missing, record.CauseRateLimit, "429 from the model"
		return t
	}
	t.Status, t.Reward = record.Scored, reward(float64(rnd.IntN(5))/4)
	t.Feedback = fmt.Sprintf("met %d of 40 points of the rubric", rnd.IntN(41))
	return t
}

// watchMemory samples what the runtime holds of the system's memory until the
// function that it returns is called, which returns the highest value.
func watchMemory(b *testing.B) func() uint64 {
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		var most uint64
		for {
			metrics.Read(samples)
			most = max(most, samples[0].Value.Uint64()-samples[1].Value.Uint64())
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-peak
	}
}
