package evaltest

import (
	"fmt"
	"sort"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/record"
)

// registry holds every task of the tree being built. Each building starts an
// empty one, so that it is complete and the same in every process.
type registry struct {
	tasks    []*task
	cells    map[record.Cell]*cell // of the run's split, those that were built
	order    []*cell               // in order of declaration
	problems []problem
	scopes   []scope // the containers open right now, outermost first

	focusedSealed int // sealed tasks that a programmatic focus was put on
}

// task is one declaration.
type task struct {
	id        string
	split     record.Split
	trials    int
	limit     time.Duration // the agent's
	harness   time.Duration // SpecTimeout, NodeTimeout: ours
	grace     time.Duration
	cluster   string
	digest    string
	coarse    bool
	location  types.CodeLocation
	row       string               // file:line of a JSONL task
	labels    []string             // as declared around and on it, for matching a filter
	texts     []string             // of its containers and itself
	locations []types.CodeLocation // of its containers, itself and its specs
	pending   bool

	panicIsFailure bool
	stages         stages
}

// cell is one trial of a task, built as one spec.
type cell struct {
	task    *task
	index   int
	attempt int

	ahead *ahead // the rollout, where it is a stage of its own
	trial *Trial // set when the spec begins

	admission admission // by the finalize job, in a sealed run
}

func (c *cell) key() record.Cell { return record.Cell{Task: c.task.id, Trial: c.index} }

// problem is a reason to refuse the run before its first trial.
type problem struct {
	code string
	exit int
	text string
}

func (r *registry) refuse(exit int, code string, at types.CodeLocation, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if at.FileName != "" {
		text = place(at) + ": " + text
	}
	r.problems = append(r.problems, problem{code: code, exit: exit, text: text})
}

// of returns the tasks of a split, sorted by id.
func (r *registry) of(split record.Split) []*task {
	var out []*task
	for _, t := range r.tasks {
		if t.split == split {
			out = append(out, t)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].id < out[j].id })
	return out
}

// sealed counts the tasks of the test split that were not built.
func (r *registry) sealed() int {
	if here.sealed.open() {
		return 0
	}
	return len(r.of(record.Test))
}
