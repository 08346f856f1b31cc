package stats

import "math"

// Design is a plan for two arms with the same number of trials, and what is
// known about the noise.
type Design struct {
	Tasks, Trials int // tasks, and trials of each in each arm
	// Variance is the mean over tasks of the variance of one trial's reward, in
	// [0, 1/4]: p(1-p) for a task passed with chance p. 1/4 is the worst case.
	Variance float64
	// Between is the variance over tasks of the true difference. It is 0 when
	// these tasks are all that matters, and above 0 when they are a sample.
	Between float64
}

// SE returns the standard error of the difference between the arms,
// sqrt((Between + 2*Variance/Trials) / Tasks). It is undefined without tasks or
// trials and for a negative variance.
func (d Design) SE() Estimate {
	if d.Tasks < 1 || d.Trials < 1 || !(d.Variance >= 0) || !(d.Between >= 0) {
		return Undefined()
	}
	return Defined(math.Sqrt((d.Between + 2*d.Variance/float64(d.Trials)) / float64(d.Tasks)))
}

// TrialsFor returns how many trials an arm needs in total, over all tasks, for
// a difference of effect to be found with the given power by a one-sided test
// at alpha; divide by Tasks for the trials of each. It is not rounded.
// It is undefined without tasks, for an effect of 0, outside the ranges of
// alpha and power, and when no number of trials is enough because Between
// alone hides the effect.
func (d Design) TrialsFor(effect, alpha, power float64) Estimate {
	room := float64(effect*effect)/square2(reach(alpha, power)) - d.Between/float64(d.Tasks)
	if d.Tasks < 1 || !(d.Variance >= 0) || !(d.Between >= 0) || effect == 0 || !(room > 0) {
		return Undefined()
	}
	return Defined(2 * d.Variance / room)
}

// TasksFor returns how many tasks, with Trials trials each in each arm, it
// takes to find a difference of effect with the given power by a one-sided
// test at alpha. It is not rounded, and undefined where [Design.TrialsFor] is
// or without trials; Tasks is not looked at.
func (d Design) TasksFor(effect, alpha, power float64) Estimate {
	d.Tasks = 1
	se, ok := d.SE().Value()
	if !ok || effect == 0 {
		return Undefined()
	}
	return Defined(square2(reach(alpha, power) * se / effect))
}

// MDE returns the smallest difference that a one-sided test at alpha finds
// with the given power, (z(1-alpha) + z(power)) * se. It may be above 1, which
// says that nothing can be found. It is undefined when se is, and for an alpha
// or a power outside (0, 1).
func MDE(se Estimate, alpha, power float64) Estimate {
	v, ok := se.Value()
	if !ok {
		return Undefined()
	}
	return Defined(reach(alpha, power) * v)
}

// reach returns the sum of the two quantiles, or NaN.
func reach(alpha, power float64) float64 { return oneSided(alpha) + oneSided(1-power) }

func square2(x float64) float64 { return x * x }

// SuiteTrialsFor returns how many trials of each paired task each arm needs
// for a difference of effect on these tasks to be found with the given power by
// a one-sided test at alpha, going by the variances of the trials seen. It is
// not rounded. It is undefined without a paired task, for an effect of 0, and
// for an alpha or a power outside (0, 1).
func (c *Comparison) SuiteTrialsFor(effect, alpha, power float64) Estimate {
	if !c.ok || effect == 0 {
		return Undefined()
	}
	v, _ := c.withinSum(true).Float64()
	return Defined(v * square2(reach(alpha, power)/(effect*float64(len(c.paired)))))
}
