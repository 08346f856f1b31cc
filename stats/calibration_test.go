package stats

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"testing"
)

// What this module compares itself with and does not offer lives here: the
// paired t test, the sign test, the bootstrap, and e-values.

func ratsOf(t *testing.T, raw json.RawMessage) (ds rats) {
	t.Helper()
	for _, d := range read[[]json.RawMessage](t, raw) {
		ds = append(ds, rational(t, d))
	}
	return ds
}

// pairedT returns t and the standard error of the mean of ds; t is undefined
// without spread, both below two.
func pairedT(ds rats) (statistic, se Estimate) {
	n := int64(len(ds))
	if n < 2 {
		return Undefined(), Undefined()
	}
	mean, dev := meanOf(ds), new(big.Rat)
	for _, d := range ds {
		e := new(big.Rat).Sub(d, mean)
		dev.Add(dev, e.Mul(e, e))
	}
	dev.Quo(dev, big.NewRat(n*(n-1), 1))
	se = Defined(math.Sqrt(asFloat(dev)))
	return Defined(asFloat(mean) / se.value), se
}

func TestGoldenPairedT(t *testing.T) {
	for _, v := range cases(t, "paired_t") {
		ds := ratsOf(t, v.Inputs["deltas"])
		statistic, se := pairedT(ds)
		mean := Rational(meanOf(ds))
		same(t, v.Name+" mean", mean, v.Expected["mean"])
		closeTo(t, v.Name+" se", se, v.Expected["se"], rooted)
		closeTo(t, v.Name+" t", statistic, v.Expected["t"], rooted)
		greater, less, two := Undefined(), Undefined(), Undefined()
		ci := read[[]json.RawMessage](t, v.Expected["ci95"])
		if x, ok := statistic.Value(); ok {
			df := float64(len(ds) - 1)
			greater, less = Defined(TSurvival(x, df)), Defined(TSurvival(-x, df))
			two = Defined(2 * min(greater.value, less.value))
			reach := TQuantile(0.975, df) * se.value
			closeTo(t, v.Name+" low", Defined(mean.Estimate().value-reach), ci[0], transcendental)
			closeTo(t, v.Name+" high", Defined(mean.Estimate().value+reach), ci[1], transcendental)
		} else if ci != nil {
			t.Errorf("%s: want %s", v.Name, v.Expected["ci95"])
		}
		closeTo(t, v.Name+" greater", greater, v.Expected["p_greater"], transcendental)
		closeTo(t, v.Name+" less", less, v.Expected["p_less"], transcendental)
		closeTo(t, v.Name+" two-sided", two, v.Expected["p_two_sided"], transcendental)
	}
}

// The sign test is the sign-flip test of differences that are all 1.
func TestGoldenSignTest(t *testing.T) {
	for _, v := range cases(t, "sign_test") {
		var ds []int64
		for range read[int](t, v.Inputs["wins"]) {
			ds = append(ds, 1)
		}
		for range read[int](t, v.Inputs["losses"]) {
			ds = append(ds, -1)
		}
		audit, err := countFlips(ds).audit()
		if err != nil {
			t.Fatal(err)
		}
		s := flips(ds)
		better, worse := s.tails()
		meetsTest(t, v.Name, tested(better, worse, s.minDesign, s.minConditional()), audit, v.Expected)
	}
}

// resampled is the distribution of the sum of n draws from ds with
// replacement, by the sum in units of 1/den.
func resampled(ds rats) (ways map[int64]*big.Int, den *big.Int) {
	den = big.NewInt(1)
	for _, d := range ds {
		den = lcm(den, d.Denom())
	}
	ways = map[int64]*big.Int{0: big.NewInt(1)}
	for range ds {
		next := map[int64]*big.Int{}
		for sum, w := range ways {
			for _, d := range ds {
				at := sum + new(big.Rat).Mul(d, new(big.Rat).SetInt(den)).Num().Int64()
				if next[at] == nil {
					next[at] = new(big.Int)
				}
				next[at].Add(next[at], w)
			}
		}
		ways = next
	}
	return ways, den
}

func TestGoldenIdealBootstrap(t *testing.T) {
	for _, v := range cases(t, "ideal_bootstrap") {
		ds := ratsOf(t, v.Inputs["deltas"])
		n := int64(len(ds))
		ways, den := resampled(ds)
		mean := meanOf(ds)
		value := func(sum int64) *big.Rat {
			r := new(big.Rat).SetFrac(big.NewInt(sum), den)
			return r.Quo(r, big.NewRat(n, 1))
		}
		sums := make([]int64, 0, len(ways))
		for s := range ways {
			sums = append(sums, s)
		}
		slices.Sort(sums)
		all := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(n), big.NewInt(n), nil))
		share := func(w *big.Int) *big.Rat { return new(big.Rat).Quo(new(big.Rat).SetInt(w), all) }
		notAbove, below := new(big.Rat), new(big.Rat)
		for _, s := range sums {
			if value(s).Sign() <= 0 {
				notAbove.Add(notAbove, share(ways[s]))
			}
			switch value(s).Cmp(mean) {
			case -1:
				below.Add(below, share(ways[s]))
			case 0:
				below.Add(below, new(big.Rat).Quo(share(ways[s]), big.NewRat(2, 1)))
			}
		}
		quantile := func(q *big.Rat) Exact {
			sum := new(big.Rat)
			for _, s := range sums {
				if sum.Add(sum, share(ways[s])); sum.Cmp(q) >= 0 {
					return Rational(value(s))
				}
			}
			return Exact{}
		}
		same(t, v.Name+" not above 0", Rational(notAbove), v.Expected["p_mean_le_0"])
		same(t, v.Name+" below", Rational(below), v.Expected["p_below"])
		percentile := read[[]json.RawMessage](t, v.Expected["percentile95"])
		same(t, v.Name+" low", quantile(big.NewRat(1, 40)), percentile[0])
		same(t, v.Name+" high", quantile(big.NewRat(39, 40)), percentile[1])
		if v.Expected["z0"] == nil {
			continue
		}
		z0 := NormalQuantile(asFloat(below))
		closeTo(t, v.Name+" z0", Defined(z0), v.Expected["z0"], transcendental)
		var squares, cubes float64
		for _, d := range ds {
			e := asFloat(new(big.Rat).Sub(d, mean))
			squares += e * e
			cubes += e * e * e
		}
		accel := cubes / (6 * math.Pow(squares, 1.5))
		closeTo(t, v.Name+" accel", Defined(accel), v.Expected["accel"], transcendental)
		levels := read[[]json.RawMessage](t, v.Expected["bca_levels"])
		bca := read[[]json.RawMessage](t, v.Expected["bca95"])
		for i, q := range []float64{0.025, 0.975} {
			z := z0 + NormalQuantile(q)
			level := 0.5 * math.Erfc(-(z0+z/(1-accel*z))/math.Sqrt2)
			closeTo(t, v.Name+" level", Defined(level), levels[i], transcendental)
			same(t, v.Name+" bca", quantile(new(big.Rat).SetFloat64(level)), bca[i])
		}
	}
}

func TestGoldenPToE(t *testing.T) {
	for _, v := range cases(t, "p_to_e") {
		kappa, e := number(t, v.Inputs["kappa"]), 1.0
		for _, p := range read[[]json.RawMessage](t, v.Inputs["round_p_values"]) {
			e *= kappa * math.Pow(asFloat(rational(t, p)), kappa-1)
		}
		closeTo(t, v.Name, Defined(e), v.Expected["e"], transcendental)
		if reject := read[bool](t, v.Expected["reject_at_0.05"]); reject != (e >= 20) {
			t.Errorf("%s: e=%v rejects: %v", v.Name, e, !reject)
		}
	}
}

func TestGoldenBinomial(t *testing.T) {
	for _, v := range cases(t, "binomial_ci") {
		c, n := read[int](t, v.Inputs["successes"]), read[int](t, v.Inputs["n"])
		level := number(t, v.Inputs["confidence"])
		low, high := ClopperPearson(c, n, level)
		exact := read[[]json.RawMessage](t, v.Expected["clopper_pearson"])
		closeTo(t, v.Name+" low", low, exact[0], transcendental)
		closeTo(t, v.Name+" high", high, exact[1], transcendental)
		p, miss := ratio(uint64(c), uint64(n)), ratio(uint64(n-c), uint64(n))
		wilson := read[[]json.RawMessage](t, v.Expected["wilson"])
		closeTo(t, v.Name+" Wilson low", Defined(wilsonLow(p, miss, float64(n), twoSided(level))), wilson[0], transcendental)
		closeTo(t, v.Name+" Wilson high", Defined(1-wilsonLow(miss, p, float64(n), twoSided(level))), wilson[1], transcendental)
	}
	for _, bad := range [][2]int{{0, 0}, {-1, 3}, {4, 3}} {
		if low, high := ClopperPearson(bad[0], bad[1], 0.95); low.Defined() || high.Defined() {
			t.Errorf("%v of trials: %v to %v", bad, low, high)
		}
	}
	if low, _ := ClopperPearson(1, 2, 1); low.Defined() {
		t.Errorf("a level of 1: %v", low)
	}
}
