package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/record"
)

// gateSettings lists the flags that lie over a setting of capeval.yaml's gate
// section.
var gateSettings = []struct {
	flag, usage string
	of          func(*config.Gate) *config.Value[string]
}{
	{"rule", "`name` of the rule: " + strings.Join(gate.RuleNames(), ", "), func(g *config.Gate) *config.Value[string] { return &g.Rule }},
	{"preset", "`search or release`: search is improve at alpha 0.20; release is improve at 0.05 and, where that does not accept, non-inferior at --margin", func(g *config.Gate) *config.Value[string] { return &g.Preset }},
	{"scope", "`suite or population`: these tasks, or more tasks like these", func(g *config.Gate) *config.Value[string] { return &g.Scope }},
	{"alpha", "chance `x` of a false claim, one-sided, such as 0.05", func(g *config.Gate) *config.Value[string] { return &g.Alpha }},
	{"margin", "`x` from 0 to 1: the least gain of improve, the drop that no-regression lets pass and non-inferior excludes, the gain that threshold asks for", func(g *config.Gate) *config.Value[string] { return &g.Margin }},
	{"k-se", "standard errors `k` that paired-se and significant ask for", func(g *config.Gate) *config.Value[string] { return &g.KSE }},
	{"min-coverage", "ask for `x` of the tasks to have a valid trial in both arms, 0 to 1", func(g *config.Gate) *config.Value[string] { return &g.MinCoverage }},
	{"min-cell-coverage", "ask for `x` of either arm's cells to be valid, 0 to 1", func(g *config.Gate) *config.Value[string] { return &g.MinCellCoverage }},
	{"trials-are", "`auto or independent`: auto suspects trials that are all alike", func(g *config.Gate) *config.Value[string] { return &g.TrialsAre }},
	{"tasks", "`common or equal`: pair the tasks that both arms declare, or refuse different sets", func(g *config.Gate) *config.Value[string] { return &g.Tasks }},
	{"max-detectable-drop", "no-regression is indecisive where a drop of `x` would be missed more than one time in five", func(g *config.Gate) *config.Value[string] { return &g.MaxDetectableDrop }},
	{"indecisive", "`fail or pass`: end an indecisive verdict with exit code 3 or 0; guards keep theirs", func(g *config.Gate) *config.Value[string] { return &g.Indecisive }},
	{"primary", "the rule is for suite `name` alone, the others run no-regression", func(g *config.Gate) *config.Value[string] { return &g.Primary }},
}

// addGateSettings gives c the flags of those settings, all of them where none is
// named.
func addGateSettings(c *cobra.Command, flags ...string) {
	for _, s := range gateSettings {
		if len(flags) == 0 || slices.Contains(flags, s.flag) {
			c.Flags().String(s.flag, "", s.usage)
		}
	}
}

// applyGateSettings lays the flags of c over g.
func applyGateSettings(c *cobra.Command, g *config.Gate) {
	for _, s := range gateSettings {
		if f := c.Flags().Lookup(s.flag); f != nil && f.Changed {
			v := s.of(g)
			*v = v.Flag(f.Value.String(), "--"+s.flag)
		}
	}
}

// ruleOf is the rule that the settings describe, presets aside.
func ruleOf(cfg config.Config) gate.Rule {
	g := cfg.Gate
	r := gate.DefaultRule()
	r.Name, r.Scope, r.Alpha, r.Margin, r.KSE = g.Rule.V, g.Scope.V, g.Alpha.V, g.Margin.V, g.KSE.V
	r.MinCoverage, r.MinCellCoverage = g.MinCoverage.V, g.MinCellCoverage.V
	r.TrialsAre, r.Tasks, r.MaxDetectableDrop = g.TrialsAre.V, g.Tasks.V, g.MaxDetectableDrop.V
	r.Level = cfg.Report.Confidence.V
	return r
}

// checkRule refuses a rule that cannot be read. The gate's words for its
// numbers are those of the flags.
func checkRule(r gate.Rule) error {
	if _, err := gate.Compare(record.SplitResult{}, record.SplitResult{}, r); err != nil {
		return fail(exitUsage, "--%s", strings.TrimPrefix(err.Error(), "gate: "))
	}
	return nil
}

// presetRules are the rules that a preset stands for, in the order in which they
// are asked until one accepts; without a preset it is the rule alone.
func presetRules(c *cobra.Command, cfg config.Config) ([]gate.Rule, error) {
	g, r := cfg.Gate, ruleOf(cfg)
	preset := g.Preset
	byFlag := func(name string) bool { return c.Flags().Changed(name) }
	switch {
	case byFlag("rule") && byFlag("preset"):
		return nil, fail(exitUsage, "found --rule and --preset, need one of them: a preset is a rule")
	case byFlag("alpha") && byFlag("preset"):
		return nil, fail(exitUsage, "found --alpha and --preset, need one of them: a preset says its alpha")
	case byFlag("rule"):
		preset.V = ""
	}
	var rules []gate.Rule
	switch preset.V {
	case "":
		if preset.Set && !byFlag("rule") {
			return nil, fail(exitUsage, `--preset: found "", need search or release`)
		}
		rules = []gate.Rule{r}
	case "search":
		r.Name = gate.RuleImprove
		r.Alpha = presetAlpha(g.Alpha, "0.20")
		rules = []gate.Rule{r}
	case "release":
		r.Name = gate.RuleImprove
		r.Alpha = presetAlpha(g.Alpha, "0.05")
		first := r
		first.Margin = "0" // the margin is that of non-inferior, and no least gain
		r.Name = gate.RuleNonInferior
		rules = []gate.Rule{first, r}
	default:
		return nil, fail(exitUsage, "%s: found %q, need search or release", preset.Origin, preset.V)
	}
	last := rules[len(rules)-1]
	if last.Name == gate.RuleNonInferior && !g.Margin.Set {
		return nil, fail(exitUsage, "non-inferior needs a margin, the drop that it excludes: --margin X, such as 0.05, or gate.margin in capeval.yaml")
	}
	for _, rule := range rules {
		if err := checkRule(rule); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// presetAlpha is the alpha of a preset, unless a flag says another beside a
// preset of capeval.yaml.
func presetAlpha(alpha config.Value[string], preset string) string {
	if alpha.Layer() == config.LayerFlag {
		return alpha.V
	}
	return preset
}
