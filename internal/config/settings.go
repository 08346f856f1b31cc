package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Setting is one line of what a project is configured to do.
type Setting struct {
	Key    string // as in the file, such as run.trials
	Value  string // "-" when there is none
	Origin string
}

// Settings returns every setting with its origin, in the order of the file's
// documentation; suites, prices and guards by name.
func (c Config) Settings() []Setting {
	r, g, l := c.Run, c.Gate, c.Seal
	all := []Setting{
		row("run.trials", r.Trials), row("run.base_seed", r.BaseSeed), row("run.split", r.Split),
		row("run.arm", r.Arm), row("run.procs", r.Procs), row("run.workers", r.Workers),
		orNone(row("run.timeout", r.Timeout)), row("run.retry_missing", r.RetryMissing),
		orNone(row("run.budget_usd", r.BudgetUSD)), row("run.min_coverage", r.MinCoverage),
		row("run.pass_threshold", r.PassThreshold), row("run.out", r.Out),
		row("run.run_dir", r.RunDir), row("run.shard", r.Shard),
		row("gate.rule", g.Rule), row("gate.preset", g.Preset), row("gate.scope", g.Scope),
		row("gate.alpha", g.Alpha), row("gate.margin", g.Margin), row("gate.k_se", g.KSE),
		row("gate.min_coverage", g.MinCoverage), row("gate.min_cell_coverage", g.MinCellCoverage),
		row("gate.trials_are", g.TrialsAre), row("gate.tasks", g.Tasks),
		row("gate.max_detectable_drop", g.MaxDetectableDrop), row("gate.indecisive", g.Indecisive),
		row("gate.primary", g.Primary), row("gate.guards", g.Guards), row("gate.surface", g.Surface),
		row("candidate.dir", c.Candidate.Dir),
	}
	for _, name := range slices.Sorted(maps.Keys(c.Suites)) {
		if t := c.Suites[name].Trials; t.Set {
			all = append(all, row("suites."+name+".trials", t))
		}
	}
	all = append(all,
		row("seal.remote", l.Remote), row("seal.ref", l.Ref), row("seal.genesis", l.Genesis),
		row("seal.checkpoint", l.Checkpoint), orNone(row("seal.looks.max", l.MaxLooks)),
		row("seal.age_recipient", l.AgeRecipient), orNone(row("seal.finalize.trials", l.Finalize.Trials)),
		row("seal.finalize.baseline_ref", l.Finalize.BaselineRef), row("seal.finalize.rule", l.Finalize.Rule),
	)
	for _, model := range slices.Sorted(maps.Keys(c.Prices)) {
		p := c.Prices[model]
		all = append(all, row("prices."+model+".input", p.Input), row("prices."+model+".output", p.Output))
	}
	return append(all, row("report.confidence", c.Report.Confidence),
		row("report.comment_bytes", c.Report.CommentBytes), row("report.summary_bytes", c.Report.SummaryBytes))
}

func row[T any](key string, v Value[T]) Setting {
	text := fmt.Sprint(v.V)
	switch t := any(v.V).(type) {
	case []string:
		text = strings.Join(t, " ")
	case []Guard:
		var guards []string
		for _, g := range t {
			guards = append(guards, g.Metric+"<=+"+g.MaxIncrease)
		}
		text = strings.Join(guards, " ")
	case time.Duration:
		text = t.String()
	}
	if text == "" {
		text = "-"
	}
	return Setting{key, text, v.Origin}
}

// orNone shows a zero that means none as a dash.
func orNone(s Setting) Setting {
	if s.Value == "0" || s.Value == "0s" {
		s.Value = "-"
	}
	return s
}
