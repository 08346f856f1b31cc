package gate

import (
	"fmt"
	"regexp"
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
