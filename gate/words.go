package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/capeval/capeval/stats"
)

// evidence is the delta with its interval, its p beside those of the others, and
// what it rests on.
func (r *ruling) evidence(p stats.Estimate, others []stats.Estimate) string {
	d := r.d
	text := small(p)
	if len(others) > 0 {
		text += fmt.Sprintf(" (%s corrected for %d suites)", small(adjusted(p, others)), len(others)+1)
	}
	return fmt.Sprintf("%s (%s CI %s..%s), exact p=%s, %s", signed(d.Delta), level(d.CI.Level), signed(d.CI.Low), signed(d.CI.High), text, r.tasks())
}

// level prints a level of confidence: 0.95 as 95%.
func level(v float64) string { return fmt.Sprintf("%.4g%%", 100*v) }

func (r *ruling) tasks() string {
	trials := 0
	for _, row := range r.d.PerTask {
		trials += row.NBaseline + row.NCandidate
	}
	return fmt.Sprintf("%s, %s", counted(r.d.NPaired, "paired task"), counted(trials, "trial"))
}

// claims lists the tasks that may be named as worse, worst first.
func (r *ruling) claims() string {
	var named []TaskDecision
	for _, row := range r.d.PerTask {
		if v, ok := row.Delta.Value(); ok && v < 0 && row.Claimed {
			named = append(named, row)
		}
	}
	if len(named) == 0 {
		return "; no single task is shown to be worse by itself"
	}
	slices.SortStableFunc(named, func(a, b TaskDecision) int {
		x, _ := a.Delta.Value()
		y, _ := b.Delta.Value()
		return cmp.Compare(x, y)
	})
	ids := make([]string, len(named))
	for i, row := range named {
		ids[i] = row.Task
	}
	return "; shown to be worse by themselves: " + list(ids, 5)
}

// signed prints a difference with its sign, three decimals. Only 0 prints as 0
// without a sign.
func signed(e stats.Estimate) string {
	v, ok := e.Value()
	switch {
	case !ok:
		return "-"
	case v == 0:
		return "0"
	}
	return fmt.Sprintf("%+.3f", v)
}

func number(e stats.Estimate) string { return e.Format(3) }

// small prints a p-value with two figures that count.
func small(e stats.Estimate) string {
	v, ok := e.Value()
	switch {
	case !ok:
		return "-"
	case v >= 0.0995:
		return fmt.Sprintf("%.2f", v)
	case v >= 0.001:
		return fmt.Sprintf("%.2g", v)
	}
	return fmt.Sprintf("%.1e", v)
}

func percent(e stats.Exact) string {
	v, ok := e.Estimate().Value()
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*v)
}

func oneIn(alpha float64) string { return fmt.Sprintf("%.0f", math.Round(1/alpha)) }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// list names the first few of many.
func list(ids []string, most int) string {
	if len(ids) == 0 {
		return "none"
	}
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
