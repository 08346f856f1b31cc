package gate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/capeval/capeval/record"
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
// it and the others run no-regression; otherwise the rule applies to each. The
// suites that run one rule together are corrected by Holm's method for their
// number, the bounds of non-inferior too; the compatibility rules correct
// nothing. A suite that one arm lacks is indecisive. Two results of one suite and
// split in an arm are an error.
func DecideAll(baseline, candidate []record.SplitResult, rule Rule, primary string) (Verdict, error) {
	if _, err := rule.read(); err != nil {
		return Verdict{}, err
	}
	pairs, lone, err := suitePairs(baseline, candidate, rule)
	if err != nil {
		return Verdict{}, err
	}
	if primary != "" && !slices.ContainsFunc(pairs, func(p [2]record.SplitResult) bool { return p[0].Suite == primary }) {
		return Verdict{}, fmt.Errorf("gate: the primary suite %q is not in both arms", primary)
	}
	members := make([]member, len(pairs))
	var main, rest []*member
	for i, p := range pairs {
		r := rule
		other := primary != "" && p[0].Suite != primary
		if other {
			r.Name, r.Margin = RuleNoRegression, "0"
		}
		if members[i], err = newMember(p, r); err != nil {
			return Verdict{}, err
		}
		if other {
			rest = append(rest, &members[i])
		} else {
			main = append(main, &members[i])
		}
	}
	correct(main)
	correct(rest)
	v := Verdict{Schema: VerdictSchema, Suites: lone}
	for _, m := range members {
		d, err := m.decide()
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
		v.Suites, v.Verdict = []Decision{}, Indecisive
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
func suitePairs(baseline, candidate []record.SplitResult, rule Rule) (pairs [][2]record.SplitResult, lone []Decision, err error) {
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
			lone = append(lone, missing(r, "candidate", rule))
		}
	}
	for _, r := range candidate {
		if _, ok := b[suiteKey{r.Suite, r.Split}]; !ok {
			lone = append(lone, missing(r, "baseline", rule))
		}
	}
	return pairs, lone, nil
}

// missing is the decision on a suite that one arm lacks. What is wrong with the
// result itself comes first.
func missing(r record.SplitResult, lacking string, rule Rule) Decision {
	t := terms{Rule: rule}
	a, has := pairUp(r, record.SplitResult{}), "baseline"
	if lacking == "baseline" {
		a, has = pairUp(record.SplitResult{}, r), "candidate"
	}
	d := t.blank(a)
	d.Suite, d.Split = r.Suite, r.Split
	d.Verdict, d.Code = Indecisive, CodeMissingSuite
	d.Message = fmt.Sprintf("the %s has no result of suite %q, split %s: measure it in both arms", lacking, r.Suite, r.Split)
	if s := ungateable(false, arm{has, r}); s != nil {
		d.Code, d.Message = s.code, s.message
	}
	return d
}
