package cli

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/record"
)

func newAA(std IO) *cobra.Command {
	var suite string
	c := &cobra.Command{
		Use:   "aa RUN RUN...",
		Short: "measure false alarms and the noise floor on runs of one agent",
		Long: `Aa takes two or more runs of the same agent, unchanged, and compares each with
each, in both directions. Whatever a rule then claims is a false alarm: an
acceptance by improve and by the compatibility rules, a rejection by no-regression
and non-inferior. It also says how far apart such runs lie, so that a smaller change
is no news, and which tasks vary most.

A RUN is what gate takes. Pairs share runs, so their verdicts are not independent
of one another: with few runs the rates are rough.`,
		Example: `  capeval-ci aa run-1 run-2 run-3
  capeval-ci aa a.jsonl b.jsonl --margin 0.05 --format json`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			json, err := jsonWanted(c)
			if err != nil {
				return err
			}
			return aaCommand(c, std, args, suite, json)
		},
	}
	c.Flags().StringVar(&suite, "suite", "", "compare suite `name` alone")
	addGateSettings(c, "scope", "alpha", "margin", "k-se", "min-coverage", "min-cell-coverage", "trials-are")
	return c
}

// aaCommand is `capeval-ci aa`.
func aaCommand(c *cobra.Command, std IO, paths []string, suite string, json bool) error {
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return withCode(exitUsage, err)
	}
	applyGateSettings(c, &cfg.Gate)
	rules, err := aaRules(cfg)
	if err != nil {
		return err
	}
	arms, err := aaArms(std, paths, suite)
	if err != nil {
		return err
	}
	doc, err := compareAlike(arms, rules)
	if err != nil {
		return err
	}
	doc.MarginGiven = cfg.Gate.Margin.Set
	if json {
		data, err := indented(doc)
		if err == nil {
			_, err = std.Out.Write(data)
		}
		if err != nil {
			return withCode(exitInfra, err)
		}
	} else if err := writeAAText(std.Out, doc); err != nil {
		return withCode(exitInfra, err)
	}
	for _, s := range doc.Suites {
		if len(s.NotCompared) < len(s.Pairs) {
			return nil
		}
	}
	return fail(exitUnclear, "no two runs could be compared, so nothing is known about false alarms")
}

// aaRules are all rules, with the settings of the project. Non-inferior is one
// of them where a margin is given.
func aaRules(cfg config.Config) ([]gate.Rule, error) {
	var rules []gate.Rule
	for _, name := range gate.RuleNames() {
		if name == gate.RuleNonInferior && !cfg.Gate.Margin.Set {
			continue
		}
		r := ruleOf(cfg)
		r.Name, r.Tasks, r.MaxDetectableDrop = name, "common", ""
		if name == gate.RuleSimplicity {
			same := int64(0) // the agent is the same, and so is its size
			r.BaselineSize, r.CandidateSize = &same, &same
		}
		if err := checkRule(r); err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// aaArms reads the runs, sorted by path, and refuses one that is given twice.
func aaArms(std IO, paths []string, suite string) ([]arm, error) {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	places, ids := map[string]string{}, map[string]string{}
	var arms []arm
	held := 0
	for _, path := range paths {
		place, err := filepath.EvalSymlinks(path)
		if err != nil {
			place = path
		}
		if abs, err := filepath.Abs(place); err == nil {
			place = abs
		}
		if other, twice := places[place]; twice {
			return nil, fail(exitUsage, "%s and %s are one run, need two or more", other, path)
		}
		places[place] = path
		a, err := armQuery{suite: suite}.read(std, path)
		if err != nil {
			return nil, err
		}
		for _, m := range a.suites {
			if m.result.Split == record.Test {
				return nil, fail(exitSealed, "%s measured the sealed test split, which is not compared: take runs on val", path)
			}
			if m.result.Run.ID == "" {
				continue
			}
			id := m.result.Run.ID + " " + m.result.Suite + " " + string(m.result.Split) + " " + m.result.Arm
			if other, twice := ids[id]; twice {
				return nil, fail(exitUsage, "%s and %s are copies of one run (%s), need two or more", other, path, m.result.Run.ID)
			}
			ids[id] = path
		}
		held += len(a.suites)
		arms = append(arms, a)
	}
	if held == 0 {
		return nil, fail(exitUsage, "--suite: found %q, and no run holds it", suite)
	}
	return arms, nil
}
