package gate

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/capeval/capeval/stats"
)

// Limit bounds how a metric may change from baseline to candidate.
type Limit struct {
	Metric string
	Max    string // a decimal: the largest relative (Percent) or absolute increase
	// Percent says that Max is in percent of the baseline.
	Percent bool
	// Falls turns it around: the metric should be high, and Max bounds its fall.
	Falls bool
}

var limitForm = regexp.MustCompile(`^\s*([A-Za-z0-9_.-]+)\s*(<=|>=)\s*([+-])(\d+(?:\.\d+)?)(%?)\s*$`)

// ParseLimit reads an expression such as "cost_usd<=+10%" (may rise by a tenth)
// or "tokens>=-50" (may fall by 50).
func ParseLimit(text string) (Limit, error) {
	m := limitForm.FindStringSubmatch(text)
	if m == nil || (m[2] == "<=") != (m[3] == "+") {
		return Limit{}, fmt.Errorf("gate: guard %q: need METRIC<=+X or METRIC<=+X%% for one that may rise, METRIC>=-X or METRIC>=-X%% for one that may fall", text)
	}
	return Limit{Metric: m[1], Max: m[4], Percent: m[5] == "%", Falls: m[2] == ">="}, nil
}

// String returns the expression that ParseLimit reads.
func (l Limit) String() string {
	op, unit := "<=+", ""
	if l.Falls {
		op = ">=-"
	}
	if l.Percent {
		unit = "%"
	}
	return l.Metric + op + l.Max + unit
}

func (l Limit) check() error {
	if strings.TrimSpace(l.Metric) == "" {
		return fmt.Errorf("gate: a guard without a metric: need a name such as cost_usd")
	}
	if _, err := decimal("guard "+l.Metric, l.Max, "0", "1000000000", false, false); err != nil {
		return err
	}
	return nil
}

// LimitResult is what a guard on a metric found. Change and its interval are
// relative to the baseline where the limit is in percent.
type LimitResult struct {
	Metric    string         `json:"metric"`
	Baseline  stats.Estimate `json:"baseline"`
	Candidate stats.Estimate `json:"candidate"`
	Change    stats.Estimate `json:"change"`
	CI        LimitInterval  `json:"ci"`
	Limit     string         `json:"limit"`
	Verdict   Outcome        `json:"verdict"`
}

// LimitInterval is the interval of a metric's change.
type LimitInterval struct {
	Level float64        `json:"level"`
	Low   stats.Estimate `json:"low"`
	High  stats.Estimate `json:"high"`
}

// Metrics are what the valid trials of one arm recorded besides their rewards:
// metric, then task, then the values of its trials. They come from the records,
// since a result.json holds totals alone.
type Metrics map[string]map[string][]float64

// Limited applies limits on metrics to a decision that was not stopped by a
// guard: one whose interval lies wholly beyond its limit rejects, one that
// straddles its limit cannot tell and changes nothing. No verdict comes from a
// point estimate. The error is a limit that cannot be read.
func (d Decision) Limited(limits []Limit, baseline, candidate Metrics) (Decision, error) {
	for _, l := range limits {
		if err := l.check(); err != nil {
			return d, err
		}
		d.Guards = append(d.Guards, l.apply(d, baseline[l.Metric], candidate[l.Metric]))
	}
	if Guarded(d.Code) {
		return d, nil
	}
	var beyond []string
	for i, g := range d.Guards[len(d.Guards)-len(limits):] {
		if g.Verdict == Rejected {
			beyond = append(beyond, fmt.Sprintf("%s changed by %s (%s CI %s..%s), wholly beyond its limit %s",
				g.Metric, limits[i].show(g.Change), level(g.CI.Level), limits[i].show(g.CI.Low), limits[i].show(g.CI.High), g.Limit))
		}
	}
	if len(beyond) > 0 {
		d.Verdict, d.Code = Rejected, CodeGuard
		d.Message = strings.Join(beyond, "; ") + "; apart from that: " + d.Message
	}
	return d, nil
}

func (l Limit) apply(d Decision, baseline, candidate map[string][]float64) LimitResult {
	g := LimitResult{Metric: l.Metric, Limit: l.String(), Verdict: Indecisive, CI: LimitInterval{Level: d.CI.Level}}
	var b, c []float64
	for _, task := range slices.Sorted(maps.Keys(baseline)) {
		if x, y := baseline[task], candidate[task]; len(x) > 0 && len(y) > 0 {
			b, c = append(b, average(x)), append(c, average(y))
		}
	}
	change := stats.MetricChange(b, c, d.CI.Level, l.Percent)
	if len(b) > 0 {
		g.Baseline, g.Candidate = stats.Defined(average(b)), stats.Defined(average(c))
	}
	g.Change, g.CI.Low, g.CI.High = change.Change, change.Low, change.High
	low, ok := change.Low.Value()
	if !ok {
		return g
	}
	high, _ := change.High.Value()
	limit := l.limit()
	if l.Falls {
		low, high, limit = -high, -low, -limit
	}
	touch := limit + float64(tolerance*l.scale(g)) // a rise of exactly the limit is within it
	switch {
	case low > touch:
		g.Verdict = Rejected
	case high <= touch:
		g.Verdict = Accepted
	}
	return g
}

// tolerance is the relative amount that rounding may carry a change beyond its
// limit.
const tolerance = 1e-9

// scale is the size of the numbers that the change was computed from.
func (l Limit) scale(g LimitResult) float64 {
	if l.Percent {
		return 1
	}
	b, _ := g.Baseline.Value()
	c, _ := g.Candidate.Value()
	return max(math.Abs(b), math.Abs(c))
}

// limit is the bound on the change, negative for a metric that may fall.
func (l Limit) limit() float64 {
	x, _ := stats.ParseDecimal(l.Max)
	v, _ := x.Estimate().Value()
	if l.Percent {
		v /= 100
	}
	if l.Falls {
		v = -v
	}
	return v
}

func (l Limit) show(e stats.Estimate) string {
	v, ok := e.Value()
	if !ok {
		return "-"
	}
	if l.Percent {
		return fmt.Sprintf("%+.1f%%", 100*v)
	}
	return fmt.Sprintf("%+.4g", v)
}

// average adds in one order, whatever the order of the trials was.
func average(xs []float64) float64 {
	sum := 0.0
	for _, x := range slices.Sorted(slices.Values(xs)) {
		sum += x
	}
	return sum / float64(len(xs))
}
