package stats

import (
	"math"
	"math/big"
	"strconv"
	"testing"
)

// frac returns the float64 nearest to "a/b".
func frac(t *testing.T, s string) Estimate {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no fraction", s)
	}
	f, _ := r.Float64()
	return Defined(f)
}

func TestMeanAndVarianceAreExact(t *testing.T) {
	check := func(mean, variance string, rewards ...float64) {
		t.Helper()
		if got := Mean(rewards); got != frac(t, mean) {
			t.Errorf("mean of %v: got %v, want %s", rewards, got, mean)
		}
		if got := Variance(rewards); got != frac(t, variance) {
			t.Errorf("variance of %v: got %v, want %s", rewards, got, variance)
		}
	}
	tenth := 0.1
	check("1/5", "1/100", 0.1, 0.2, 0.3)           // a float sum gives 0.20000000000000004
	check("1/5", "1/100", 0.1, 0.2, tenth+0.2)     // 0.30000000000000004 is three tenths too
	check("1/3", "0", 1.0/3, 1.0/3, 1.0/3)         // thirds are a lattice
	check("2/3", "1/3", 1, 0, 1)                   // squared deviations 2/3, over 2
	check("1001/2000", "998001/2000000", 1, 0.001) // q = 1000, the last one; (999/1000)^2/2
	check("1/2", "1/2", 1e-10, 1)                  // nearer to 0 than 1e-9, so it is 0
	check("3/8", "1/32", 0.25, 0.5)                // (1/4)^2/2
}

func TestUndefined(t *testing.T) {
	check := func(what string, got Estimate) {
		t.Helper()
		if got.Defined() {
			t.Errorf("%s: got %v, want undefined", what, got)
		}
	}
	check("mean of none", Mean(nil))
	check("variance of one", Variance([]float64{1}))
	check("error of one", Stderr([]float64{1}))
	check("error of none", Stderr(nil))
	check("pass^k beyond the trials", PassHat(outcomes(4, 4), 5, 1)) // five trials were never run
	check("pass@k beyond the trials", PassAt(outcomes(4, 4), 5, 1))
	check("pass^0", PassHat(outcomes(4, 4), 0, 1))
	check("pass^k of none", PassHat(nil, 1, 1))
	check("threshold above 1", PassHat(outcomes(4, 4), 1, 1.5))
	check("threshold NaN", PassHat(outcomes(4, 4), 1, math.NaN()))
	check("pass^2 with a task of one trial", SplitPassHat([][]float64{{1, 1}, {1}}, 2, 1))
	check("pass^1 without a scored task", SplitPassHat([][]float64{{}, nil}, 1, 1))
	check("one cluster", ClusteredStderr([]float64{0, 1}, []string{"a", "a"}))
	check("clusters for other tasks", ClusteredStderr([]float64{0, 1}, []string{"a"}))
	for _, bad := range []float64{math.NaN(), -0.01, 1.01, math.Inf(1), -0x1p-1070, 1 + 0x1p-52} {
		rewards := []float64{0, bad, 1}
		check("mean", Mean(rewards))
		check("variance", Variance(rewards))
		check("error", Stderr(rewards))
		check("pass^1", PassHat(rewards, 1, 1))
		check("pass@1", SplitPassAt([][]float64{{1}, rewards}, 1, 1))
		check("clustered", ClusteredStderr(rewards, []string{"a", "b", "c"}))
		if got := WilsonT(rewards, 3, 0.95); got != (Interval{}) {
			t.Errorf("interval of %v: %v", rewards, got)
		}
		s := Summarize([][]float64{{1, 0}, rewards, {}})
		for _, e := range []Estimate{s.Reward, s.Between, s.Within, s.Combined, s.TaskMeans[1], s.TaskMeans[2]} {
			check("summary with "+strconv.FormatFloat(bad, 'g', -1, 64), e)
		}
		if s.NScored != 2 || s.Coverage != Defined(2.0/3) || s.TaskMeans[0] != Defined(0.5) {
			t.Errorf("a bad reward in one task changed what it does not enter: %+v", s)
		}
	}
}

func TestSummaryCounts(t *testing.T) {
	s := Summarize([][]float64{{1, 0, 1}, {}, {0.5}, nil, {1, 1}})
	if s.NTasks != 5 || s.NScored != 3 || s.MinValid != 1 || s.MaxValid != 3 || s.TotalValid != 6 {
		t.Errorf("counts: %+v", s)
	}
	if s.Reward != frac(t, "13/18") { // (2/3 + 1/2 + 1)/3
		t.Errorf("reward %v", s.Reward)
	}
	if s.Within.Defined() { // a task with one trial has no spread within
		t.Errorf("within %v", s.Within)
	}
	if e := Summarize(nil); e.Coverage.Defined() || e.Reward.Defined() || e.Combined.Defined() || e.NTasks != 0 {
		t.Errorf("no tasks: %+v", e)
	}
	one := Summarize([][]float64{{1}})
	if one.Reward != Defined(1) || one.Between.Defined() || one.Within.Defined() || one.Combined.Defined() {
		t.Errorf("one trial of one task has a reward and no error: %+v", one)
	}
	flat := Summarize([][]float64{{1, 0, 1}, {2.0 / 3}, {0, 1, 1}})
	if flat.Between != Defined(0) { // three means of 2/3, reached in three ways
		t.Errorf("equal task means: between %v, want 0", flat.Between)
	}
}

// Rewards without a common lattice are compared with exact rationals.
func TestOffTheLattice(t *testing.T) {
	tasks := [][]float64{
		{math.Pi / 4, math.Sqrt2 / 3, 1},
		{math.E / 3, 0.1, 0.2, 0.3},
		{0.1, 0.2, 0.3},
		{1.0 / 7, 1.0 / 11, 1.0 / 13, 1.0 / 17},
	}
	s := Summarize(tasks)
	if s.TaskMeans[2] != Defined(0.2) {
		t.Errorf("a task on a lattice of its own: %v, want 0.2", s.TaskMeans[2])
	}
	reward, within := new(big.Rat), new(big.Rat)
	for i, task := range tasks {
		mean, variance := exactMoments(task)
		near(t, "task mean", s.TaskMeans[i], mean)
		near(t, "task variance", Variance(task), variance)
		reward.Add(reward, mean)
		within.Add(within, variance.Quo(variance, big.NewRat(int64(len(task)), 1)))
	}
	near(t, "reward", s.Reward, reward.Quo(reward, big.NewRat(4, 1)))
	w, _ := s.Within.Value()
	near(t, "within squared", Defined(w*w), within.Quo(within, big.NewRat(16, 1)))
}

// exactMoments returns the mean and the sample variance of the floats as they are.
func exactMoments(xs []float64) (mean, variance *big.Rat) {
	mean, variance = new(big.Rat), new(big.Rat)
	for _, x := range xs {
		mean.Add(mean, new(big.Rat).SetFloat64(x))
	}
	mean.Quo(mean, big.NewRat(int64(len(xs)), 1))
	for _, x := range xs {
		d := new(big.Rat).SetFloat64(x)
		d.Sub(d, mean)
		variance.Add(variance, d.Mul(d, d))
	}
	return mean, variance.Quo(variance, big.NewRat(int64(len(xs)-1), 1))
}

func near(t *testing.T, what string, got Estimate, want *big.Rat) {
	t.Helper()
	w, _ := want.Float64()
	if v, ok := got.Value(); !ok || math.Abs(v-w) > 1e-14*w {
		t.Errorf("%s: got %v, want %v", what, got, w)
	}
}

// A task with many trials takes a coarser lattice when its rewards share none,
// and must not overflow.
func TestManyTrials(t *testing.T) {
	rewards := make([]float64, 5000)
	for i := range rewards {
		rewards[i] = 1 - math.Pi*float64(i)/1e5
	}
	mean, variance := exactMoments(rewards)
	near(t, "mean", Mean(rewards), mean)
	v, _ := Variance(rewards).Value()
	if w, _ := variance.Float64(); math.Abs(v-w) > 1e-12*w {
		t.Errorf("variance %v, want %v", v, w)
	}
	if got := Summarize([][]float64{rewards, rewards}); got.Between != Defined(0) || got.Reward != Mean(rewards) {
		t.Errorf("twice the same task: %v between %v", got.Reward, got.Between)
	}
}

func TestPasses(t *testing.T) {
	check := func(what string, got Estimate, want string) {
		t.Helper()
		if got != frac(t, want) {
			t.Errorf("%s: got %v, want %s", what, got, want)
		}
	}
	check("2 of 4, k=2", PassHat(outcomes(4, 2), 2, 1), "1/6") // C(2,2)/C(4,2)
	check("2 of 4, k=2, any", PassAt(outcomes(4, 2), 2, 1), "5/6")
	check("2 of 4, k=3", PassHat(outcomes(4, 2), 3, 1), "0") // three passes were never seen
	check("all pass", PassHat(outcomes(20000, 20000), 10000, 1), "1")
	check("one fails of 20000", PassHat(outcomes(20000, 19999), 10000, 1), "1/2") // it is drawn half the time
	check("one passes of 20000", PassAt(outcomes(20000, 1), 5000, 1), "1/4")
	tenth := 0.1
	check("a tie in decimals", PassHat([]float64{tenth + 0.2, 0.7}, 1, 0.3), "1")
	check("below in decimals", PassHat([]float64{1 - 0.9}, 1, tenth), "1") // 0.09999999999999998 is a tenth
	check("clearly below", PassHat([]float64{0.29999}, 1, 0.3), "0")
	check("tasks with 3 and 7 trials", SplitPassHat([][]float64{outcomes(3, 2), {}, outcomes(7, 5)}, 2, 1), "17/42") // (1/3 + 10/21)/2
}

func TestWilsonTEdges(t *testing.T) {
	for name, got := range map[string]Interval{
		"one task":                WilsonT([]float64{0.5}, 9, 0.95),
		"level 0":                 WilsonT([]float64{0.5, 1}, 9, 0),
		"level 1":                 WilsonT([]float64{0.5, 1}, 9, 1),
		"level NaN":               WilsonT([]float64{0.5, 1}, 9, math.NaN()),
		"fewer trials than tasks": WilsonT([]float64{0.5, 1}, 1, 0.95),
	} {
		if got != (Interval{}) {
			t.Errorf("%s: got %v, want undefined", name, got)
		}
	}
	// The largest level below 1 still has a quantile: 2^53 * 2/pi.
	top := WilsonT([]float64{0, 1}, 2, math.Nextafter(1, 0))
	if q, _ := top.T.Value(); math.Abs(q/(0x1p54/math.Pi)-1) > 1e-12 {
		t.Errorf("level just below 1: t %v, want %v", q, 0x1p54/math.Pi)
	}
	if low, ok := top.Low.Value(); !ok || low < 0 || low > 1e-16 {
		t.Errorf("level just below 1: low %v", top.Low)
	}
}

func TestClusters(t *testing.T) {
	means := []float64{1, 0.5, 0, 0.25, 1}
	if got := ClusteredStderr(means, make([]string, 5)); got != Stderr(means) {
		t.Errorf("empty names are clusters of one: got %v, want %v", got, Stderr(means))
	}
	mixed := ClusteredStderr(means, []string{"a", "", "a", "", ""})
	named := ClusteredStderr(means, []string{"x", "b", "x", "c", "d"})
	if mixed != named {
		t.Errorf("an empty name is not a cluster of its own: %v and %v", mixed, named)
	}
}

func TestMissingBounds(t *testing.T) {
	check := func(tasks [][]float64, declared []int, low, high string) {
		t.Helper()
		gotLow, gotHigh := MissingBounds(tasks, declared)
		if gotLow != frac(t, low) || gotHigh != frac(t, high) {
			t.Errorf("%v of %v: got %v and %v, want %s and %s", tasks, declared, gotLow, gotHigh, low, high)
		}
	}
	check([][]float64{{1, 0}, {0.5}}, []int{3, 1}, "5/12", "7/12")   // (1/3 + 1/2)/2, (2/3 + 1/2)/2
	check([][]float64{{}, {1, 1}}, []int{2, 2}, "1/2", "1")          // the lost task could be anything
	check([][]float64{{}}, []int{4}, "0", "1")                       // nothing is known
	check([][]float64{{0.1, 0.2, 0.3}}, []int{3}, "1/5", "1/5")      // nothing is missing
	for _, declared := range [][]int{{2}, {2, 0}, {1, 1}, {2, -1}} { // another length; no cell; more rewards than cells
		if low, high := MissingBounds([][]float64{{1, 1}, {}}, declared); low.Defined() || high.Defined() {
			t.Errorf("declared %v: got %v and %v, want undefined", declared, low, high)
		}
	}
	if low, _ := MissingBounds(nil, nil); low.Defined() {
		t.Errorf("no tasks: %v", low)
	}
}

func TestRatioRoundsOnce(t *testing.T) {
	for _, c := range [][2]uint64{
		{1, math.MaxUint64}, {math.MaxUint64, 1}, {math.MaxUint64, 3}, {1<<53 + 1, 1}, {1<<54 + 2, 2}, {1<<63 + 1, 1<<62 - 1},
		{3, 1 << 60}, {1<<60 + 1, 1 << 60}, {0, 1<<60 + 1}, {1<<61 - 1, 1 << 61},
	} {
		num, den := whole(c[0]), whole(c[1])
		want, _ := new(big.Rat).SetFrac(num, den).Float64()
		if got := ratio(c[0], c[1]); got != want {
			t.Errorf("%d/%d: got %v, want %v", c[0], c[1], got, want)
		}
		wide := product(whole(math.MaxUint64), whole(12345))
		if got := nearest(product(num, wide), product(den, wide)); got != want {
			t.Errorf("%d/%d, both widened: got %v, want %v", c[0], c[1], got, want)
		}
	}
}

// Every fraction is found, also when its float64 is off by a rounding or by
// half of what a lattice forgives.
func TestDenominator(t *testing.T) {
	for q := 2; q <= maxDenominator; q++ {
		for p := 1; p < q; p++ {
			lowest := q / int(new(big.Int).GCD(nil, nil, big.NewInt(int64(p)), big.NewInt(int64(q))).Int64())
			r := float64(p) / float64(q)
			for _, x := range []float64{r, r + 0.5*snap/float64(q), r - 0.5*snap/float64(q)} {
				if got := denominator(x); got != lowest {
					t.Fatalf("%d/%d as %v: got %d, want %d", p, q, x, got, lowest)
				}
			}
			if q > 100 {
				p += q / 50 // a sample is enough
			}
		}
	}
	for _, r := range []float64{math.Pi / 4, math.Sqrt2 / 2, 1.0 / 1009, 0.5 + 1e-6, math.Nextafter(1, 0) - 1e-7} {
		if got := denominator(r); got != maxDenominator+1 {
			t.Errorf("%v: got %d, want none", r, got)
		}
	}
}
