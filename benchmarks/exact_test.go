package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/capeval/capeval/stats"
)

// exactSize is a comparison whose p is computed.
type exactSize struct {
	name          string
	tasks, trials int
	levels        int           // of the reward; 2 is passed or failed
	aim           time.Duration // for the exact p in suite scope
	times         int           // how often it is timed at full size
}

func exactSizes() []exactSize {
	return []exactSize{
		{"200 tasks x 5, binary", 200, 5, 2, 100 * time.Microsecond, 1001},
		{"10,000 tasks x 5, binary", 10_000, 5, 2, 5 * time.Millisecond, 101},
		{"1,000 tasks x 5, 101 levels", 1000, 5, 101, 500 * time.Millisecond, 11},
	}
}

// pairs draws both arms of every task from one chance, the candidate's a little
// better, so that p is neither 0 nor 1.
func (s exactSize) pairs() []stats.Pair {
	rng := rand.New(rand.NewPCG(11, uint64(s.tasks)))
	better := 0.5 / math.Sqrt(float64(s.tasks*s.trials))
	out := make([]stats.Pair, s.tasks)
	for i := range out {
		chance := rng.Float64()
		arm := func(chance float64) []float64 {
			rewards := make([]float64, s.trials)
			for k := range rewards {
				steps := 0
				if s.levels == 2 {
					if rng.Float64() < chance {
						steps = 1
					}
				} else {
					steps = int(math.Round(chance*50)) + rng.IntN(s.levels/2+1)
				}
				rewards[k] = float64(steps) / float64(s.levels-1)
			}
			return rewards
		}
		out[i] = stats.Pair{Baseline: arm(chance), Candidate: arm(math.Min(1, chance+better))}
	}
	return out
}

// deltas are the differences of the task means in the smallest whole numbers.
func (s exactSize) deltas(pairs []stats.Pair) []int {
	sum := func(rewards []float64) (n int) {
		for _, r := range rewards {
			n += int(math.Round(r * float64(s.levels-1)))
		}
		return n
	}
	out := make([]int, len(pairs))
	for i, p := range pairs {
		out[i] = sum(p.Candidate) - sum(p.Baseline)
	}
	return out
}

// TestReportExact prints what an exact p costs, and how often it fits into
// scipy's Monte-Carlo one. In its short form it checks that the two agree on a
// small suite; it never fails for being slow.
func TestReportExact(t *testing.T) {
	python := scipy()
	if python == "" && !*full {
		t.Skip("no python3 that imports scipy: nothing to compare with")
	}
	sizes, resamples := exactSizes(), 9999
	if !*full {
		sizes, resamples = sizes[:1], 1999
	}
	for _, s := range sizes {
		times := s.times
		if !*full {
			times = 1
		}
		pairs := s.pairs()
		var suite, population stats.Test
		// In turns: the exact tests, scipy's, the exact tests again.
		exact := timed(times, func() { suite = stats.Compare(pairs).SuiteTest() })
		flips := timed(times, func() { population = stats.Compare(pairs).PopulationTest() })
		var peer monteCarlo
		if python != "" {
			peer = permutation(t, python, s.deltas(pairs), resamples)
		}
		exact = append(exact, timed(times, func() { stats.Compare(pairs).SuiteTest() })...)
		flips = append(flips, timed(times, func() { stats.Compare(pairs).PopulationTest() })...)

		fmt.Printf("exact p, %s\n", s.name)
		say := func(name string, took time.Duration, test stats.Test, aim string, run func()) {
			allocs := testing.AllocsPerRun(1, run)
			fmt.Printf("  %-28s %10.3f ms  %6.0f allocations  p=%s%s\n", name, ms(took), allocs, test.Better.Format(6), aim)
		}
		say("suite scope", middle(exact), suite, fmt.Sprintf("  (aim: at most %g ms)", ms(s.aim)), func() { stats.Compare(pairs).SuiteTest() })
		say("population scope, sign-flip", middle(flips), population, "", func() { stats.Compare(pairs).PopulationTest() })
		if python == "" {
			fmt.Println("  no python3 that imports scipy: no ratio")
			continue
		}
		fmt.Printf("  %-28s %10.3f ms  p=%.6f of %d resamples\n", "scipy permutation_test", 1000*peer.Seconds, peer.P, resamples)
		aim := ""
		if s.levels == 2 {
			aim = " (aim: over 1,000)"
		}
		fmt.Printf("  ratio                        x%.0f in suite scope, x%.0f in population scope%s\n",
			1000*peer.Seconds/ms(middle(exact)), 1000*peer.Seconds/ms(middle(flips)), aim)
		p, _ := population.Better.Value()
		if reach := 5*math.Sqrt(p*(1-p)/float64(resamples)) + 2/float64(resamples); math.Abs(peer.P-p) > reach {
			t.Errorf("%s: scipy says p=%v, which is farther than %v from the exact %v", s.name, peer.P, reach, p)
		}
	}
}

// BenchmarkExact counts time and allocations of the exact p in suite scope.
func BenchmarkExact(b *testing.B) {
	for _, s := range exactSizes() {
		pairs := s.pairs()
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				stats.Compare(pairs).SuiteTest()
			}
		})
	}
}

// scipy returns a python3 that imports scipy, "" when there is none. The first
// one in PATH need not be the one that has it.
func scipy() string {
	for _, python := range []string{"python3", "/usr/bin/python3", "/usr/local/bin/python3"} {
		if exec.Command(python, "-c", "from scipy.stats import permutation_test").Run() == nil {
			return python
		}
	}
	return ""
}

type monteCarlo struct{ P, Seconds float64 }

func permutation(t *testing.T, python string, deltas []int, resamples int) (m monteCarlo) {
	t.Helper()
	job, err := json.Marshal(map[string]any{"deltas": deltas, "resamples": resamples})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/scipy/permutation.py")
	cmd.Stdin = bytes.NewReader(job)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, failure(err))
	}
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatalf("%s printed %q: %v", cmd, out, err)
	}
	return m
}

func failure(err error) []byte {
	if e, ok := err.(*exec.ExitError); ok {
		return e.Stderr
	}
	return nil
}

// timed runs f once without counting, then so many times.
func timed(times int, f func()) []time.Duration {
	f()
	out := make([]time.Duration, times)
	for i := range out {
		began := time.Now()
		f()
		out[i] = time.Since(began)
	}
	return out
}

func middle(ds []time.Duration) time.Duration {
	ds = slices.Clone(ds)
	slices.Sort(ds)
	return ds[len(ds)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
