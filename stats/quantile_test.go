package stats

import (
	"math"
	"testing"
)

func TestQuantileEdges(t *testing.T) {
	same := func(what string, got, want float64) {
		t.Helper()
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	same("normal at 0", NormalQuantile(0), math.Inf(-1))
	same("normal at 1", NormalQuantile(1), math.Inf(1))
	same("normal at the median", NormalQuantile(0.5), 0)
	same("normal above 1", NormalQuantile(1.1), math.NaN())
	same("normal of NaN", NormalQuantile(math.NaN()), math.NaN())
	same("t at 0", TQuantile(0, 4), math.Inf(-1))
	same("t at 1", TQuantile(1, 4), math.Inf(1))
	same("t at the median", TQuantile(0.5, 4), 0)
	same("t below 0", TQuantile(-0.1, 4), math.NaN())
	same("t without freedom", TQuantile(0.9, 0), math.NaN())
	same("t with NaN freedom", TQuantile(0.9, math.NaN()), math.NaN())
	same("t with endless freedom", TQuantile(0.9, math.Inf(1)), NormalQuantile(0.9))
	same("survival of NaN", TSurvival(math.NaN(), 4), math.NaN())
	same("survival without freedom", TSurvival(1, 0), math.NaN())
	same("survival at 0", TSurvival(0, 4), 0.5)
	same("survival at +Inf", TSurvival(math.Inf(1), 4), 0)
	same("survival at -Inf", TSurvival(math.Inf(-1), 4), 1)
	same("survival at +Inf, many", TSurvival(math.Inf(1), 1e5), 0)
	same("survival at -Inf, many", TSurvival(math.Inf(-1), 1e5), 1)
}

// Reference numbers from 40-digit incomplete beta functions, where the usual
// inverse loses digits: close to the median, far out, and with many degrees of
// freedom.
func TestQuantileHardPlaces(t *testing.T) {
	for _, c := range []struct{ p, df, want float64 }{
		{0.5000001, 11, 2.5641699080016995e-7},
		{0.499999, 1e+06, -2.5066289012237064e-6},
		{0.4, 999, -0.25341458333036731},
		{1e-12, 999, -7.1243197327606537},
		{1e-12, 29, -11.613158011561407},
		{1e-06, 10000, -4.756229685056779},
		{0.975, 1e+06, 1.9599663568141067},
		{1e-10, 1, -3183098861.8379066},
		{1e-10, 2, -70710.678108048149},
		{0.9995, 3, 12.923978636687964},
	} {
		if got := TQuantile(c.p, c.df); math.Abs(got-c.want) > 1e-12*math.Abs(c.want) {
			t.Errorf("quantile %v with %v: got %v, want %v", c.p, c.df, got, c.want)
		}
	}
	for _, c := range []struct{ t, df, want float64 }{
		{0.001, 1e+06, 0.49960105788582454},
		{-0.001, 99999, 0.50039894121654614},
		{3, 100000, 0.0013502304420323596},
		{12, 3, 0.00062250790039466837},
		{40, 999, 6.213210598135712e-210},
		{1000, 2, 4.9999925000125e-7},
		{1e-05, 11, 0.4999961001024295},
		{8, 10000, 6.910604364532691e-16},
	} {
		if got := TSurvival(c.t, c.df); math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("survival at %v with %v: got %v, want %v", c.t, c.df, got, c.want)
		}
	}
}

// The survival function undoes the quantile, across the change of method at
// 1000 degrees of freedom too.
func TestQuantileInverts(t *testing.T) {
	for _, df := range []float64{1, 1.5, 2, 3, 4, 19, 999, 1000, 1000.5, 1001, 1e6} {
		last := math.Inf(-1)
		for _, p := range []float64{1e-300, 1e-200, 1e-12, 1e-3, 0.025, 0.2, 0.499, 0.5, 0.501, 0.8, 0.975, 1 - 1e-9} {
			q := TQuantile(p, df)
			if q <= last {
				t.Errorf("quantile %v with %v: %v is not above %v", p, df, q, last)
			}
			last = q
			if got := TSurvival(-q, df); math.Abs(got-p) > 1e-11*p {
				t.Errorf("survival at the quantile %v with %v: got %v", p, df, got)
			}
		}
	}
}
