package cli

import (
	"cmp"
	"math"
	"slices"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

const aaSchema = "capeval.aa/v1"

// aaDoc is what aa says, as JSON.
type aaDoc struct {
	Schema      string    `json:"schema"`
	Runs        []string  `json:"runs"`
	Suites      []aaSuite `json:"suites"`
	MarginGiven bool      `json:"-"`
}

// aaSuite is one suite in all runs that hold it.
type aaSuite struct {
	Suite       string       `json:"suite"`
	Split       record.Split `json:"split"`
	Rules       []aaRule     `json:"rules"`
	Noise       aaNoise      `json:"noise"`
	Tasks       []aaTask     `json:"tasks"` // the largest spread first
	Pairs       []aaPair     `json:"pairs"` // each run with each, in both directions
	NotCompared []aaStop     `json:"not_compared"`
}

// aaRule counts the verdicts of one rule.
type aaRule struct {
	Rule        string         `json:"rule"`
	Alpha       string         `json:"alpha"`
	Pairs       int            `json:"pairs"` // that were compared
	Accepted    int            `json:"accepted"`
	Rejected    int            `json:"rejected"`
	Indecisive  int            `json:"indecisive"`
	FalseAlarms int            `json:"false_alarms"`
	Rate        stats.Estimate `json:"rate"`
}

// aaNoise is how far apart runs of one agent lie.
type aaNoise struct {
	MeanDelta stats.Estimate `json:"mean_abs_delta"`
	MaxDelta  stats.Estimate `json:"max_abs_delta"`
}

// aaTask is one task in all runs.
type aaTask struct {
	Task   string         `json:"task"`
	Low    stats.Estimate `json:"low"` // rewards in single runs
	High   stats.Estimate `json:"high"`
	Spread stats.Estimate `json:"spread"`
}

// aaPair is one comparison: what each rule said.
type aaPair struct {
	Baseline  string                  `json:"baseline"`
	Candidate string                  `json:"candidate"`
	Delta     stats.Estimate          `json:"delta"`
	Verdicts  map[string]gate.Outcome `json:"verdicts"`
}

// aaStop is a comparison that a guard stopped.
type aaStop struct {
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	Code      string `json:"code"`
	Message   string `json:"message"`
}

// compareAlike compares each run with each, suite by suite.
func compareAlike(arms []arm, rules []gate.Rule) (aaDoc, error) {
	doc := aaDoc{Schema: aaSchema, Runs: []string{}, Suites: []aaSuite{}}
	type key struct {
		suite string
		split record.Split
	}
	var keys []key
	for _, a := range arms {
		doc.Runs = append(doc.Runs, a.path)
		for _, m := range a.suites {
			if k := (key{m.result.Suite, m.result.Split}); !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.suite, b.suite), cmp.Compare(a.split, b.split)) })
	for _, k := range keys {
		s := aaSuite{Suite: k.suite, Split: k.split, Rules: []aaRule{}, Tasks: []aaTask{}, Pairs: []aaPair{}, NotCompared: []aaStop{}}
		for _, r := range rules {
			s.Rules = append(s.Rules, aaRule{Rule: r.Name, Alpha: r.Alpha})
		}
		var names []string
		var results []record.SplitResult
		for _, a := range arms {
			for _, m := range a.suites {
				if m.result.Suite == k.suite && m.result.Split == k.split {
					names, results = append(names, a.path), append(results, m.result)
				}
			}
		}
		if err := s.compare(names, results, rules); err != nil {
			return doc, err
		}
		doc.Suites = append(doc.Suites, s)
	}
	return doc, nil
}

// compare fills in a suite.
func (s *aaSuite) compare(names []string, results []record.SplitResult, rules []gate.Rule) error {
	var deltas []float64
	spreads := map[string]float64{}
	for i, b := range results {
		for j, c := range results {
			if i == j {
				continue
			}
			pair := aaPair{Baseline: names[i], Candidate: names[j], Verdicts: map[string]gate.Outcome{}}
			stopped := false
			for k, rule := range rules {
				d, err := gate.Decide(b, c, rule)
				if err != nil {
					return withCode(exitUsage, err)
				}
				if gate.Guarded(d.Code) {
					if !stopped {
						s.NotCompared = append(s.NotCompared, aaStop{names[i], names[j], d.Code, d.Message})
					}
					stopped = true
					continue
				}
				pair.Delta = d.Delta
				pair.Verdicts[rule.Name] = d.Verdict
				s.Rules[k].count(d.Verdict)
				for _, t := range d.PerTask {
					if v, ok := t.Delta.Value(); ok {
						spreads[t.Task] = max(spreads[t.Task], v)
					}
				}
			}
			s.Pairs = append(s.Pairs, pair)
			if v, ok := pair.Delta.Value(); ok && i < j { // the other direction is the mirror image
				deltas = append(deltas, math.Abs(v))
			}
		}
	}
	for k := range s.Rules {
		s.Rules[k].settle()
	}
	if len(deltas) > 0 {
		s.Noise = aaNoise{stats.Mean(deltas), stats.Defined(slices.Max(deltas))}
	}
	s.tasks(results, spreads)
	return nil
}

// tasks lists the tasks that some pair compared, the largest spread first.
func (s *aaSuite) tasks(results []record.SplitResult, spreads map[string]float64) {
	for id, spread := range spreads {
		low, high := math.Inf(1), math.Inf(-1)
		for _, r := range results {
			for _, t := range r.PerTask {
				if v, ok := t.Reward.Value(); ok && t.Task == id {
					low, high = min(low, v), max(high, v)
				}
			}
		}
		s.Tasks = append(s.Tasks, aaTask{id, stats.Defined(low), stats.Defined(high), stats.Defined(spread)})
	}
	slices.SortFunc(s.Tasks, func(a, b aaTask) int {
		x, _ := a.Spread.Value()
		y, _ := b.Spread.Value()
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Task, b.Task))
	})
}

func (r *aaRule) count(o gate.Outcome) {
	r.Pairs++
	switch o {
	case gate.Accepted:
		r.Accepted++
	case gate.Rejected:
		r.Rejected++
	default:
		r.Indecisive++
	}
}

// settle counts what was claimed where nothing changed. The rules that ask for a
// regression claim by rejecting.
func (r *aaRule) settle() {
	r.FalseAlarms = r.Accepted
	if r.Rule == gate.RuleNoRegression || r.Rule == gate.RuleNonInferior {
		r.FalseAlarms = r.Rejected
	}
	if r.Pairs > 0 {
		r.Rate = stats.Defined(float64(r.FalseAlarms) / float64(r.Pairs))
	}
}
