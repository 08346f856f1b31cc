package matchers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/onsi/gomega/format"
)

// message words a failure: what was decided, what was expected, and what stands
// behind the decision.
func (j judged) message(words string) string {
	said := string(j.verdict)
	if len(j.suites) == 1 {
		said += ", " + clean(j.suites[0].Code)
	}
	return fmt.Sprintf("Expected the verdict on %s\n%s%s\n%s\n%s", j.subject(), format.Indent, said, words, j.behind())
}

func (j judged) subject() string {
	if len(j.suites) == 1 {
		return about(j.suites[0])
	}
	return plural(len(j.suites), "suite")
}

func about(d gate.Decision) string {
	return fmt.Sprintf("suite %s, split %s", clean(d.Suite), clean(string(d.Split)))
}

// behind says of each suite what was decided and on what it rests.
func (j judged) behind() string {
	var blocks []string
	for _, d := range j.suites {
		blocks = append(blocks, decisionLines(d))
	}
	return strings.Join(blocks, "\n")
}

func decisionLines(d gate.Decision) string {
	var lines []string
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, fmt.Sprintf("%s%-9s %s", format.Indent, label+":", text))
		}
	}
	add("verdict", fmt.Sprintf("%s, %s: %s", clean(string(d.Verdict)), clean(d.Code), lineOf(d.Message, 1000)))
	add("about", fmt.Sprintf("%s; rule %s, scope %s, alpha %s", about(d), clean(d.Rule), clean(d.Scope), clean(d.Alpha)))
	add("delta", deltaLine(d))
	if _, ok := d.PBetter.Value(); ok {
		add("p", fmt.Sprintf("better %s, worse %s, two-sided %s (exact)", shorten(d.PBetter), shorten(d.PWorse), shorten(d.PTwoSided)))
	}
	tasks := fmt.Sprintf("%d paired of %d declared", d.NPaired, d.NTasks)
	if _, ok := d.Coverage.Value(); ok {
		tasks += fmt.Sprintf(" (coverage %s); %d improved, %d regressed, %d unchanged", shorten(d.Coverage), len(d.Improved), len(d.Regressed), d.Unchanged)
	}
	add("tasks", tasks)
	if _, ok := d.CellCoverage.Baseline.Value(); ok {
		add("cells", fmt.Sprintf("valid %s of the baseline's, %s of the candidate's", shorten(d.CellCoverage.Baseline), shorten(d.CellCoverage.Candidate)))
	}
	add("worst", worstChanges(d))
	for _, g := range d.Guards {
		add("guard", fmt.Sprintf("%s: %s, changed by %s (%s..%s)", clean(g.Limit), clean(string(g.Verdict)), shorten(g.Change), shorten(g.CI.Low), shorten(g.CI.High)))
	}
	for _, w := range d.Warnings {
		add("warning", clean(w.Code)+": "+line(w.Message))
	}
	return strings.Join(lines, "\n")
}

func deltaLine(d gate.Decision) string {
	if _, ok := d.Delta.Value(); !ok {
		return ""
	}
	s := signed(d.Delta)
	if _, ok := d.CI.Low.Value(); ok {
		s += fmt.Sprintf(", %s%% interval %s..%s (%s)", short(100*d.CI.Level), signed(d.CI.Low), signed(d.CI.High), clean(d.CI.Method))
	}
	return s
}

// worstChanges lists the paired tasks that changed for the worse the most, or
// least for the better. One that is shown to have changed by itself has a mark.
func worstChanges(d gate.Decision) string {
	rows := slices.DeleteFunc(slices.Clone(d.PerTask), func(r gate.TaskDecision) bool { _, ok := r.Delta.Value(); return !ok })
	slices.SortStableFunc(rows, func(a, b gate.TaskDecision) int {
		x, _ := a.Delta.Value()
		y, _ := b.Delta.Value()
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Task, b.Task))
	})
	var parts []string
	for _, r := range rows[:min(len(rows), shownTasks)] {
		s := fmt.Sprintf("%s %s (%s to %s", clean(r.Task), signed(r.Delta), shorten(r.Baseline), shorten(r.Candidate))
		if r.Claimed {
			s += ", shown by itself"
		}
		parts = append(parts, s+")")
	}
	return strings.Join(parts, ", ")
}

// shorten prints a number with four digits, a dash when there is none.
func shorten(n number) string {
	v, ok := n.Value()
	if !ok {
		return "-"
	}
	return short(v)
}

// signed prints a difference with its sign.
func signed(n number) string {
	v, ok := n.Value()
	switch {
	case !ok:
		return "-"
	case v == 0:
		return "0"
	case v > 0:
		return "+" + short(v)
	}
	return "-" + short(-v)
}
