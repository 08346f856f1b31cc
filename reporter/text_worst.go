package reporter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/record"
)

// shownTasks is how many tasks a list of a suite's block names.
const shownTasks = 5

// wide is the width from which there is room for the tasks' standard errors.
const wide = 100

// The narrowest the columns of the worst tasks may become.
const (
	minMarks = 11
	minTask  = 16
	minWhy   = 16
)

// worst writes the tasks with the lowest rewards: every trial of theirs, and
// what was said about the lowest one.
func (t *text) worst(s Suite) error {
	if len(s.Worst) == 0 {
		if s.Result.NScored > 0 {
			t.item(faint, "worst tasks", "none: every scored task has reward 1")
		}
		return nil
	}
	const indent = "    "
	tasks := s.Worst[:min(len(s.Worst), shownTasks)]
	reward := column{name: "reward"}
	stderr := column{name: "stderr"}
	for _, task := range tasks {
		reward.cells = append(reward.cells, share(task.Reward, 3))
		stderr.cells = append(stderr.cells, spread(s.Result, share(task.Stderr, 3)))
	}
	cols := []column{reward}
	if t.width >= wide {
		cols = append(cols, stderr)
	}
	left := t.width - len(indent) - tableWidth(cols) - 3*len(gap)

	trials := column{name: "trials", left: true}
	for _, task := range tasks {
		trials.cells = append(trials.cells, marks(task, max(left/3, minMarks)))
	}
	left -= trials.width()

	id := column{name: "task", left: true}
	for _, task := range tasks {
		id.cells = append(id.cells, shortenMiddle(named(task.Task), max(left*2/5, minTask)))
	}
	left -= id.width()

	why := column{name: "why", left: true}
	for _, task := range tasks {
		why.cells = append(why.cells, shortenEnd(reason(task), max(left, minWhy)))
	}
	cols = append(cols, trials, id)
	if slices.ContainsFunc(why.cells, func(s string) bool { return s != "" }) {
		cols = append(cols, why)
	}
	title := fmt.Sprintf("%d of the %d with a reward below 1", len(tasks), len(s.Worst))
	if len(tasks) == len(s.Worst) {
		title = "all with a reward below 1"
	}
	if slices.ContainsFunc(tasks, func(task record.TaskResult) bool { return task.NValid < task.NTrials }) {
		title += " (" + missingMark + " is a missing trial, not a 0)"
	}
	t.item(faint, "worst tasks", title)
	return t.table(indent, cols)
}

// marks prints the rewards of a task's trials in order, in at most w columns.
func marks(task record.TaskResult, w int) string {
	var all []string
	for _, e := range task.TrialRewards {
		all = append(all, mark(e))
	}
	if s := strings.Join(all, " "); width(s) <= w {
		return s
	}
	for n := len(all) - 1; n > 0; n-- {
		if s := strings.Join(all[:n], " ") + " … +" + strconv.Itoa(len(all)-n); width(s) <= w {
			return s
		}
	}
	return "… " + strconv.Itoa(len(all))
}

// reason gives the cause and the feedback of the lowest of the task's scored
// trials that have any, of the first among equals.
func reason(task record.TaskResult) string {
	best, lowest := "", 0.0
	for i, e := range task.TrialRewards {
		v, ok := e.Value()
		if !ok || best != "" && v >= lowest {
			continue
		}
		var parts []string
		if i < len(task.Causes) && task.Causes[i] != "" {
			parts = append(parts, oneLine(string(task.Causes[i])))
		}
		if i < len(task.Feedback) {
			if f := oneLine(task.Feedback[i]); f != "" {
				parts = append(parts, f)
			}
		}
		if s := strings.Join(parts, ": "); s != "" {
			best, lowest = s, v
		}
	}
	return best
}
