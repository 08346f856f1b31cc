package config

import (
	"github.com/goccy/go-yaml/ast"
)

// parse reads the content of a capeval.yaml over the defaults. name is how
// errors call the file.
func parse(name string, data []byte) (Config, error) {
	c := Defaults()
	s := &source{name: name}
	root := s.document(data)
	if len(s.errs) == 0 && s.version(root) {
		s.config(root, &c)
	}
	if err := s.err(); err != nil {
		return Defaults(), err
	}
	return c, nil
}

// version checks the one required key first: a file of another version may
// hold keys that this one does not know.
func (s *source) version(root ast.Node) bool {
	if m, ok := root.(*ast.MappingNode); ok {
		for _, v := range m.Values {
			if key, _, ok := keyOf(v.Key); ok && key == "version" {
				k := count(1, 1)
				k.need = "1: it is the only version that this capeval reads"
				_, ok := scalar(s, v.Value, "version", k)
				return ok
			}
		}
	} else if root != nil {
		s.object(root, "")
		return false
	}
	s.failf(position(root), "found no key version, need version: 1")
	return false
}

func (s *source) config(root ast.Node, c *Config) {
	o := s.object(root, "", "version", "run", "gate", "candidate", "suites", "seal", "prices", "report")
	s.run(o.get("run"), &c.Run)
	s.gate(o.get("gate"), &c.Gate)
	candidate := s.object(o.get("candidate"), "candidate", "dir")
	set(candidate, "candidate", "dir", pathKind(), &c.Candidate.Dir)
	s.suites(o.get("suites"), c.Suites)
	s.seal(o.get("seal"), &c.Seal)
	s.prices(o.get("prices"), c.Prices)
	s.report(o.get("report"), &c.Report)
}

func (s *source) run(n ast.Node, r *Run) {
	o := s.object(n, "run", "trials", "base_seed", "split", "arm", "procs", "workers", "timeout",
		"retry_missing", "budget_usd", "min_coverage", "pass_threshold", "out")
	set(o, "run", "trials", trialsKind(), &r.Trials)
	set(o, "run", "base_seed", seedKind(), &r.BaseSeed)
	set(o, "run", "split", splitKind(), &r.Split)
	set(o, "run", "arm", armKind(), &r.Arm)
	set(o, "run", "procs", procsKind(), &r.Procs)
	set(o, "run", "workers", workersKind(), &r.Workers)
	set(o, "run", "timeout", duration(), &r.Timeout)
	set(o, "run", "retry_missing", retryKind(), &r.RetryMissing)
	set(o, "run", "budget_usd", budgetKind(), &r.BudgetUSD)
	set(o, "run", "min_coverage", coverageKind(), &r.MinCoverage)
	set(o, "run", "pass_threshold", thresholdKind(), &r.PassThreshold)
	set(o, "run", "out", pathKind(), &r.Out)
}

func (s *source) gate(n ast.Node, g *Gate) {
	o := s.object(n, "gate", "rule", "preset", "scope", "alpha", "margin", "k_se", "min_coverage",
		"min_cell_coverage", "trials_are", "tasks", "max_detectable_drop", "indecisive", "primary",
		"guards", "surface")
	set(o, "gate", "rule", ruleKind(), &g.Rule)
	set(o, "gate", "preset", presetKind(), &g.Preset)
	set(o, "gate", "scope", oneOf("suite", "population"), &g.Scope)
	set(o, "gate", "alpha", alphaKind(), &g.Alpha)
	set(o, "gate", "margin", unitDecimal(), &g.Margin)
	set(o, "gate", "k_se", kseKind(), &g.KSE)
	set(o, "gate", "min_coverage", unitDecimal(), &g.MinCoverage)
	set(o, "gate", "min_cell_coverage", unitDecimal(), &g.MinCellCoverage)
	set(o, "gate", "trials_are", oneOf("auto", "independent"), &g.TrialsAre)
	set(o, "gate", "tasks", oneOf("common", "equal"), &g.Tasks)
	set(o, "gate", "max_detectable_drop", dropKind(), &g.MaxDetectableDrop)
	set(o, "gate", "indecisive", oneOf("fail", "pass"), &g.Indecisive)
	set(o, "gate", "primary", text("the name of a suite"), &g.Primary)
	if g.Rule.Set && g.Preset.Set {
		s.failf(o.at["preset"].pos, "found gate.preset beside gate.rule, need one of them")
	}
	if n := o.get("guards"); n != nil {
		g.Guards = g.Guards.Over(s.guards(n), LayerFile, s.origin(n))
	}
	if n := o.get("surface"); n != nil {
		g.Surface = g.Surface.Over(s.surface(n), LayerFile, s.origin(n))
	}
}

func (s *source) guards(n ast.Node) []Guard {
	var guards []Guard
	seen := map[string]bool{}
	for _, item := range s.list(n, "gate.guards") {
		const path = "gate.guards[]"
		o := s.object(item, path, "metric", "max_increase")
		g := Guard{Origin: s.origin(item)}
		g.Metric = required(o, path, "metric", text("the name of a metric, such as cost_usd"))
		g.MaxIncrease = required(o, path, "max_increase", increaseKind())
		if g.Metric != "" && seen[g.Metric] {
			s.failf(position(o.get("metric")), "found a second guard of %s, need one a metric", shown(g.Metric))
		}
		seen[g.Metric] = true
		guards = append(guards, g)
	}
	return guards
}

// required reads a key that has no default.
func required[T any](o object, path, key string, k kind[T]) T {
	var none T
	n := o.get(key)
	if n == nil {
		o.s.failf(o.pos, "found no key %s in %s, need %s", key, path, k.need)
		return none
	}
	v, _ := scalar(o.s, n, join(path, key), k)
	return v
}

func (s *source) surface(n ast.Node) []string {
	globs := []string{}
	for _, item := range s.list(n, "gate.surface") {
		if g, ok := scalar(s, item, "gate.surface[]", glob()); ok {
			globs = append(globs, g)
		}
	}
	return globs
}

func (s *source) suites(n ast.Node, suites map[string]Suite) {
	all := s.object(n, "suites")
	for _, name := range all.keys {
		path := join("suites", name)
		suite := Suite{Trials: Default(1)}
		o := s.object(all.get(name), path, "trials")
		set(o, path, "trials", trialsKind(), &suite.Trials)
		suites[name] = suite
	}
}

func (s *source) seal(n ast.Node, l *Seal) {
	o := s.object(n, "seal", "remote", "ref", "genesis", "checkpoint", "looks", "age_recipient", "finalize")
	set(o, "seal", "remote", text("the name or URL of a git remote"), &l.Remote)
	set(o, "seal", "ref", refKind(), &l.Ref)
	set(o, "seal", "genesis", genesisKind(), &l.Genesis)
	set(o, "seal", "checkpoint", pathKind(), &l.Checkpoint)
	set(o, "seal", "age_recipient", ageKind(), &l.AgeRecipient)
	looks := s.object(o.get("looks"), "seal.looks", "max")
	set(looks, "seal.looks", "max", count(0, 1_000_000), &l.MaxLooks)
	f := s.object(o.get("finalize"), "seal.finalize", "trials", "baseline_ref", "rule")
	set(f, "seal.finalize", "trials", trialsKind(), &l.Finalize.Trials)
	set(f, "seal.finalize", "baseline_ref", text("a git ref or commit"), &l.Finalize.BaselineRef)
	set(f, "seal.finalize", "rule", ruleKind(), &l.Finalize.Rule)
}

// prices reads both prices of a model or none: a price that is left out is not
// a price of 0.
func (s *source) prices(n ast.Node, prices map[string]Price) {
	all := s.object(n, "prices")
	for _, model := range all.keys {
		path := join("prices", model)
		o := s.object(all.at[model].value, path, "input", "output")
		p := Price{Default(0.0), Default(0.0)}
		set(o, path, "input", priceKind(), &p.Input)
		set(o, path, "output", priceKind(), &p.Output)
		for _, key := range []string{"input", "output"} {
			if o.get(key) == nil {
				s.failf(all.at[model].pos, "found no key %s in %s, need %s", key, path, priceKind().need)
			}
		}
		prices[model] = p
	}
}

func (s *source) report(n ast.Node, r *Report) {
	o := s.object(n, "report", "confidence", "comment_bytes", "summary_bytes")
	set(o, "report", "confidence", confidenceKind(), &r.Confidence)
	// The upper bounds are those of GitHub: beyond them it drops the whole text.
	set(o, "report", "comment_bytes", count(1_000, 65_535), &r.CommentBytes)
	set(o, "report", "summary_bytes", count(1_000, 1_048_575), &r.SummaryBytes)
}
