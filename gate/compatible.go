package gate

import (
	"math"
	"math/big"

	"github.com/capeval/capeval/stats"
)

// falseAccepts are measured shares of changes that change nothing and that a
// compatibility rule accepts all the same, by number of tasks, the worst over 1,
// 3 and 5 trials. benchmarks/calibration prints them.
var falseAccepts = map[string][]struct {
	tasks int
	share string
}{
	RulePairedSE: {{3, "16 %"}, {5, "17 %"}, {10, "17 %"}, {20, "16 %"}, {50, "16 %"}},
	RuleStrict:   {{3, "41 %"}, {5, "44 %"}, {10, "46 %"}, {20, "46 %"}, {50, "49 %"}},
}

// compatible applies one of the rules that older harnesses use. They share the
// guards and say what they do when nothing changed.
func (r *ruling) compatible(a arms) {
	d := r.d
	meets := false
	what := ""
	switch r.Name {
	case RulePairedSE:
		p := r.c.PairedSE(r.kse)
		meets, what = p.Accept, "a gain above "+r.KSE+" x the standard error of the deltas"
		if p.SEZero {
			d.warnf(WarnSEZero, "the deltas have no spread (%s), so their standard error is 0 and says nothing: the rule then accepts any gain", counted(d.NPaired, "paired task"))
		}
		if p.Tie {
			what += " (this is an exact tie, which is none)"
		}
	case RuleSignificant:
		meets, what = r.significant(a), "a gain above "+r.KSE+" x the standard error of both rewards"
	case RuleThreshold:
		meets, what = r.delta.Above(r.margin), "a gain above "+r.Margin
	default:
		meets, what = r.delta.Sign() > 0, "any gain"
	}
	if r.Name == RuleSimplicity && r.delta.Defined() && r.delta.Sign() == 0 && r.CandidateSize != nil {
		if *r.CandidateSize < *r.BaselineSize {
			r.say(Accepted, CodeSmaller, "an exact tie, and the candidate is smaller (%d bytes against %d)", *r.CandidateSize, *r.BaselineSize)
		} else {
			r.say(Rejected, CodeNotAboveRule, "an exact tie, and the candidate is not smaller (%d bytes against %d)", *r.CandidateSize, *r.BaselineSize)
		}
		r.confess()
		return
	}
	if meets {
		r.say(Accepted, CodeAboveRule, "%s meets the rule, which asks for %s", r.evidence(d.PBetter, nil), what)
	} else {
		r.say(Rejected, CodeNotAboveRule, "%s does not meet the rule, which asks for %s", r.evidence(d.PBetter, nil), what)
	}
	r.confess()
}

// significant compares the delta with the standard errors of both rewards, as if
// the arms were not paired.
func (r *ruling) significant(a arms) bool {
	b, okB := a.baseline.Stderr.Value()
	c, okC := a.candidate.Stderr.Value()
	se := math.Sqrt(float64(b*b) + float64(c*c))
	if !okB || !okC || se == 0 {
		r.d.warnf(WarnSEZero, "a reward has no standard error, so the rule accepts any gain")
		return r.delta.Sign() > 0
	}
	delta, _ := r.delta.Estimate().Value()
	k, _ := r.kse.Estimate().Value()
	return delta > k*se
}

// confess says how often the rule accepts a change that changes nothing.
func (r *ruling) confess() {
	share := ""
	for _, m := range falseAccepts[r.Name] {
		share = m.share
		if m.tasks >= r.d.NPaired {
			break
		}
	}
	one := stats.Rational(big.NewRat(1, 1))
	if r.Name == RulePairedSE && (r.kse.Above(one) || one.Above(r.kse)) {
		share = ""
	}
	if share == "" {
		r.d.warnf(WarnCompatibility, "a compatibility rule: it does not hold alpha; how often it accepts a change that changes nothing is told by capeval-ci aa on runs of your own")
		return
	}
	r.d.warnf(WarnCompatibility, "a compatibility rule: at this number of tasks it accepts about %s of the changes that change nothing; improve holds %s", share, r.Alpha)
}
