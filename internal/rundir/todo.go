package rundir

import (
	"errors"
	"fmt"

	"github.com/capeval/capeval/record"
)

// TodoSchema names the form of todo.json.
const TodoSchema = "capeval.todo/v1"

// Pending is a cell that a further pass is to run, and the number of the
// attempt that it makes.
type Pending struct {
	record.Cell
	Attempt int `json:"attempt"` // counts from 1
}

// Todo returns the cells of the plan that are still to run, in the order of the
// plan: those that never started and those whose last attempt was interrupted;
// with retry also every other cell that is missing. A scored cell is never run
// again. The list is empty when nothing is left to do.
func (d Dir) Todo(retry bool) ([]Pending, error) {
	run, err := d.ReadRun()
	if err != nil {
		return nil, err
	}
	trials, starts, err := d.ReadJournal()
	if err != nil {
		return nil, err
	}
	type state struct {
		last   int // the highest attempt
		scored bool
		cause  record.Cause // of the highest attempt
	}
	cells := map[record.Cell]state{}
	for i := range starts {
		if a := ofStart(&starts[i]); a.number > cells[a.Cell].last {
			cells[a.Cell] = state{last: a.number, cause: record.CauseInterrupted}
		}
	}
	for i := range trials {
		t := &trials[i]
		a := ofTrial(t)
		c := cells[a.Cell]
		if a.number >= c.last {
			c.last, c.cause = a.number, t.Cause
		}
		c.scored = c.scored || t.Status == record.Scored
		cells[a.Cell] = c
	}
	todo := []Pending{}
	for _, cell := range selected(run) {
		c := cells[cell]
		again := c.last == 0 || c.cause == record.CauseInterrupted || c.cause == record.CauseNotStarted || retry
		if again && !c.scored {
			todo = append(todo, Pending{cell, c.last + 1})
		}
	}
	return todo, nil
}

// todoFile is todo.json.
type todoFile struct {
	Schema string    `json:"schema"`
	Cells  []Pending `json:"cells"`
}

// WriteTodo writes todo.json: the next pass constructs these cells and no
// others. Finish and Reset remove it.
func (d Dir) WriteTodo(cells []Pending) error {
	return d.writeJSON("todo.json", todoFile{TodoSchema, append([]Pending{}, cells...)})
}

// ReadTodo reads todo.json. When there is none, ok is false: the pass is to run
// the whole plan.
func (d Dir) ReadTodo() (cells []Pending, ok bool, err error) {
	var f todoFile
	if ok, err = d.readJSON("todo.json", &f); err != nil || !ok {
		return nil, false, err
	}
	if f.Schema != TodoSchema {
		return nil, false, fmt.Errorf("%s: found schema %q, need %q", d.file("todo.json"), f.Schema, TodoSchema)
	}
	for _, c := range f.Cells {
		if c.Task == "" || c.Trial < 0 || c.Attempt < 1 {
			err := errors.New("need a task, a trial from 0 and an attempt from 1")
			return nil, false, fmt.Errorf("%s: found task %q, trial %d, attempt %d: %w", d.file("todo.json"), c.Task, c.Trial, c.Attempt, err)
		}
	}
	return f.Cells, true, nil
}
