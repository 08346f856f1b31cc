package stats

import (
	"errors"
	"math/big"
)

// Audit is a [Test] in exact fractions. All five are defined.
type Audit struct {
	Better, Worse, TwoSided, MinDesign, MinConditional Exact
}

// auditBits bounds the size of the exact distribution, and with it the time to
// a few seconds.
const auditBits = 1 << 25

// auditWork bounds the counting of the ways to deal one task.
const auditWork = 1 << 23

// ErrNothingPaired is returned for a comparison without a paired task, or with
// a reward that is NaN or outside [0, 1].
var ErrNothingPaired = errors.New("stats: no task has valid rewards in both arms")

// AuditSuite computes [Comparison.SuiteTest] once more, by counting in big
// integers instead of floating point. It is an error when there is nothing to
// test, and when the exact distribution, which has as many places as the
// statistic has values and in each as many bits as the number of ways to deal
// all tasks, would take more than 32 million bits: about 900 tasks of five
// pass-or-fail trials in each arm, or 130 with rewards on 101 levels.
func (c *Comparison) AuditSuite() (Audit, error) {
	if !c.ok {
		return Audit{}, ErrNothingPaired
	}
	d := newDealer(scaleOf(c.l, c.paired))
	a := count{total: big.NewInt(1), design: big.NewInt(1)}
	for _, p := range c.paired {
		_, observed := d.add(p)
		a.observed += observed
		a.design.Mul(a.design, choose(int64(len(p.Baseline)+len(p.Candidate)), int64(len(p.Candidate))))
	}
	for i, h := range d.hands {
		k, err := d.s.exactKind(h)
		if err != nil {
			return Audit{}, err
		}
		k.count = d.counts[i]
		a.kinds = append(a.kinds, k)
	}
	return a.audit()
}

// AuditPopulation computes [Comparison.PopulationTest] once more, by counting
// in big integers. Its errors are those of [Comparison.AuditSuite].
func (c *Comparison) AuditPopulation() (Audit, error) {
	if !c.ok {
		return Audit{}, ErrNothingPaired
	}
	return countFlips(c.clusterSums()).audit()
}

// twice returns twice the smaller of two defined chances, at most 1.
func twice(better, worse Exact) Exact {
	p := better.r
	if p.Cmp(worse.r) > 0 {
		p = worse.r
	}
	p = new(big.Rat).Add(p, p)
	if one := big.NewRat(1, 1); p.Cmp(one) > 0 {
		p = one
	}
	return Exact{p}
}

// CautiousAudit is [Cautious] in exact fractions. Both audits must come from
// AuditSuite or AuditPopulation without an error.
func CautiousAudit(a, b Audit) Audit {
	larger := func(x, y Exact) Exact {
		if x.Above(y) {
			return x
		}
		return y
	}
	out := Audit{
		Better:         larger(a.Better, b.Better),
		Worse:          larger(a.Worse, b.Worse),
		MinDesign:      larger(a.MinDesign, b.MinDesign),
		MinConditional: larger(a.MinConditional, b.MinConditional),
	}
	out.TwoSided = twice(out.Better, out.Worse)
	return out
}
