package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/capeval/capeval/gate"
)

// The judges of the worlds without a change, in order of their columns.
const (
	improve = iota
	noRegression
	pairedSE
	strict
	student
)

func nullJudges() []judge {
	return []judge{
		improve:      byRule("improve", gate.Improve()),
		noRegression: byRule("no-regression", gate.NoRegression()),
		pairedSE:     byRule("paired-se", gate.PairedSE("1")),
		strict:       byRule("strict", gate.Strict()),
		student:      byTest("Student t", studentAccepts),
	}
}

// taskCounts are the sizes of the suites without a change; each is drawn with
// every number of trials of trialCounts.
func taskCounts() []int { return []int{3, 5, 10, 20, 50} }

func trialCounts() []int { return []int{1, 3, 5} }

func nullWorlds() []world {
	var out []world
	for _, r := range []rates{polar(), middling()} {
		for _, n := range taskCounts() {
			for _, m := range trialCounts() {
				out = append(out, world{r, noChange(), n, m})
			}
		}
	}
	return out
}

func powerJudges() []judge {
	population := gate.Improve()
	population.Scope = gate.ScopePopulation
	return []judge{
		byRule("improve", gate.Improve()),
		byRule("sign-flip", population),
		byTest("Student t", studentAccepts),
		byTest("sign test", signAccepts),
		byRule("paired-se", gate.PairedSE("1")),
	}
}

func powerWorlds() []world {
	var out []world
	add := func(r rates, c change, trials int, tasks ...int) {
		for _, n := range tasks {
			out = append(out, world{r, c, n, trials})
		}
	}
	add(middling(), middling().gain("+.10", 0.10), 5, 3, 5, 10, 20, 50)
	add(polar(), polar().gain("+.10", 0.10), 5, 10, 20)
	add(middling(), middling().gain("+.20", 0.20), 5, 3, 5, 10, 20)
	add(middling(), middling().gain("+.20", 0.20), 1, 20, 50)
	add(polar(), repair(), 5, 5, 10, 20, 50)
	return out
}

// falseShares are the columns of the tables without a change: each share is of
// answers that are false, but for cannotSay.
type falseShares struct{ improve, noRegression, cannotSay, pairedSE, strict, student share }

func (m measured) falseShares() falseShares {
	t := m.tallies
	return falseShares{
		improve:      shareOf(t[improve].accepted, t[improve].of),
		noRegression: shareOf(t[noRegression].rejected, t[noRegression].of),
		cannotSay:    shareOf(t[improve].indecisive, t[improve].of),
		pairedSE:     shareOf(t[pairedSE].accepted, t[pairedSE].of),
		strict:       shareOf(t[strict].accepted, t[strict].of),
		student:      shareOf(t[student].accepted, t[student].of),
	}
}

func falseColumns() []string {
	return []string{"improve accepts", "no-regression blocks", "improve cannot say", "paired-se accepts", "strict accepts", "Student t accepts"}
}

func (f falseShares) cells() []string {
	return []string{f.improve.String(), f.noRegression.String(), f.cannotSay.String(), f.pairedSE.String(), f.strict.String(), f.student.String()}
}

// worst returns the largest of each share over the worlds with that many tasks.
func worst(ms []measured, tasks int) (w falseShares) {
	for _, m := range ms {
		if m.tasks == tasks {
			f := m.falseShares()
			w.improve.raise(f.improve)
			w.noRegression.raise(f.noRegression)
			w.cannotSay.raise(f.cannotSay)
			w.pairedSE.raise(f.pairedSE)
			w.strict.raise(f.strict)
			w.student.raise(f.student)
		}
	}
	return w
}

func (s *share) raise(other share) {
	if other.value > s.value {
		*s = other
	}
}

func (s share) String() string {
	return strings.ReplaceAll(fmt.Sprintf("%.4f +-%.4f", s.value, s.se), "0.", ".")
}

func printNull(w io.Writer, ms []measured) {
	fmt.Fprintln(w, "No change: false accepts and false blocks (alpha .05)")
	rows := [][]string{append([]string{"rates", "tasks", "trials"}, falseColumns()...)}
	for _, m := range ms {
		rows = append(rows, append([]string{m.rates.name, fmt.Sprint(m.tasks), fmt.Sprint(m.trials)}, m.falseShares().cells()...))
	}
	printRows(w, rows)
}

func printWorst(w io.Writer, ms []measured) {
	fmt.Fprintln(w, "\nNo change: the worst over rates and trials, by number of tasks")
	rows := [][]string{append([]string{"tasks"}, falseColumns()...)}
	for _, n := range taskCounts() {
		rows = append(rows, append([]string{fmt.Sprint(n)}, worst(ms, n).cells()...))
	}
	printRows(w, rows)
}

func printPower(w io.Writer, judges []judge, ms []measured) {
	fmt.Fprintln(w, "\nThe candidate is better: accepted (paired-se and Student t do not hold alpha)")
	rows := [][]string{{"rates", "change", "tasks", "trials"}}
	for _, j := range judges {
		rows[0] = append(rows[0], j.name)
	}
	for _, m := range ms {
		row := []string{m.rates.name, m.change.name, fmt.Sprint(m.tasks), fmt.Sprint(m.trials)}
		for _, t := range m.tallies {
			row = append(row, shareOf(t.accepted, t.of).String())
		}
		rows = append(rows, row)
	}
	printRows(w, rows)
}

// printRows aligns the columns.
func printRows(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
