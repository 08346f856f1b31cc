package gate

import (
	"fmt"
	"math"

	"github.com/capeval/capeval/stats"
)

// settle applies the rule to numbers that passed the guards: the first row of
// its table that matches. factor corrects p-values for several suites.
func (t terms) settle(d *Decision, c *stats.Comparison, a arms, factor float64) {
	r := ruling{terms: t, d: d, c: c, factor: factor, delta: c.Delta()}
	switch t.Name {
	case RuleImprove:
		r.improve()
	case RuleNoRegression:
		r.noRegression()
	case RuleNonInferior:
		r.nonInferior()
	default:
		r.compatible(a)
	}
}

// ruling is one rule at work.
type ruling struct {
	terms
	d      *Decision
	c      *stats.Comparison
	factor float64
	delta  stats.Exact
}

func (r *ruling) say(o Outcome, code, format string, args ...any) {
	r.d.Verdict, r.d.Code, r.d.Message = o, code, fmt.Sprintf(format, args...)
}

// reaches compares a p-value with alpha, corrected for the number of suites.
func (r *ruling) reaches(p stats.Estimate) bool {
	v, ok := p.Value()
	return ok && stats.Reaches(stats.Defined(math.Min(1, v*r.factor)), r.alpha)
}

func (r *ruling) improve() {
	d := r.d
	better := r.reaches(d.PBetter) && r.delta.Sign() > 0
	switch {
	case better && r.delta.AtLeast(r.margin):
		r.say(Accepted, CodeBetter, "better by %s", r.evidence(d.PBetter))
	case better:
		r.say(Rejected, CodeBelowMinEffect, "really better, by %s, and less than the %s that was asked for", r.evidence(d.PBetter), r.Margin)
	case !r.reaches(d.PMinDesign):
		r.tooSmall()
	case r.reaches(d.PWorse) && r.delta.Sign() < 0:
		r.say(Rejected, CodeWorse, "worse by %s", r.evidence(d.PWorse))
	case r.allEqual():
		r.say(Rejected, CodeNoChange, "no task's outcome differed between the arms (%s)", r.tasks())
	case r.delta.Sign() > 0 && !r.reaches(d.PMinConditional):
		r.say(Indecisive, CodeNotAttainable, "only %s changed, and however their outcomes were shared out, p could not fall below %s (alpha %s): add tasks or trials",
			counted(len(d.Improved)+len(d.Regressed), "task"), small(d.PMinConditional), r.Alpha)
	default:
		r.say(Rejected, CodeNotShown, "not shown to be better: %s; this run finds a gain of %s four times in five%s", r.evidence(d.PBetter), number(d.MDE80), r.resolve())
	}
}

// regressed reports whether the candidate is shown to be worse.
func (r *ruling) regressed() bool { return r.reaches(r.d.PWorse) && r.delta.Sign() < 0 }

func (r *ruling) noRegression() {
	d := r.d
	drop := r.delta.Neg()
	switch {
	case r.regressed() && drop.AtLeast(r.margin):
		r.say(Rejected, CodeRegression, "worse by %s%s", r.evidence(d.PWorse), r.claims())
	case r.regressed():
		r.say(Accepted, CodeWithinMargin, "worse by %s, and within the margin of %s", r.evidence(d.PWorse), r.Margin)
		d.warnf(CodeWithinMargin, "the candidate is really worse, by less than the margin of %s", r.Margin)
	case !r.reaches(d.PMinDesign):
		r.tooSmall()
	case r.maxDrop.Defined() && r.above(d.MDE80, r.maxDrop):
		r.say(Indecisive, CodeUnderpowered, "no drop is shown, and a drop of %s would have been missed more than one time in five (this run finds %s four times in five)%s",
			r.MaxDetectableDrop, number(d.MDE80), r.trialsFor(r.maxDrop))
	default:
		r.say(Accepted, CodeNoRegressionDetected, "no regression detected: %s; this run finds a drop of %s four times in five", r.evidence(d.PWorse), number(d.MDE80))
	}
}

func (r *ruling) nonInferior() {
	d := r.d
	lower := r.c.SuiteLower(r.alphaF)
	if r.Scope == ScopePopulation {
		lower = r.c.PopulationLower(r.alphaF)
	}
	low, ok := lower.Value()
	margin, _ := r.margin.Estimate().Value()
	switch {
	case r.suspects(r.c):
		r.say(Indecisive, CodeIdenticalTrials, "the trials of a task look like copies of one another, so how much they vary is not known: check that the agent gets its seed, or say --trials-are independent")
	case ok && low > -margin:
		r.say(Accepted, CodeNonInferior, "not worse by %s or more: the change is %s and, but for one time in %s, above %s",
			r.Margin, r.evidence(d.PWorse), oneIn(r.alphaF), signed(lower))
	case r.regressed() && r.delta.Neg().AtLeast(r.margin):
		r.say(Rejected, CodeRegression, "worse by %s%s", r.evidence(d.PWorse), r.claims())
	default:
		r.say(Indecisive, CodeNotShown, "a drop of %s is not excluded: the change is %s, and may be as low as %s%s", r.Margin, r.evidence(d.PWorse), signed(lower), r.trialsFor(r.margin))
	}
}

func (r *ruling) above(e stats.Estimate, limit stats.Exact) bool {
	v, ok := e.Value()
	l, _ := limit.Estimate().Value()
	return ok && v > l
}

func (r *ruling) allEqual() bool { return len(r.d.Improved)+len(r.d.Regressed) == 0 }

// tooSmall says that no outcome of this design could have reached alpha, and
// what could.
func (r *ruling) tooSmall() {
	if r.suspects(r.c) {
		r.say(Indecisive, CodeIdenticalTrials, "the trials of a task look like copies of one another, so %s are all there is, and even a perfect result could only reach p=%s (alpha %s): check that the agent gets its seed, or say --trials-are independent",
			counted(r.d.NPaired, "task"), small(r.d.PMinDesign), r.Alpha)
		return
	}
	r.say(Indecisive, CodeDesignTooSmall, "even a perfect result could only reach p=%s (alpha %s): %s", small(r.d.PMinDesign), r.Alpha, r.enough())
}

// enough says which design could reach alpha at all.
func (r *ruling) enough() string {
	trials := r.trialsEach()
	if r.Scope == ScopePopulation {
		trials = 1
		return fmt.Sprintf("need at least %s", counted(stats.TasksToReach(trials, r.alpha), "task"))
	}
	return fmt.Sprintf("need at least %s at %s, or %s in each arm on %s",
		counted(stats.TasksToReach(trials, r.alpha), "task"), counted(trials, "trial"),
		counted(stats.TrialsToReach(r.d.NPaired, r.alpha), "trial"), counted(r.d.NPaired, "task"))
}

// trialsEach is the smallest number of valid trials that a paired task has in an
// arm.
func (r *ruling) trialsEach() int {
	least := 0
	for _, row := range r.d.PerTask {
		if n := min(row.NBaseline, row.NCandidate); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return max(least, 1)
}

// resolve says how many trials would show the delta that was seen.
func (r *ruling) resolve() string {
	if r.delta.Sign() <= 0 {
		return ""
	}
	return r.trialsFor(r.delta)
}

func (r *ruling) trialsFor(effect stats.Exact) string {
	e, ok := effect.Estimate().Value()
	if !ok || e == 0 {
		return ""
	}
	n, ok := r.c.SuiteTrialsFor(math.Abs(e), r.alphaF, power).Value()
	if !ok || n < 1 || n > 1e6 {
		return ""
	}
	return fmt.Sprintf("; about %d trials a task in each arm would resolve %s", int(math.Ceil(n)), signed(stats.Defined(e)))
}
