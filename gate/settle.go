package gate

import (
	"fmt"
	"math"
	"math/big"

	"github.com/capeval/capeval/stats"
)

// settle applies the rule to numbers that passed the guards: the first row of
// its table that matches.
func (t terms) settle(d *Decision, c *stats.Comparison, a arms) {
	r := ruling{terms: t, d: d, c: c, delta: c.Delta()}
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
	d     *Decision
	c     *stats.Comparison
	delta stats.Exact
}

func (r *ruling) say(o Outcome, code, format string, args ...any) {
	r.d.Verdict, r.d.Code, r.d.Message = o, code, fmt.Sprintf(format, args...)
}

// better and worse compare a p-value of that direction with alpha, corrected for
// the other suites.
func (r *ruling) better(p stats.Estimate) bool {
	return stats.Reaches(adjusted(p, r.family.better), r.alpha)
}

func (r *ruling) worse(p stats.Estimate) bool {
	return stats.Reaches(adjusted(p, r.family.worse), r.alpha)
}

func (r *ruling) improve() {
	d := r.d
	better := r.better(d.PBetter) && r.delta.Sign() > 0
	switch {
	case better && r.delta.AtLeast(r.margin):
		r.say(Accepted, CodeBetter, "better: %s", r.evidence(d.PBetter, r.family.better))
	case better:
		r.say(Rejected, CodeBelowMinEffect, "really better, and by less than the %[2]s that was asked for: %[1]s", r.evidence(d.PBetter, r.family.better), r.Margin)
	case !r.better(d.PMinDesign):
		r.tooSmall(r.family.better)
	case r.regressed():
		r.say(Rejected, CodeWorse, "worse: %s", r.evidence(d.PWorse, r.family.worse))
	case r.allEqual():
		r.say(Rejected, CodeNoChange, "no task's outcome differed between the arms (%s)", r.tasks())
	case r.delta.Sign() > 0 && !r.better(d.PMinConditional):
		r.say(Indecisive, CodeNotAttainable, "only %s changed, and however their outcomes were shared out, p could not fall below %s (alpha %s): add tasks or trials",
			counted(len(d.Improved)+len(d.Regressed), "task"), small(adjusted(d.PMinConditional, r.family.better)), r.Alpha)
	default:
		r.say(Rejected, CodeNotShown, "not shown to be better: %s; this run finds a gain of %s four times in five%s", r.evidence(d.PBetter, r.family.better), number(d.MDE80), r.resolve())
	}
}

// regressed reports whether the candidate is shown to be worse.
func (r *ruling) regressed() bool { return r.worse(r.d.PWorse) && r.delta.Sign() < 0 }

func (r *ruling) noRegression() {
	d := r.d
	drop := r.delta.Neg()
	switch {
	case r.regressed() && drop.AtLeast(r.margin):
		r.say(Rejected, CodeRegression, "worse: %s%s", r.evidence(d.PWorse, r.family.worse), r.claims())
	case r.regressed():
		r.say(Accepted, CodeWithinMargin, "worse, and within the margin of %[2]s: %[1]s", r.evidence(d.PWorse, r.family.worse), r.Margin)
		d.warnf(CodeWithinMargin, "the candidate is really worse, by less than the margin of %s", r.Margin)
	case !r.worse(d.PMinDesign):
		r.tooSmall(r.family.worse)
	case r.maxDrop.Defined() && r.above(d.MDE80, r.maxDrop):
		r.say(Indecisive, CodeUnderpowered, "no drop is shown, and a drop of %s would have been missed more than one time in five (this run finds %s four times in five)%s",
			r.MaxDetectableDrop, number(d.MDE80), r.trialsFor(r.maxDrop))
	default:
		r.say(Accepted, CodeNoRegressionDetected, "no regression detected: %s; this run finds a drop of %s four times in five", r.evidence(d.PWorse, r.family.worse), number(d.MDE80))
	}
}

func (r *ruling) nonInferior() {
	d := r.d
	lower := r.lower(r.c, r.family.level)
	switch {
	case r.suspects(r.c):
		r.say(Indecisive, CodeIdenticalTrials, "the trials of a task look like copies of one another, so how much they vary is not known: check that the agent gets its seed, or say --trials-are independent")
	case r.excludes(lower):
		r.say(Accepted, CodeNonInferior, "not worse by %s or more: the change is %s and, but for one time in %s, above %s",
			r.Margin, r.evidence(d.PWorse, r.family.worse), oneIn(r.family.level), signed(lower))
	case r.regressed() && r.delta.Neg().AtLeast(r.margin):
		r.say(Rejected, CodeRegression, "worse: %s%s", r.evidence(d.PWorse, r.family.worse), r.claims())
	default:
		r.say(Indecisive, CodeNotShown, "a drop of %s is not excluded: the change is %s, and may be as low as %s%s", r.Margin, r.evidence(d.PWorse, r.family.worse), signed(lower), r.trialsFor(r.margin))
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
func (r *ruling) tooSmall(others []stats.Estimate) {
	least := small(adjusted(r.d.PMinDesign, others))
	if r.suspects(r.c) {
		r.say(Indecisive, CodeIdenticalTrials, "the trials of a task look like copies of one another, so all there is is one outcome for each of %s, and even a perfect result could only reach p=%s (alpha %s): check that the agent gets its seed, say --trials-are independent, or run at least %s",
			counted(r.d.NPaired, "task"), least, r.Alpha, r.tasksEnough(1))
		return
	}
	r.say(Indecisive, CodeDesignTooSmall, "even a perfect result could only reach p=%s (alpha %s): %s", least, r.Alpha, r.enough())
}

// enough says which design could reach alpha at all.
func (r *ruling) enough() string {
	if r.Scope == ScopePopulation {
		return "need at least " + r.tasksEnough(1)
	}
	trials := r.trialsEach()
	return fmt.Sprintf("need at least %s at %s in each arm, or %s in each arm on %s", r.tasksEnough(trials), counted(trials, "trial"),
		counted(stats.TrialsToReach(r.d.NPaired, r.strictest()), "trial"), counted(r.d.NPaired, "task"))
}

func (r *ruling) tasksEnough(trials int) string {
	return counted(stats.TasksToReach(trials, r.strictest()), "task")
}

// strictest is the alpha that Holm's method holds the smallest of the p-values
// to.
func (r *ruling) strictest() stats.Exact {
	return stats.Rational(new(big.Rat).Quo(r.alpha.Rat(), big.NewRat(int64(r.family.size()), 1)))
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

// resolve says what would show the delta that was seen.
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
	size := number(stats.Defined(math.Abs(e)))
	if r.Scope == ScopePopulation {
		se, _ := r.c.PopulationInterval(r.Level).SE.Value()
		n, ok := stats.Design{Tasks: 1, Trials: 1, Between: float64(se*se) * float64(r.d.NPaired)}.TasksFor(math.Abs(e), r.alphaF, power).Value()
		if !ok || n <= float64(r.d.NPaired) || n > 1e6 {
			return ""
		}
		return fmt.Sprintf("; about %d tasks like these would resolve a difference of %s", int(math.Ceil(n)), size)
	}
	n, ok := r.c.SuiteTrialsFor(math.Abs(e), r.alphaF, power).Value()
	if !ok || n <= float64(r.trialsEach()) || n > 1e6 {
		return ""
	}
	return fmt.Sprintf("; about %d trials a task in each arm would resolve a difference of %s", int(math.Ceil(n)), size)
}
