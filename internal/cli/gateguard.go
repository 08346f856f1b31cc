package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/record"
)

// limit is a limit on a metric, and who asked for it.
type limit struct {
	gate.Limit
	origin string
}

// limitsOf lays the guards of flags over those of capeval.yaml: one of a flag
// replaces the file's of the same metric.
func limitsOf(file []config.Guard, flags []string) ([]limit, error) {
	var given []limit
	for _, text := range flags {
		l, err := gate.ParseLimit(text)
		if err != nil {
			return nil, fail(exitUsage, "--guard: %s", strings.TrimPrefix(err.Error(), "gate: guard "))
		}
		if slices.ContainsFunc(given, func(o limit) bool { return o.Metric == l.Metric }) {
			return nil, fail(exitUsage, "--guard: found a second guard of %q, need one a metric", l.Metric)
		}
		given = append(given, limit{l, "--guard"})
	}
	var all []limit
	for _, g := range file {
		if slices.ContainsFunc(given, func(o limit) bool { return o.Metric == g.Metric }) {
			continue
		}
		most, percent := strings.CutSuffix(g.MaxIncrease, "%")
		all = append(all, limit{gate.Limit{Metric: g.Metric, Max: most, Percent: percent}, g.Origin})
	}
	return append(all, given...), nil
}

// warnNoMetric is the code of the warning that a guard has nothing to go by.
const warnNoMetric = "no_metric"

// limited applies the limits to the decision on one suite, unless a guard
// stopped it before. A limit that nothing can be said about is an error: a
// mistyped name must not pass for ever.
func limited(d gate.Decision, limits []limit, baseline, candidate arm) (gate.Decision, error) {
	if len(limits) == 0 || gate.Guarded(d.Code) {
		return d, nil
	}
	b, okB := baseline.metrics(d.Suite, d.Split)
	c, okC := candidate.metrics(d.Suite, d.Split)
	for _, side := range []struct {
		name, path string
		ok         bool
	}{{"baseline", baseline.path, okB}, {"candidate", candidate.path, okC}} {
		if !side.ok {
			return d, fail(exitUsage, "%s: guard %s: the %s %s is a result.json, which has no metrics of single trials, need a run directory or a file of trials",
				limits[0].origin, limits[0], side.name, side.path)
		}
	}
	var plain []gate.Limit
	for _, l := range limits {
		inB, inC := len(b[l.Metric]) > 0, len(c[l.Metric]) > 0
		switch {
		case !inB && !inC:
			return d, fail(exitUsage, "%s: guard %s: no valid trial of suite %s recorded %s, recorded are: %s",
				l.origin, l, d.Suite, l.Metric, recorded(b, c))
		case !inB || !inC:
			side := "baseline"
			if inB {
				side = "candidate"
			}
			d.Warnings = append(d.Warnings, record.Warning{Code: warnNoMetric,
				Message: fmt.Sprintf("no valid trial of the %s recorded %s, so guard %s cannot tell", side, l.Metric, l)})
		}
		plain = append(plain, l.Limit)
	}
	d, err := d.Limited(plain, b, c)
	return d, withCode(exitUsage, err)
}

// recorded names the metrics that either arm has.
func recorded(b, c gate.Metrics) string {
	names := slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, m := range []gate.Metrics{b, c} {
			for name := range maps.Keys(m) {
				if !yield(name) {
					return
				}
			}
		}
	}))
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
