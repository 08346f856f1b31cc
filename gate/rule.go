package gate

import (
	"fmt"
	"slices"

	"github.com/capeval/capeval/stats"
)

// The names of the rules.
const (
	RuleImprove      = "improve"
	RuleNoRegression = "no-regression"
	RuleNonInferior  = "non-inferior"
	RulePairedSE     = "paired-se"
	RuleSignificant  = "significant"
	RuleThreshold    = "threshold"
	RuleStrict       = "strict"
	RuleSimplicity   = "simplicity-tiebreak"
)

// RuleNames lists every rule.
func RuleNames() []string {
	return []string{RuleImprove, RuleNoRegression, RuleNonInferior, RulePairedSE, RuleSignificant, RuleThreshold, RuleStrict, RuleSimplicity}
}

// The scopes. Suite asks about these tasks, population about tasks like them.
const (
	ScopeSuite      = "suite"
	ScopePopulation = "population"
)

// Rule says how two arms are compared. Decimals are strings so that they stay
// exact. Start from one of the functions that return one.
type Rule struct {
	Name  string
	Scope string // suite or population
	Alpha string // chance of a false claim, one-sided, in (0, 1)
	// Margin is in [0, 1]. It is the least gain that improve accepts, the drop
	// that no-regression lets pass, and the drop that non-inferior must exclude,
	// which needs one above 0. For threshold it is the gain to exceed.
	Margin string
	KSE    string // standard errors that paired-se and significant ask for, at least 0

	MinCoverage     string // paired / declared tasks, in [0, 1]; "0" asks for nothing
	MinCellCoverage string // valid / declared cells of either arm, in [0, 1]; "0" asks for nothing
	TrialsAre       string // auto, or independent: never suspect copies
	Tasks           string // common: pair what both have; equal: refuse different sets
	// MaxDetectableDrop makes no-regression indecisive when the run could have
	// missed a drop of this size more often than one time in five; "" asks for
	// nothing.
	MaxDetectableDrop string

	Level float64 // of intervals, in (0, 1)
	Exact bool    // compute p once more in big rationals

	// CandidateSize and BaselineSize, in bytes, break an exact tie of
	// simplicity-tiebreak; both or neither.
	CandidateSize, BaselineSize *int64
}

// DefaultRule is no-regression in suite scope at 0.05.
func DefaultRule() Rule {
	return Rule{
		Name: RuleNoRegression, Scope: ScopeSuite, Alpha: "0.05", Margin: "0", KSE: "1",
		MinCoverage: "0.6", MinCellCoverage: "0.5", TrialsAre: "auto", Tasks: "common", Level: 0.95,
	}
}

// NoRegression rejects a candidate that is shown to be worse.
func NoRegression() Rule { return DefaultRule() }

// Improve accepts a candidate that is shown to be better.
func Improve() Rule { return named(RuleImprove) }

// NonInferior accepts a candidate that is shown not to be worse by margin, a
// decimal above 0, or more.
func NonInferior(margin string) Rule {
	r := named(RuleNonInferior)
	r.Margin = margin
	return r
}

// PairedSE accepts a mean gain above k standard errors of the paired deltas. It
// is a compatibility rule: with k = 1 it accepts about one in six changes that
// change nothing.
func PairedSE(k string) Rule {
	r := named(RulePairedSE)
	r.KSE = k
	return r
}

// Strict accepts any gain, however small. It is a compatibility rule.
func Strict() Rule { return named(RuleStrict) }

func named(name string) Rule {
	r := DefaultRule()
	r.Name = name
	return r
}

// terms are a rule's numbers, read once.
type terms struct {
	Rule
	alpha, margin, kse, minCoverage, minCells stats.Exact
	maxDrop                                   stats.Exact // undefined when none is asked for
	alphaF                                    float64
	family                                    family
}

// read checks a rule. Its error says what was found and what is needed.
func (r Rule) read() (terms, error) {
	t := terms{Rule: r}
	if !slices.Contains(RuleNames(), r.Name) {
		return t, fmt.Errorf("gate: rule %q: need one of %v", r.Name, RuleNames())
	}
	choices := []struct {
		what, found string
		need        []string
	}{
		{"scope", r.Scope, []string{ScopeSuite, ScopePopulation}},
		{"trials-are", r.TrialsAre, []string{"auto", "independent"}},
		{"tasks", r.Tasks, []string{"common", "equal"}},
	}
	for _, c := range choices {
		if !slices.Contains(c.need, c.found) {
			return t, fmt.Errorf("gate: %s %q: need one of %v", c.what, c.found, c.need)
		}
	}
	if !(r.Level > 0 && r.Level < 1) {
		return t, fmt.Errorf("gate: level %v: need a number between 0 and 1", r.Level)
	}
	var err error
	number := func(what, text string, low, high string, openLow, openHigh bool) stats.Exact {
		if err != nil {
			return stats.Exact{}
		}
		x, e := decimal(what, text, low, high, openLow, openHigh)
		err = e
		return x
	}
	t.alpha = number("alpha", r.Alpha, "0", "1", true, true)
	if r.Name == RuleNonInferior && (r.Margin == "" || r.Margin == "0") {
		return t, fmt.Errorf("gate: margin %q: non-inferior needs the drop that it must exclude, a decimal above 0 such as 0.05", r.Margin)
	}
	t.margin = number("margin", r.Margin, "0", "1", r.Name == RuleNonInferior, false)
	t.kse = number("k-se", r.KSE, "0", "1000000", false, false)
	t.minCoverage = number("min-coverage", r.MinCoverage, "0", "1", false, false)
	t.minCells = number("min-cell-coverage", r.MinCellCoverage, "0", "1", false, false)
	if r.MaxDetectableDrop != "" {
		t.maxDrop = number("max-detectable-drop", r.MaxDetectableDrop, "0", "1", true, false)
	}
	for _, size := range []*int64{r.CandidateSize, r.BaselineSize} {
		if err == nil && size != nil && *size < 0 {
			err = fmt.Errorf("gate: size %d: need a number of bytes, at least 0", *size)
		}
	}
	if err == nil && (r.CandidateSize == nil) != (r.BaselineSize == nil) {
		err = fmt.Errorf("gate: one size is given: simplicity-tiebreak needs the candidate's and the baseline's")
	}
	t.alphaF, _ = t.alpha.Estimate().Value()
	t.family.level = t.alphaF
	return t, err
}

func decimal(what, text, low, high string, openLow, openHigh bool) (stats.Exact, error) {
	x, err := stats.ParseDecimal(text)
	if err != nil {
		return x, fmt.Errorf("gate: %s %.80q: need a finite decimal such as 0.05", what, text)
	}
	l, _ := stats.ParseDecimal(low)
	h, _ := stats.ParseDecimal(high)
	below := !x.AtLeast(l) || openLow && !x.Above(l)
	above := !h.AtLeast(x) || openHigh && !h.Above(x)
	if below || above {
		from, to := "at least "+low, " and at most "+high
		if openLow {
			from = "above " + low
		}
		if openHigh {
			to = " and below " + high
		}
		return x, fmt.Errorf("gate: %s %s: need a number %s%s", what, text, from, to)
	}
	return x, nil
}
