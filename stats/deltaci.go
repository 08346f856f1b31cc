package stats

import (
	"math"
	"math/big"
)

// DeltaInterval is a confidence interval for the difference between two arms.
// All four are undefined together.
type DeltaInterval struct {
	Low, High Estimate // cut to [-1, 1]
	Centre    Estimate // of the interval before it is cut
	SE        Estimate // the standard error that its width rests on
}

// wald is the centre of an interval and the square of its standard error.
type wald struct {
	centre, square Exact
}

// interval returns centre +- z*SE.
func (w wald) interval(z float64) DeltaInterval {
	centre, ok := w.centre.Estimate().Value()
	square, _ := w.square.Estimate().Value()
	if !ok || math.IsNaN(z) {
		return DeltaInterval{}
	}
	se := math.Sqrt(square)
	reach := float64(z * se)
	return DeltaInterval{
		Low:    Defined(max(-1, centre-reach)),
		High:   Defined(min(1, centre+reach)),
		Centre: Defined(centre),
		SE:     Defined(se),
	}
}

// twoSided returns the quantile of the normal distribution for a two-sided
// interval, NaN when level is not in (0, 1).
func twoSided(level float64) float64 {
	if !(level > 0 && level < 1) {
		return math.NaN()
	}
	return -NormalQuantile((1 - level) / 2)
}

// oneSided returns the quantile for a one-sided bound, NaN when alpha is not
// in (0, 1).
func oneSided(alpha float64) float64 {
	if !(alpha > 0 && alpha < 1) {
		return math.NaN()
	}
	return -NormalQuantile(alpha)
}

// SuiteInterval returns the two-sided interval for the difference on these
// tasks, where only the trials vary, at a confidence level in (0, 1). Its
// centre is the observed difference; each arm's variance on each task is
// estimated with one more trial at 0 and one more at 1, so that no task passes
// for certain after a few equal trials.
//
// It is undefined without a paired task and for a level outside (0, 1).
func (c *Comparison) SuiteInterval(level float64) DeltaInterval {
	return c.suiteWald().interval(twoSided(level))
}

// SuiteLower returns the lower confidence bound of the difference on these
// tasks that is too high with a chance of alpha, in (0, 1); the bound is not
// below -1. It is undefined where [Comparison.SuiteInterval] is.
func (c *Comparison) SuiteLower(alpha float64) Estimate {
	return c.suiteWald().interval(oneSided(alpha)).Low
}

func (c *Comparison) suiteWald() wald {
	if !c.ok {
		return wald{}
	}
	n := whole(uint64(len(c.paired)))
	return wald{
		centre: c.Delta(),
		square: Exact{new(big.Rat).Quo(c.withinSum(false), new(big.Rat).SetInt(n.Mul(n, n)))},
	}
}

// withinSum returns the sum over paired tasks and both arms of
//
//	v = ((sum x^2 + 1)/(m+2) - ((sum x + 1)/(m+2))^2) / m
//
// or of m*v, the variance of one trial, when perTrial is set.
func (c *Comparison) withinSum(perTrial bool) *big.Rat {
	var t tally
	counts := map[int]int{}
	for _, p := range c.paired {
		for _, rewards := range [2][]float64{p.Baseline, p.Candidate} {
			t.group(uint64(len(rewards))).add(c.l.moments(rewards))
			counts[len(rewards)]++
		}
	}
	q := whole(c.l.q)
	total := new(big.Rat)
	for _, g := range t.groups {
		m, more := whole(g.trials), whole(g.trials+2)
		// n tasks: (m+2)*(raw + n q^2) - (squares + 2q sums + n q^2), over (q (m+2))^2.
		ones := product(big.NewInt(int64(counts[int(g.trials)])), q, q)
		num := new(big.Int).Add(g.raw.big(), ones)
		num.Mul(num, more)
		num.Sub(num, g.squares.big())
		num.Sub(num, product(big.NewInt(2), q, g.sums.big()))
		num.Sub(num, ones)
		den := product(q, q, more, more)
		if !perTrial {
			den.Mul(den, m)
		}
		total.Add(total, new(big.Rat).SetFrac(num, den))
	}
	return total
}

// PopulationInterval returns the two-sided interval for the difference on
// tasks of which these are a sample, at a confidence level in (0, 1): the
// interval of Bonett and Price, with one more task at +1 and one more at -1,
// which pull its centre towards 0.
//
// Tasks of one cluster are taken as one observation; the two tasks more are
// then clusters of the average size.
//
// It is undefined without a paired task and for a level outside (0, 1).
func (c *Comparison) PopulationInterval(level float64) DeltaInterval {
	return c.populationWald().interval(twoSided(level))
}

// PopulationLower returns the lower confidence bound of the difference on
// tasks of which these are a sample that is too high with a chance of alpha,
// in (0, 1); the bound is not below -1. It is undefined where
// [Comparison.PopulationInterval] is.
func (c *Comparison) PopulationLower(alpha float64) Estimate {
	return c.populationWald().interval(oneSided(alpha)).Low
}

func (c *Comparison) populationWald() wald {
	if !c.ok {
		return wald{}
	}
	ds, unit := c.differences()
	clusters := c.clustered(ds)
	n, g := big.NewInt(int64(len(ds))), big.NewInt(int64(len(clusters)))

	// In units of unit*g*n*(g+2), with a = g+2: the centre is sum*g/(n*a), and
	// a cluster of k tasks deviates by its sum less k times the centre.
	a := new(big.Int).Add(g, big.NewInt(2))
	sum, _ := sums(ds)
	shift := product(sum, g)
	na := product(n, a)
	squares, dev := new(big.Int), new(big.Int)
	for _, k := range clusters {
		dev.Mul(k.sum, na)
		dev.Sub(dev, product(whole(uint64(k.n)), shift))
		squares.Add(squares, dev.Mul(dev, dev))
	}
	// The two clusters of n/g tasks at +unit and -unit, in the same units
	// times g^2.
	squares.Mul(squares, product(g, g))
	for _, sign := range []int64{-1, 1} {
		dev.Mul(product(big.NewInt(sign), unit, n), na)
		dev.Sub(dev, product(n, shift))
		squares.Add(squares, dev.Mul(dev, dev))
	}
	// SE^2 = squares / (unit*na*g)^2 / (n*a/g)^2.
	den := product(unit, na, na)
	return wald{
		centre: fraction(shift, product(na, unit)),
		square: fraction(squares, product(den, den)),
	}
}

// cluster is the sum of the differences of a number of tasks.
type cluster struct {
	sum *big.Int
	n   int
}

// clustered returns the clusters of the paired tasks whose differences are ds.
func (c *Comparison) clustered(ds []*big.Int) []cluster {
	clusters := make([]cluster, 0, len(ds))
	index := map[string]int{}
	for i, p := range c.paired {
		at, seen := index[p.Cluster]
		if !seen || p.Cluster == "" {
			at = len(clusters)
			clusters = append(clusters, cluster{sum: new(big.Int)})
			index[p.Cluster] = at
		}
		clusters[at].sum.Add(clusters[at].sum, ds[i])
		clusters[at].n++
	}
	return clusters
}
