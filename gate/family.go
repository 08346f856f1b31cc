package gate

import (
	"slices"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// family holds what the correction for several suites needs to know of the other
// suites that are judged together with one. The zero value, but for level, is no
// correction.
type family struct {
	better, worse []stats.Estimate // the others' p-values, an entry each that has one
	level         float64          // of the bound that non-inferior looks at
}

// adjusted returns p as Holm's method corrects it beside the others. It answers
// for any p, also for the smallest one that could have been reached.
func adjusted(p stats.Estimate, others []stats.Estimate) stats.Estimate {
	return stats.Holm(append(slices.Clone(others), p))[len(others)]
}

// size is the number of suites that are corrected together.
func (f family) size() int { return 1 + len(f.better) }

// member is one suite of a family and what was measured on it.
type member struct {
	terms
	arms
	d    Decision
	c    *stats.Comparison // nil where the two may not be compared
	test bool              // no guard fired, so that it is tested at all
}

func newMember(pair [2]record.SplitResult, rule Rule) (member, error) {
	t, err := rule.read()
	if err != nil {
		return member{}, err
	}
	m := member{terms: t, arms: pairUp(pair[0], pair[1])}
	if s := t.refuse(m.arms, false); s != nil {
		m.d = t.blank(m.arms).stopped(s)
		return m, nil
	}
	m.d, m.c = t.numbers(m.arms)
	m.test = t.thin(m.arms, &m.d, m.c) == nil
	return m, nil
}

// decide judges the member beside the others, from the numbers that it has.
func (m member) decide() (Decision, error) {
	if m.c == nil {
		return m.d, nil
	}
	return m.judge(m.arms, m.d, m.c)
}

// correct tells each member what the others found. A suite that is not tested
// can make no false claim and does not count.
func correct(members []*member) {
	for i, m := range members {
		for k, other := range members {
			if k != i && other.test {
				m.family.better = append(m.family.better, other.d.PBetter)
				m.family.worse = append(m.family.worse, other.d.PWorse)
			}
		}
	}
	if level, ok := stepDown(members); ok {
		for _, m := range members {
			m.family.level = level
		}
	}
}

// stepDown is Holm's method for bounds instead of p-values: the level at which
// each member's bound is compared with its margin. The more members pass, the
// fewer are left to correct for.
func stepDown(members []*member) (level float64, ok bool) {
	var tested []*member
	for _, m := range members {
		if m.test && m.Name == RuleNonInferior {
			tested = append(tested, m)
		}
	}
	if len(tested) == 0 {
		return 0, false
	}
	for passed := 0; ; {
		level = tested[0].alphaF / float64(len(tested)-passed)
		now := 0
		for _, m := range tested {
			if m.excludes(m.lower(m.c, level)) {
				now++
			}
		}
		if now <= passed || now == len(tested) {
			return level, true
		}
		passed = now
	}
}

// lower is the lower bound of the delta in the rule's scope.
func (t terms) lower(c *stats.Comparison, level float64) stats.Estimate {
	if t.Scope == ScopePopulation {
		return c.PopulationLower(level)
	}
	return c.SuiteLower(level)
}

// excludes reports whether a lower bound lies above the margin's drop.
func (t terms) excludes(lower stats.Estimate) bool {
	low, ok := lower.Value()
	margin, _ := t.margin.Estimate().Value()
	return ok && low > -margin
}
