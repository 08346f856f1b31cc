package cli

import (
	"slices"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

// arm is one side of a comparison: the suites that were measured under one name.
type arm struct {
	path   string
	suites []measured // sorted by suite and split, one of each
}

// measured is one suite of an arm.
type measured struct {
	result  record.SplitResult
	metrics gate.Metrics // of the trials; nil where there is a result.json alone
}

func (a arm) results() []record.SplitResult {
	var rs []record.SplitResult
	for _, m := range a.suites {
		rs = append(rs, m.result)
	}
	return rs
}

// named returns the results under the name of the side that they are on: files
// of both sides may give their arm one name.
func (a arm) named(name string) []record.SplitResult {
	rs := a.results()
	for i := range rs {
		rs[i].Arm = name
	}
	return rs
}

// metrics returns what the trials of a suite recorded; ok is false where the
// trials are not at hand.
func (a arm) metrics(suite string, split record.Split) (m gate.Metrics, ok bool) {
	for _, s := range a.suites {
		if s.result.Suite == suite && s.result.Split == split {
			return s.metrics, s.metrics != nil
		}
	}
	return nil, false
}

// armQuery says which records of a path are wanted.
type armQuery struct {
	suite string // "" wants every suite
	arm   string // "" is enough where there is one
	flag  string // the flag that names the arm, for messages; "" where there is none
}

// read reads an arm from a run directory, the folder of a suite, a folder that
// --save-baseline wrote, a result.json or a file of trials; - is standard input.
// An arm without the suite that is wanted is empty.
func (q armQuery) read(std IO, path string) (arm, error) {
	sources, err := sourcesOf(std, path)
	if err != nil {
		return arm{}, err
	}
	if sources, err = q.choose(sources, path); err != nil {
		return arm{}, err
	}
	a := arm{path: path}
	for _, s := range sources {
		m, err := s.load()
		if err != nil {
			return arm{}, err
		}
		a.suites = append(a.suites, m)
	}
	return a, nil
}

// choose leaves the wanted suite and arm, sorted, and refuses what is two
// things.
func (q armQuery) choose(sources []source, path string) ([]source, error) {
	var left []source
	var arms []string
	for _, s := range sources {
		if q.suite != "" && s.key.Suite != q.suite {
			continue
		}
		if !slices.Contains(arms, s.key.Arm) {
			arms = append(arms, s.key.Arm)
		}
		if q.arm == "" || s.key.Arm == q.arm {
			left = append(left, s)
		}
	}
	slices.Sort(arms)
	switch {
	case q.arm != "" && len(left) == 0 && len(arms) > 0:
		return nil, fail(exitUsage, "%s: found %q, need one of %s, which %s holds", q.flag, q.arm, strings.Join(arms, ", "), path)
	case q.arm == "" && len(arms) > 1 && q.flag == "":
		return nil, fail(exitUsage, "%s holds the arms %s, need one: put each into a file of its own", path, strings.Join(arms, ", "))
	case q.arm == "" && len(arms) > 1:
		return nil, fail(exitUsage, "%s holds the arms %s, need one: %s NAME", path, strings.Join(arms, ", "), q.flag)
	}
	slices.SortFunc(left, func(a, b source) int { return strings.Compare(a.key.String(), b.key.String()) })
	for i := 1; i < len(left); i++ {
		if left[i].key == left[i-1].key {
			return nil, fail(exitUsage, "%s holds suite %q, split %s, twice (%s and %s), need one of each", path, left[i].key.Suite, left[i].key.Split, left[i-1].path, left[i].path)
		}
	}
	return left, nil
}

// metricSeconds is the metric that every trial with a duration has.
const metricSeconds = "seconds"

// metricsOf gathers what the valid trials recorded besides their rewards. The
// values of a task are sorted, so that their sum does not depend on the order of
// the rows. A duration of 0 was not measured.
func metricsOf(trials []record.Trial) (gate.Metrics, error) {
	counted, err := record.Collapse(trials)
	if err != nil {
		return nil, err
	}
	m := gate.Metrics{}
	add := func(metric, task string, v float64) {
		if m[metric] == nil {
			m[metric] = map[string][]float64{}
		}
		m[metric][task] = append(m[metric][task], v)
	}
	for _, t := range counted {
		if t.Status != record.Scored {
			continue
		}
		for metric, v := range t.Metrics {
			add(metric, t.Task, v)
		}
		if _, own := t.Metrics[metricSeconds]; !own && t.Seconds > 0 {
			add(metricSeconds, t.Task, t.Seconds)
		}
	}
	for _, tasks := range m {
		for _, values := range tasks {
			slices.Sort(values)
		}
	}
	return m, nil
}
