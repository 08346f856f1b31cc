package cli

import (
	"math"
	"strconv"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

const planSchema = "capeval.plan/v1"

// planPower is the chance with which an effect is to be found: four times in
// five.
const planPower = 0.8

// worstVariance is the variance of a trial that passes every other time, which
// no reward exceeds.
const worstVariance = 0.25

// planDoc is what plan says, as JSON. Numbers that do not exist are null.
type planDoc struct {
	Schema       string  `json:"schema"`
	Tasks        int     `json:"tasks"`
	Trials       int     `json:"trials"` // of each task in each arm
	Alpha        string  `json:"alpha"`
	Power        float64 `json:"power"`
	Variance     float64 `json:"variance"` // of one trial's reward
	VarianceFrom string  `json:"variance_from"`
	TaskSpread   float64 `json:"task_spread"`

	ReachesAlpha  bool           `json:"reaches_alpha"`   // some outcome can
	TrialsToReach stats.Estimate `json:"trials_to_reach"` // on these tasks
	TasksToReach  int            `json:"tasks_to_reach"`  // at these trials

	MDE80             stats.Estimate `json:"mde80"` // null where no outcome can reach alpha
	MDE80DoubleTasks  stats.Estimate `json:"mde80_double_tasks"`
	MDE80DoubleTrials stats.Estimate `json:"mde80_double_trials"`

	Effect          stats.Estimate `json:"effect"`
	TrialsForEffect stats.Estimate `json:"trials_for_effect"` // a task in each arm, on these tasks
	TasksForEffect  stats.Estimate `json:"tasks_for_effect"`  // at these trials
	Advice          string         `json:"advice"`
}

func (p planning) compute() planDoc {
	d, doc := p.design, p.doc
	doc.Tasks, doc.Trials, doc.Variance = d.Tasks, d.Trials, d.Variance
	doc.TasksToReach = p.tasksToReach(d)
	doc.ReachesAlpha = d.Tasks >= doc.TasksToReach
	switch {
	case d.Between == 0:
		doc.TrialsToReach = stats.Defined(float64(stats.TrialsToReach(d.Tasks, p.alpha)))
	case doc.ReachesAlpha:
		doc.TrialsToReach = stats.Defined(1)
	}
	moreTasks, moreTrials := d, d
	moreTasks.Tasks *= 2
	moreTrials.Trials *= 2
	doc.MDE80, doc.MDE80DoubleTasks, doc.MDE80DoubleTrials = p.mde(d), p.mde(moreTasks), p.mde(moreTrials)
	if p.effect > 0 {
		doc.Effect = stats.Defined(p.effect)
		total, ok := d.TrialsFor(p.effect, p.alphaF, planPower).Value()
		if least, reachable := doc.TrialsToReach.Value(); ok && reachable {
			doc.TrialsForEffect = stats.Defined(max(math.Ceil(total/float64(d.Tasks)), least))
		}
		if tasks, ok := d.TasksFor(p.effect, p.alphaF, planPower).Value(); ok {
			doc.TasksForEffect = stats.Defined(max(math.Ceil(tasks), float64(doc.TasksToReach)))
		}
	}
	doc.Advice = doc.advise()
	return doc
}

// tasksToReach is the least number of tasks with which some outcome of d reaches
// alpha. Where tasks are a sample only their signs are dealt, whatever the number
// of trials.
func (p planning) tasksToReach(d stats.Design) int {
	if d.Between > 0 {
		return stats.TasksToReach(1, p.alpha)
	}
	return stats.TasksToReach(d.Trials, p.alpha)
}

// mde is the change that d finds four times in five, undefined where no outcome
// of d reaches alpha.
func (p planning) mde(d stats.Design) stats.Estimate {
	if d.Tasks < p.tasksToReach(d) {
		return stats.Undefined()
	}
	return stats.MDE(d.SE(), p.alphaF, planPower)
}

// decimalOf writes a number of the user's with as few digits as it has.
func decimalOf(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// trialVariance is the mean over scored tasks of the variance of one trial, as
// the gate estimates it. The run is laid beside itself, and the variance read
// off the number of trials that an effect of 1 takes: in each of two equal arms
// that is 2 * variance * reach^2 / tasks.
func trialVariance(r record.SplitResult) (float64, bool) {
	var pairs []stats.Pair
	for _, t := range r.PerTask {
		var rewards []float64
		for _, e := range t.TrialRewards {
			if v, ok := e.Value(); ok {
				rewards = append(rewards, v)
			}
		}
		pairs = append(pairs, stats.Pair{Baseline: rewards, Candidate: rewards})
	}
	const alpha = 0.05 // any would do
	c := stats.Compare(pairs)
	trials, ok := c.SuiteTrialsFor(1, alpha, planPower).Value()
	reach, _ := stats.MDE(stats.Defined(1), alpha, planPower).Value()
	if !ok {
		return 0, false
	}
	return min(trials*float64(c.Paired())/(2*reach*reach), worstVariance), true
}
