package gate

import (
	"fmt"
	"math"
	"strings"

	"github.com/capeval/capeval/stats"
)

// evidence is the delta with its interval, its p and what it rests on.
func (r *ruling) evidence(p stats.Estimate) string {
	d := r.d
	return fmt.Sprintf("%s (%g%% CI %s..%s), exact p=%s, %s", signed(d.Delta), 100*d.CI.Level, signed(d.CI.Low), signed(d.CI.High), small(p), r.tasks())
}

func (r *ruling) tasks() string {
	trials := 0
	for _, row := range r.d.PerTask {
		trials += row.NBaseline + row.NCandidate
	}
	return fmt.Sprintf("%s, %s", counted(r.d.NPaired, "paired task"), counted(trials, "trial"))
}

// claims lists the tasks that may be named as worse, worst first.
func (r *ruling) claims() string {
	var named []string
	for _, row := range r.d.PerTask {
		if v, ok := row.Delta.Value(); ok && v < 0 && row.Claimed {
			named = append(named, row.Task)
		}
	}
	if len(named) == 0 {
		return "; no single task can be named with certainty"
	}
	return "; certainly worse: " + list(named, 5)
}

// signed prints a difference with its sign, three decimals.
func signed(e stats.Estimate) string {
	v, ok := e.Value()
	if !ok {
		return "-"
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
