package reporter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

// changes adds the tasks that changed, the largest drop first.
func (m *markdown) changes(s SuiteDecision) {
	cols := []column{{name: "task", left: true}, {name: "change"}, {name: "baseline"}, {name: "candidate"}, {name: "trials"}, {name: "p"}, {name: "by itself", left: true}}
	for _, r := range s.Changed[:min(len(s.Changed), m.most)] {
		shown := "not shown"
		if v, _ := r.Delta.Value(); r.Claimed && v < 0 {
			shown = "worse"
		} else if r.Claimed {
			shown = "better"
		}
		row(cols, []string{
			idCell(r.Task), difference(r.Delta), share(r.Baseline, 3), share(r.Candidate, 3),
			fmt.Sprintf("%d:%d", r.NBaseline, r.NCandidate), chance(r.P), shown,
		})
	}
	d := s.Decision
	m.table("### "+markdownText(place(d.Suite, string(d.Split)))+": "+tallyTasks(d), len(s.Changed), 12, cols...)
}

// tallyTasks counts how the paired tasks of a comparison came out.
func tallyTasks(d gate.Decision) string {
	return fmt.Sprintf("%d regressed, %d improved, %d unchanged", len(d.Regressed), len(d.Improved), d.Unchanged)
}

// unpaired adds tasks that no number rests on. What is missing did not fail.
func (m *markdown) unpaired(s SuiteDecision) {
	cols := []column{{name: "task", left: true}, {name: "why it is in no number", left: true}, {name: "baseline"}, {name: "candidate"}}
	reward := func(why string, n number, trials int) string {
		if trials == 0 && strings.HasPrefix(why, "missing") {
			return "missing"
		}
		return share(n, 3)
	}
	why := whyUnpaired(s.Decision)
	for _, r := range s.Unpaired[:min(len(s.Unpaired), m.most)] {
		w := why(r)
		row(cols, []string{idCell(r.Task), w, reward(w, r.Baseline, r.NBaseline), reward(w, r.Candidate, r.NCandidate)})
	}
	d := s.Decision
	m.table(fmt.Sprintf("### %s: %d not paired", markdownText(place(d.Suite, string(d.Split))), len(s.Unpaired)), len(s.Unpaired), 6, cols...)
}

// rewards adds every task of a result: the lowest rewards first, then what has no
// measurement, then what is as good as can be.
func (m *markdown) rewards(s Suite) {
	cols := []column{{name: "task", left: true}, {name: "reward"}, {name: "stderr"}, {name: "valid"}, {name: "trials", left: true}, {name: "why", left: true}}
	add := func(t record.TaskResult, reward, why string) {
		row(cols, []string{
			idCell(t.Task), reward, spread(s.Result, share(t.Stderr, 3)),
			ratio(t.NValid, t.NTrials), firstMarks(t), textCell(why),
		})
	}
	room := m.most
	take := func(ts []record.TaskResult) []record.TaskResult {
		ts = ts[:min(len(ts), room)]
		room -= len(ts)
		return ts
	}
	for _, t := range take(s.Worst) {
		add(t, share(t.Reward, 3), reason(t))
	}
	for _, t := range take(s.Unscored) {
		add(t, "missing", missingWhy(t))
	}
	var perfect []record.TaskResult
	for _, t := range s.Result.PerTask {
		if v, ok := t.Reward.Value(); ok && !(v < 1) {
			perfect = append(perfect, t)
		}
	}
	for _, t := range take(perfect) {
		add(t, share(t.Reward, 3), reason(t))
	}
	n := len(s.Result.PerTask)
	m.folded(fmt.Sprintf("Rewards of %s, tasks: %d (%s is a missing trial, not a 0)", htmlText(placeOf(s)), n, missingMark), n, cols...)
}

// maxMarkdownMarks is how many trials of a task a row shows.
const maxMarkdownMarks = 20

// firstMarks prints the rewards of a task's first trials in order.
func firstMarks(t record.TaskResult) string {
	var all []string
	for _, e := range t.TrialRewards[:min(len(t.TrialRewards), maxMarkdownMarks)] {
		all = append(all, mark(e))
	}
	if more := len(t.TrialRewards) - len(all); more > 0 {
		all = append(all, "… +"+strconv.Itoa(more))
	}
	return angles.Replace(strings.Join(all, " "))
}

// missingWhy says what became of the trials of a task that has no measurement.
func missingWhy(t record.TaskResult) string {
	counts := map[record.Cause]int{}
	var seen []record.Cause
	for _, c := range t.Causes {
		if c == "" {
			continue
		}
		if counts[c]++; counts[c] == 1 {
			seen = append(seen, c)
		}
	}
	var list []CauseCount
	for _, c := range seen {
		list = append(list, CauseCount{Cause: c, N: counts[c]})
	}
	return "missing" + causeList(": ", list)
}
