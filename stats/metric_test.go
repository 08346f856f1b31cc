package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMetricChange(t *testing.T) {
	check := func(name string, b, c []float64, level float64, relative bool, change, low, high float64) {
		t.Helper()
		got := MetricChange(b, c, level, relative)
		for _, x := range []struct {
			got  Estimate
			want float64
		}{{got.Change, change}, {got.Low, low}, {got.High, high}} {
			if v, ok := x.got.Value(); !ok || math.Abs(v-x.want) > 1e-9 {
				t.Errorf("%s: got %+v, want %v in %v..%v", name, got, change, low, high)
				return
			}
		}
	}
	// Differences 1, 2, 3: mean 2, s = 1, t(0.975, 2) = 4.302653, over sqrt(3).
	half := 4.302652729911275 / math.Sqrt(3)
	check("absolute", []float64{1, 1, 1}, []float64{2, 3, 4}, 0.95, false, 2, 2-half, 2+half)
	// The baseline is 1 everywhere, so the ratio's deviations are the same.
	check("relative to 1", []float64{1, 1, 1}, []float64{2, 3, 4}, 0.95, true, 2, 2-half, 2+half)
	check("relative to 2", []float64{2, 2, 2}, []float64{4, 6, 8}, 0.95, true, 2, 2-half, 2+half)
	// The same ratio everywhere has no spread, though the tasks differ.
	check("proportional", []float64{1, 2, 5}, []float64{1.5, 3, 7.5}, 0.95, true, 0.5, 0.5, 0.5)
	// Ratio 4/3; deviations of c - (4/3) b: b = 1, 2, c = 1, 3: c - rb = -1/3, 1/3;
	// s = sqrt(2)/3, over sqrt(2), t(0.975, 1) = 12.7062, over the mean of b, 1.5.
	half = 12.706204736432095 / 3 / 1.5
	check("a ratio", []float64{1, 2}, []float64{1, 3}, 0.95, true, 1.0/3, 1.0/3-half, 1.0/3+half)
	check("level 0.5: t(0.75, 1) = 1", []float64{0, 0}, []float64{0, 2}, 0.5, false, 1, 0, 2)

	undefined := func(name string, b, c []float64, level float64, relative bool) {
		t.Helper()
		if got := MetricChange(b, c, level, relative); got != (Change{}) {
			t.Errorf("%s: got %+v, want nothing", name, got)
		}
	}
	ones, nan, inf := []float64{1, 1}, math.NaN(), math.Inf(1)
	undefined("nothing", nil, nil, 0.95, false)
	undefined("one task has no spread", []float64{1}, []float64{2}, 0.95, false)
	undefined("lengths", ones, []float64{1, 2, 3}, 0.95, false)
	undefined("NaN", ones, []float64{1, nan}, 0.95, false)
	undefined("infinite", []float64{inf, 1}, ones, 0.95, false)
	undefined("both infinite", []float64{inf, 1}, []float64{inf, 1}, 0.95, false)
	undefined("a mean that overflows", []float64{math.MaxFloat64, math.MaxFloat64}, ones, 0.95, false)
	undefined("a spread that overflows", []float64{1e200, 1}, []float64{-1e200, 1}, 0.95, false)
	undefined("relative to 0", []float64{0, 0}, ones, 0.95, true)
	undefined("relative to less than 0", []float64{-1, -1}, ones, 0.95, true)
	undefined("level 0", ones, ones, 0, false)
	undefined("level 1", ones, ones, 1, false)
	undefined("level NaN", ones, ones, nan, false)
}

// Exchanging the arms turns the absolute change around, and a change of unit
// does not show in the relative one.
func TestLawMetricChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "tasks")
		values := rapid.SliceOfN(rapid.Float64Range(0.5, 100), n, n)
		b, c := values.Draw(t, "b"), values.Draw(t, "c")
		there, back := MetricChange(b, c, 0.9, false), MetricChange(c, b, 0.9, false)
		near := func(x, y Estimate) bool {
			return x.defined && y.defined && math.Abs(x.value-y.value) <= 1e-9*max(1, math.Abs(x.value))
		}
		if !near(there.Change, negated(back.Change)) || !near(there.Low, negated(back.High)) || !near(there.High, negated(back.Low)) {
			t.Fatalf("%+v and %+v", there, back)
		}
		scaled := func(xs []float64) (out []float64) {
			for _, x := range xs {
				out = append(out, 1000*x)
			}
			return out
		}
		one, other := MetricChange(b, c, 0.9, true), MetricChange(scaled(b), scaled(c), 0.9, true)
		if !near(one.Change, other.Change) || !near(one.Low, other.Low) || !near(one.High, other.High) {
			t.Fatalf("%+v and %+v", one, other)
		}
		if v, _ := one.Low.Value(); v > one.Change.value || one.High.value < one.Change.value {
			t.Fatalf("the change is outside its interval: %+v", one)
		}
	})
}
