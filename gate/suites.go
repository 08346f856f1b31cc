package gate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// VerdictSchema names the form of a verdict.
const VerdictSchema = "capeval.verdict/v1"

// Verdict is the decision on every suite of a run, sorted by suite and split,
// and what they come to: any rejected, else any indecisive, else accepted.
type Verdict struct {
	Schema  string     `json:"schema"`
	Verdict Outcome    `json:"verdict"`
	Suites  []Decision `json:"suites"`
}

// Exit returns the exit code of the whole. Several at once: 5, 4, 6, 1, 3.
func (v Verdict) Exit() int {
	worst := 0
	rank := func(code int) int { return slices.Index([]int{0, 3, 1, 6, 4, 5}, code) }
	for _, d := range v.Suites {
		if code := Exit(d.Verdict, d.Code); rank(code) > rank(worst) {
			worst = code
		}
	}
	if len(v.Suites) == 0 {
		return 3
	}
	return worst
}

// DecideAll judges several suites. Where primary names one, the rule applies to
// it and the others run no-regression; otherwise the rule applies to each, and
// p-values are corrected by Holm's method for their number. A suite that one arm
// lacks is indecisive. Two results of one suite and split in an arm are an
// error.
func DecideAll(baseline, candidate []record.SplitResult, rule Rule, primary string) (Verdict, error) {
	pairs, lone, err := suitePairs(baseline, candidate)
	if err != nil {
		return Verdict{}, err
	}
	if primary != "" && !slices.ContainsFunc(pairs, func(p [2]record.SplitResult) bool { return p[0].Suite == primary }) {
		return Verdict{}, fmt.Errorf("gate: the primary suite %q is not in both arms", primary)
	}
	v := Verdict{Schema: VerdictSchema, Suites: lone}
	rules := make([]Rule, len(pairs))
	var corrected []int // the suites that are corrected together
	for i, p := range pairs {
		rules[i] = rule
		if primary != "" && p[0].Suite != primary {
			rules[i].Name, rules[i].Margin = RuleNoRegression, "0"
		}
		if primary == "" || p[0].Suite != primary {
			corrected = append(corrected, i)
		}
	}
	factors, err := holmFactors(pairs, rules, corrected)
	if err != nil {
		return Verdict{}, err
	}
	for i, p := range pairs {
		d, err := decide(p[0], p[1], rules[i], false, factors[i])
		if err != nil {
			return Verdict{}, err
		}
		v.Suites = append(v.Suites, d)
	}
	v.Settle()
	return v, nil
}

// Settle sorts the suites and draws the whole from them.
func (v *Verdict) Settle() {
	slices.SortFunc(v.Suites, func(a, b Decision) int { return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Split, b.Split)) })
	v.Verdict = Accepted
	if len(v.Suites) == 0 {
		v.Verdict = Indecisive
	}
	for _, d := range v.Suites {
		switch {
		case d.Verdict == Rejected:
			v.Verdict = Rejected
		case d.Verdict == Indecisive && v.Verdict == Accepted:
			v.Verdict = Indecisive
		}
	}
}

type suiteKey struct {
	suite string
	split record.Split
}

// suitePairs lays the arms' suites side by side. lone holds the decisions on
// suites that one arm lacks.
func suitePairs(baseline, candidate []record.SplitResult) (pairs [][2]record.SplitResult, lone []Decision, err error) {
	index := func(arm string, rs []record.SplitResult) (map[suiteKey]record.SplitResult, error) {
		m := map[suiteKey]record.SplitResult{}
		for _, r := range rs {
			k := suiteKey{r.Suite, r.Split}
			if _, twice := m[k]; twice {
				return nil, fmt.Errorf("gate: the %s holds suite %q, split %s, twice: need one result of each", arm, r.Suite, r.Split)
			}
			m[k] = r
		}
		return m, nil
	}
	b, err := index("baseline", baseline)
	if err != nil {
		return nil, nil, err
	}
	c, err := index("candidate", candidate)
	if err != nil {
		return nil, nil, err
	}
	if len(baseline) == 1 && len(candidate) == 1 { // one of each is meant to be compared, and a guard says if it cannot
		return [][2]record.SplitResult{{baseline[0], candidate[0]}}, nil, nil
	}
	for _, r := range baseline {
		k := suiteKey{r.Suite, r.Split}
		if other, ok := c[k]; ok {
			pairs = append(pairs, [2]record.SplitResult{r, other})
		} else {
			lone = append(lone, missing(r, "candidate"))
		}
	}
	for _, r := range candidate {
		if _, ok := b[suiteKey{r.Suite, r.Split}]; !ok {
			lone = append(lone, missing(r, "baseline"))
		}
	}
	return pairs, lone, nil
}

func missing(r record.SplitResult, arm string) Decision {
	t := terms{Rule: DefaultRule()}
	d := t.blank(arms{candidate: r})
	d.Verdict, d.Code = Indecisive, CodeMissingSuite
	d.Message = fmt.Sprintf("the %s has no result of suite %q, split %s: measure it in both arms", arm, r.Suite, r.Split)
	return d
}

// holmFactors returns what each suite's p-values are multiplied by: Holm's
// adjusted p over the raw one, for the suites that are corrected together.
func holmFactors(pairs [][2]record.SplitResult, rules []Rule, corrected []int) ([]float64, error) {
	factors := make([]float64, len(pairs))
	for i := range factors {
		factors[i] = 1
	}
	if len(corrected) < 2 {
		return factors, nil
	}
	ps := make([]stats.Estimate, len(corrected))
	for k, i := range corrected {
		d, err := decide(pairs[i][0], pairs[i][1], rules[i], false, 1)
		if err != nil {
			return nil, err
		}
		ps[k] = d.PBetter
		if d.Rule == RuleNoRegression || d.Rule == RuleNonInferior {
			ps[k] = d.PWorse
		}
	}
	for k, adjusted := range stats.Holm(ps) {
		a, ok := adjusted.Value()
		p, _ := ps[k].Value()
		if ok && p > 0 {
			factors[corrected[k]] = max(1, a/p)
		}
	}
	return factors, nil
}
