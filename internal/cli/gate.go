package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/reporter"
)

// gateFlags are the flags of gate that are no settings of capeval.yaml.
type gateFlags struct {
	baseline, candidate         string
	baselineArm, candidateArm   string
	suite                       string
	guards                      []string
	baselineSize, candidateSize string
	exact                       bool
	jsonFile                    string
	json                        bool
	documents
	baseFlags
}

func newGate(std IO) *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use:   "gate --baseline X --candidate Y | gate --base-ref REF [packages]",
		Short: "say whether the candidate is better, worse, or the data cannot tell",
		Long: `Gate compares two arms, task by task, and gives a verdict: accepted, rejected or
indecisive. X and Y are each a run directory (finished or not), the folder of a
suite in one, a folder of --save-baseline, a result.json, or a file of trials that
any harness wrote; - is standard input. A file that holds several arms needs
--baseline-arm and --candidate-arm, and may then be given twice.

Settings come from the gate section of capeval.yaml; flags are stronger. Without
either the rule is no-regression at alpha 0.05. A guard of a flag replaces the
file's of the same metric, the others stay. The test split is refused.

For $GITHUB_OUTPUT, verdict is accepted, rejected or indecisive, code the exit
code, and state is judged, guarded (a guard fired before the rule) or refused
(there is no verdict).`,
		Example: `  capeval-ci gate --baseline main-run --candidate .capeval/runs/latest
  capeval-ci gate --baseline testdata/baseline --candidate pr-run --rule improve --margin 0.05
  capeval-ci gate --baseline a.jsonl --candidate b.jsonl --preset release --margin 0.1
  capeval-ci gate --baseline a --candidate b --guard 'cost_usd<=+10%' --json verdict.json
  capeval-ci gate --baseline both.jsonl --baseline-arm old --candidate both.jsonl --candidate-arm new`,
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if f.json, err = jsonWanted(c); err != nil {
				return err
			}
			if err := f.baseFlags.read(c); err != nil {
				return refusedGate(err)
			}
			gated := gateCommand
			if f.ref != "" {
				gated = gateBase
			}
			v, code, err := gated(c, std, f, args)
			if err != nil {
				return refusedGate(err)
			}
			if err := tellGitHub(string(v.Verdict), verdictState(v), code); err != nil {
				return withCode(exitInfra, err)
			}
			return quiet(code)
		},
	}
	c.Flags().StringVar(&f.baseline, "baseline", "", "the `path` of what the candidate is compared with")
	c.Flags().StringVar(&f.candidate, "candidate", "", "the `path` of what is judged")
	c.Flags().StringVar(&f.baselineArm, "baseline-arm", "", "the `name` of the baseline's arm, where its path holds several")
	c.Flags().StringVar(&f.candidateArm, "candidate-arm", "", "the `name` of the candidate's arm, where its path holds several")
	c.Flags().StringVar(&f.suite, "suite", "", "judge suite `name` alone")
	addGateSettings(c)
	c.Flags().StringArrayVar(&f.guards, "guard", nil, "reject where a metric is wholly beyond its `limit`, such as cost_usd<=+10% or tokens>=-50; may be repeated; seconds is a metric too")
	c.Flags().StringVar(&f.baselineSize, "baseline-size", "", "`bytes` of the baseline, for simplicity-tiebreak")
	c.Flags().StringVar(&f.candidateSize, "candidate-size", "", "`bytes` of the candidate, for simplicity-tiebreak")
	c.Flags().BoolVar(&f.exact, "exact-rational", false, "compute p once more, in big rationals")
	f.documents.flags(c)
	f.baseFlags.flags(c)
	c.Flags().StringVar(&f.jsonFile, "json", "", "also write the verdict as JSON to `file`; - is standard output, and the text then goes to standard error")
	return c
}

// gateCommand is `capeval-ci gate`. Without an error there is a verdict, and it
// has been told.
func gateCommand(c *cobra.Command, std IO, f gateFlags, args []string) (gate.Verdict, int, error) {
	if len(args) > 0 {
		return gate.Verdict{}, 0, fail(exitUsage, "found the packages %v, which go with --base-ref alone", args)
	}
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return gate.Verdict{}, 0, withCode(exitUsage, err)
	}
	call, err := gateCallOf(c, f, cfg)
	if err != nil {
		return gate.Verdict{}, 0, err
	}
	baseline, candidate, err := f.arms(std)
	if err != nil {
		return gate.Verdict{}, 0, err
	}
	v, err := call.decide(baseline, candidate)
	if err != nil {
		return v, 0, err
	}
	return v, call.exit(v), f.tell(std, call.report, v, reporter.Input{Results: append(baseline.named("baseline"), candidate.named("candidate")...)})
}

// arms reads both arms.
func (f gateFlags) arms(std IO) (baseline, candidate arm, err error) {
	if f.baseline == "" || f.candidate == "" {
		return baseline, candidate, fail(exitUsage, "need both arms: --baseline PATH and --candidate PATH")
	}
	if f.baseline == "-" && f.candidate == "-" {
		return baseline, candidate, fail(exitUsage, "found - for both arms, need a path for one: standard input can be read once")
	}
	baseline, err = armQuery{f.suite, f.baselineArm, "--baseline-arm"}.read(std, f.baseline)
	if err == nil {
		candidate, err = armQuery{f.suite, f.candidateArm, "--candidate-arm"}.read(std, f.candidate)
	}
	if err == nil && len(baseline.suites)+len(candidate.suites) == 0 {
		err = fail(exitUsage, "--suite: found %q, and neither arm holds it", f.suite)
	}
	return baseline, candidate, err
}

// gateCall is a call of gate whose settings have been read.
type gateCall struct {
	rules   []gate.Rule // the next is asked where the one before does not accept
	primary config.Value[string]
	limits  []limit
	pass    bool // an indecisive verdict ends with 0
	report  config.Report
}

// gateCallOf lays the flags over the settings and checks what can be checked
// before anything is measured or read.
func gateCallOf(c *cobra.Command, f gateFlags, cfg config.Config) (gateCall, error) {
	var err error
	applyGateSettings(c, &cfg.Gate)
	places := []place{{"json", f.jsonFile}}
	if f.json && f.jsonFile != "-" {
		places = append(places, place{"format json", "-"})
	}
	if err := f.check(places...); err != nil {
		return gateCall{}, err
	}
	call := gateCall{primary: cfg.Gate.Primary, report: cfg.Report}
	if f.suite != "" && !c.Flags().Changed("primary") {
		call.primary = config.Default("") // the rule is for the suite that was asked for
	}
	switch in := cfg.Gate.Indecisive; in.V {
	case "fail":
	case "pass":
		call.pass = true
	default:
		return call, fail(exitUsage, "%s: found %q, need fail or pass", in.Origin, in.V)
	}
	if call.rules, err = presetRules(c, cfg); err != nil {
		return call, err
	}
	sizes, err := f.sizes(call.rules[0].Name)
	if err != nil {
		return call, err
	}
	for i := range call.rules {
		call.rules[i].Exact = f.exact
		call.rules[i].BaselineSize, call.rules[i].CandidateSize = sizes[0], sizes[1]
	}
	call.limits, err = limitsOf(cfg.Gate.Guards.V, f.guards)
	return call, err
}

// sizes reads the sizes of baseline and candidate, which go with one rule.
func (f gateFlags) sizes(rule string) (sizes [2]*int64, err error) {
	given := 0
	for i, s := range []struct{ flag, text string }{{"baseline-size", f.baselineSize}, {"candidate-size", f.candidateSize}} {
		if s.text == "" {
			continue
		}
		n, err := strconv.ParseInt(s.text, 10, 64)
		if err != nil || n < 0 {
			return sizes, fail(exitUsage, "--%s: found %q, need a whole number of bytes from 0", s.flag, s.text)
		}
		sizes[i] = &n
		given++
	}
	switch tie := rule == gate.RuleSimplicity; {
	case tie && given < 2:
		return sizes, fail(exitUsage, "%s needs both sizes: --baseline-size BYTES and --candidate-size BYTES", rule)
	case !tie && given > 0:
		return sizes, fail(exitUsage, "found a size, which only --rule %s asks for; the rule is %s", gate.RuleSimplicity, rule)
	}
	return sizes, nil
}

// decide judges every suite.
func (g gateCall) decide(baseline, candidate arm) (gate.Verdict, error) {
	rules, primary, err := g.aim(baseline, candidate)
	if err != nil {
		return gate.Verdict{}, err
	}
	var v gate.Verdict
	for i, rule := range rules {
		next, err := gate.DecideAll(baseline.results(), candidate.results(), rule, primary)
		if err != nil {
			return v, withCode(exitUsage, err)
		}
		if i == 0 {
			v = next
			continue
		}
		for k, d := range v.Suites { // the same suites in the same order
			if d.Verdict != gate.Accepted {
				v.Suites[k] = next.Suites[k]
			}
		}
	}
	for i, d := range v.Suites {
		if v.Suites[i], err = limited(d, g.limits, baseline, candidate); err != nil {
			return v, err
		}
	}
	v.Settle()
	return v, nil
}

// aim returns the rules and the suite that they are for. A primary suite that
// one arm lacks is judged by nobody, so the others run no-regression all the
// same.
func (g gateCall) aim(baseline, candidate arm) (rules []gate.Rule, primary string, err error) {
	if g.primary.V == "" {
		return g.rules, "", nil
	}
	has := func(a arm) bool {
		return slices.ContainsFunc(a.suites, func(m measured) bool { return m.result.Suite == g.primary.V })
	}
	switch b, c := has(baseline), has(candidate); {
	case b && c:
		return g.rules, g.primary.V, nil
	case !b && !c:
		return nil, "", fail(exitUsage, "%s: found %q, and neither arm holds that suite", g.primary.Origin, g.primary.V)
	}
	rule := g.rules[0]
	rule.Name, rule.Margin = gate.RuleNoRegression, "0"
	return []gate.Rule{rule}, "", nil
}

// exit is the exit code that a verdict owes. Letting indecisive ones pass never
// reaches guards.
func (g gateCall) exit(v gate.Verdict) int {
	var codes []int
	for _, d := range v.Suites {
		if g.pass && d.Verdict == gate.Indecisive && !gate.Guarded(d.Code) {
			continue
		}
		codes = append(codes, gate.Exit(d.Verdict, d.Code))
	}
	return worst(codes...)
}

// refusedGate tells a workflow that there is no verdict.
func refusedGate(err error) error {
	if told := tellGitHub("", "refused", codeOf(err)); told != nil {
		return fmt.Errorf("%w\n%w", err, told)
	}
	return err
}
