package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// planFlags are the flags of plan.
type planFlags struct {
	tasks, trials      int
	effect, taskSpread string
	from, suite, arm   string
	json               bool
}

func newPlan(std IO) *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:   "plan",
		Short: "say what a design can find, and what it takes to find an effect",
		Long: `Plan says of a number of tasks and of trials a task, the same in both arms, which
change a comparison would find four times in five, which numbers find a given
effect, and whether any outcome could reach alpha at all. Trials are taken to be
as noisy as they can be (a reward of 0 or 1 by the toss of a coin), or as noisy
as in the run of --from, which also gives numbers that the flags leave out.

By default these tasks are all that matters. --task-spread takes them for a
sample, as --scope population of gate does: the true change then differs from task
to task, and no number of trials makes up for too few tasks.`,
		Example: `  capeval-ci plan --tasks 20 --trials 5
  capeval-ci plan --tasks 20 --trials 5 --effect 0.1
  capeval-ci plan --from .capeval/runs/latest --effect 0.05 --task-spread 0.2`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if f.json, err = jsonWanted(c); err != nil {
				return err
			}
			return planCommand(c, std, f)
		},
	}
	c.Flags().IntVar(&f.tasks, "tasks", 0, "`n` tasks (default: those of --from)")
	c.Flags().IntVar(&f.trials, "trials", 0, "`n` trials of every task in each arm (default: those of --from, else run.trials of capeval.yaml)")
	addGateSettings(c, "alpha")
	c.Flags().StringVar(&f.effect, "effect", "", "the change `x` in reward that should be found, above 0 and up to 1")
	c.Flags().StringVar(&f.taskSpread, "task-spread", "0", "the true change differs from task to task with a standard deviation of `x`, 0 to 1")
	c.Flags().StringVar(&f.from, "from", "", "take the noise of trials from the run at `path`")
	c.Flags().StringVar(&f.suite, "suite", "", "the `name` of the suite in --from, where there are several")
	c.Flags().StringVar(&f.arm, "arm", "", "the `name` of the arm in --from, where there are several")
	return c
}

// planCommand is `capeval-ci plan`.
func planCommand(c *cobra.Command, std IO, f planFlags) error {
	p, err := newPlanning(c, std, f)
	if err != nil {
		return err
	}
	doc := p.compute()
	if f.json {
		data, err := indented(doc)
		if err == nil {
			_, err = std.Out.Write(data)
		}
		return withCode(exitInfra, err)
	}
	return withCode(exitInfra, writePlanText(std.Out, doc))
}

// planning is a design and a question about it.
type planning struct {
	design stats.Design
	alpha  stats.Exact
	alphaF float64
	effect float64 // 0 where none is asked about
	doc    planDoc // what is known before anything is computed
}

func newPlanning(c *cobra.Command, std IO, f planFlags) (planning, error) {
	var p planning
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return p, withCode(exitUsage, err)
	}
	applyGateSettings(c, &cfg.Gate)
	for _, n := range []struct {
		flag  string
		value int
	}{{"tasks", f.tasks}, {"trials", f.trials}} {
		if c.Flags().Changed(n.flag) && (n.value < 1 || n.value > 1e6) {
			return p, fail(exitUsage, "--%s: found %d, need a whole number from 1 to 1000000", n.flag, n.value)
		}
	}
	alpha := cfg.Gate.Alpha
	p.alpha, err = stats.ParseDecimal(alpha.V)
	p.alphaF, _ = p.alpha.Estimate().Value()
	if err != nil || !(p.alphaF > 0 && p.alphaF < 1) {
		return p, fail(exitUsage, "%s: found %q, need a decimal above 0 and below 1, such as 0.05", alpha.Origin, alpha.V)
	}
	if f.effect != "" {
		if p.effect, err = unitNumber("effect", f.effect); err != nil {
			return p, err
		}
		if p.effect == 0 {
			return p, fail(exitUsage, "--effect: found %q, need a decimal above 0 and up to 1", f.effect)
		}
	}
	spread, err := unitNumber("task-spread", f.taskSpread)
	if err != nil {
		return p, err
	}
	p.design = stats.Design{Tasks: f.tasks, Trials: f.trials, Variance: worstVariance, Between: spread * spread}
	p.doc = planDoc{Schema: planSchema, Alpha: alpha.V, Power: planPower, VarianceFrom: "worst case", TaskSpread: spread}
	if f.from != "" {
		if err := p.learn(std, f); err != nil {
			return p, err
		}
	}
	if p.design.Tasks == 0 {
		return p, fail(exitUsage, "need the number of tasks: --tasks N, or a run to take it from: --from PATH")
	}
	if p.design.Trials == 0 {
		p.design.Trials = cfg.Run.Trials.V
	}
	return p, nil
}

// unitNumber reads a decimal from 0 to 1.
func unitNumber(flag, text string) (float64, error) {
	x, err := stats.ParseDecimal(text)
	v, _ := x.Estimate().Value()
	if err != nil || v < 0 || v > 1 {
		return 0, fail(exitUsage, "--%s: found %q, need a decimal from 0 to 1", flag, text)
	}
	return v, nil
}

// learn takes the noise of trials from a run, and the design where the flags say
// nothing of it.
func (p *planning) learn(std IO, f planFlags) error {
	a, err := armQuery{f.suite, f.arm, "--arm"}.read(std, f.from)
	switch {
	case err != nil:
		return err
	case len(a.suites) == 0:
		return fail(exitUsage, "--suite: found %q, and %s does not hold it", f.suite, f.from)
	case len(a.suites) > 1:
		return fail(exitUsage, "%s holds %d results (%s), need one: --suite NAME, or a file with one split", f.from, len(a.suites), namesOf(a))
	}
	r := a.suites[0].result
	if r.Split == record.Test {
		return fail(exitSealed, "%s measured the sealed test split, which plans nothing: take a run on val", f.from)
	}
	variance, ok := trialVariance(r)
	if !ok {
		return fail(exitUnclear, "%s measured nothing, so the noise of its trials is not known: plan without --from, or from a run with valid trials", f.from)
	}
	p.design.Variance, p.doc.VarianceFrom = variance, a.path
	if p.design.Tasks == 0 {
		p.design.Tasks = r.NTasks
	}
	if p.design.Trials == 0 {
		p.design.Trials = r.Run.Trials
		for _, t := range r.PerTask { // a file of trials says it task by task
			p.design.Trials = max(p.design.Trials, t.NTrials)
		}
	}
	return nil
}
