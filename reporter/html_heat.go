package reporter

import (
	"fmt"
	"html/template"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter/internal/plot"
)

const (
	shownRows   = 40     // tasks that a heat map names
	shownTrials = 200    // trials of a task that a heat map draws
	shownCells  = 20_000 // cells that a heat map draws
)

// htmlHeat draws the trials of a result.
func htmlHeat(r record.SplitResult, order []record.TaskResult, id string) (*htmlFigure, error) {
	h := plot.Heat{Trials: "trial", Tasks: "task", Legend: [4]string{"reward 1", "between", "failed: 0", "missing: no measurement"}}
	trials := 1
	for _, t := range order {
		trials = max(trials, len(t.TrialRewards))
	}
	drawn := min(trials, shownTrials)
	tasks := order[:min(len(order), shownCells/drawn)]
	named := len(tasks) <= shownRows
	var one, zero, part, missing int
	for _, t := range tasks {
		row := make([]plot.Cell, drawn)
		for k := range row {
			if k >= len(t.TrialRewards) {
				row[k].Absent = true
				continue
			}
			v, ok := t.TrialRewards[k].Value()
			row[k] = plot.Cell{Value: v, Valid: ok}
			switch {
			case !ok:
				missing++
			case v == 0:
				zero++
			case v == 1:
				one++
			default:
				part++
			}
			if named && ok {
				row[k].Text = mark(t.TrialRewards[k])
			}
		}
		h.Rows = append(h.Rows, row)
		if named {
			h.Labels = append(h.Labels, htmlLabel(t.Task))
		}
	}
	what := fmt.Sprintf("%s tasks, up to %d trials each: %s trials with reward 1, %s between, %s failed with 0, %s missing.",
		count(float64(len(tasks))), drawn, count(float64(one)), count(float64(part)), count(float64(zero)), count(float64(missing)))
	caption := "Each row is a task, each cell a trial; lowest reward first."
	if !named {
		h.Trials, h.Tasks = "each column is a task, its first trial on top", "tasks"
		caption = "Each column is a task, each cell a trial, the first on top; lowest reward first, as in the table of all tasks."
	}
	if n := len(order) - len(tasks); n > 0 {
		caption += fmt.Sprintf(" %s tasks with higher rewards, or none, are not drawn.", count(float64(n)))
	}
	if drawn < trials {
		caption += fmt.Sprintf(" Trials from %d on are not drawn.", drawn)
	}
	h.Alt = plot.Alt{ID: id + "-heat", Title: "Trials of every task", Desc: what + " The table of all tasks has every value."}
	svg, err := h.SVG()
	if err != nil {
		return nil, err
	}
	return &htmlFigure{Label: "Trials of every task", SVG: template.HTML(svg), Caption: caption + " " + what}, nil
}

// htmlLabel is an id as the label of a row in a picture.
func htmlLabel(id string) string { return shortenMiddle(htmlName(id), 34) }
