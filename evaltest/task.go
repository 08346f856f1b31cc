package evaltest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/record"
)

// defaultGrace is how long a body may go on after its context ended before it
// is left behind.
const defaultGrace = 2 * time.Second

// stages is what a trial runs: a body, or a rollout and its scoring.
type stages struct {
	body    func(ginkgo.SpecContext, *Trial)
	rollout func(context.Context, *Trial) (any, error)
	score   func(ginkgo.SpecContext, *Trial, any)
}

// Task declares a task: one Ginkgo spec a trial, each with its own seed and its
// own hooks. It may stand at the top level of a file or inside a container. The
// arguments are decorators, Ginkgo's included, and one body, in any order; the
// body is a func(SpecContext, *Trial), func(context.Context, *Trial) or
// func(*Trial).
//
// A body that returns has reward 1 unless it called [Trial.Score]; a failed
// expectation is reward 0; [Trial.Missing] says that nothing was measured.
//
// A task needs a split (Train, Val or Test), its own or that of a container.
// Ids are unique within the suite. What is wrong with a declaration is reported
// before the first trial, and nothing runs.
func Task(id string, args ...any) bool {
	at := location(args)
	own, rest := take(args, true)
	var bodies []any
	var decorators []any
	for _, arg := range rest {
		if isBody(arg) {
			bodies = append(bodies, arg)
		} else if _, ok := arg.(ginkgo.Offset); !ok {
			decorators = append(decorators, arg)
		}
	}
	var st stages
	var wrong string
	if len(bodies) != 1 {
		wrong = fmt.Sprintf("task %q has %d bodies, need one", id, len(bodies))
	} else if st.body = asBody(bodies[0]); st.body == nil {
		wrong = fmt.Sprintf("the body of task %q is a %T, need a non-nil func(SpecContext, *Trial)", id, bodies[0])
	}
	return declare(id, own, decorators, st, at, wrong)
}

// RolloutTask declares a task in two stages. The rollout runs the agent and
// returns what it did; it may run ahead on workers, so it sees nothing of the
// hooks and must not use Ginkgo's functions (Expect is fine). The score stage
// runs in the spec, serially and in order, with hooks; there a panic or
// [Trial.Missing] is the scorer's fault. The numbers are those of a serial run.
//
// An error of the rollout makes the trial missing with cause runner, or with the
// cause that the error names (see [RateLimited]). The output is kept in the
// rollout file and digested unless the stages call [Trial.Output] themselves.
func RolloutTask[O any](id string, rollout func(context.Context, *Trial) (O, error), score func(ginkgo.SpecContext, *Trial, O), args ...any) bool {
	at := location(args)
	own, rest := take(args, true)
	var decorators []any
	var wrong string
	for _, arg := range rest {
		if isBody(arg) {
			wrong = fmt.Sprintf("rollout task %q has a third function among its decorators", id)
		} else if _, ok := arg.(ginkgo.Offset); !ok {
			decorators = append(decorators, arg)
		}
	}
	if rollout == nil || score == nil {
		wrong = fmt.Sprintf("rollout task %q has a nil stage, need a rollout and a score function", id)
	}
	st := stages{
		rollout: func(ctx context.Context, t *Trial) (any, error) { return rollout(ctx, t) },
		score: func(ctx ginkgo.SpecContext, t *Trial, out any) {
			o, _ := out.(O)
			score(ctx, t, o)
		},
	}
	return declare(id, own, decorators, st, at, wrong)
}

// location is the user's line, moved up by an Offset among args.
func location(args []any) types.CodeLocation {
	skip := 2
	for _, arg := range args {
		switch v := arg.(type) {
		case ginkgo.Offset:
			skip += int(v)
		case types.CodeLocation:
			return v
		}
	}
	return types.NewCodeLocation(skip)
}

func asBody(f any) func(ginkgo.SpecContext, *Trial) {
	if reflect.ValueOf(f).IsNil() {
		return nil
	}
	switch f := f.(type) {
	case func(ginkgo.SpecContext, *Trial):
		return f
	case func(context.Context, *Trial):
		return func(ctx ginkgo.SpecContext, t *Trial) { f(ctx, t) }
	case func(*Trial):
		return func(_ ginkgo.SpecContext, t *Trial) { f(t) }
	}
	return nil
}

// declare makes the task's container, whose closure registers the task and
// builds its specs while the tree is constructed.
func declare(id string, own scope, decorators []any, st stages, at types.CodeLocation, wrong string) bool {
	text := id
	if strings.TrimSpace(text) == "" {
		text = "(a task without an id)" // refused in check
	}
	labels := ginkgo.Label("capeval", taskLabel(id))
	args := make([]any, 0, len(decorators)+4)
	var onSpec []any // what Ginkgo takes on a spec only
	for _, d := range decorators {
		switch d.(type) {
		case ginkgo.PollProgressAfter, ginkgo.PollProgressInterval:
			onSpec = append(onSpec, d)
		default:
			args = append(args, d)
		}
	}
	args = append(args, at, labels)
	for _, split := range own.splits {
		args = append(args, ginkgo.Label(splitLabel(split)))
	}
	args = append(args, func() { here.reg.add(id, own, onSpec, st, at, wrong) })
	return ginkgo.Describe(text, args...)
}

// add registers one task and builds the specs of its cells, where this process
// may run them.
func (r *registry) add(id string, own scope, onSpec []any, st stages, at types.CodeLocation, wrong string) {
	// The innermost open container is the task's own, which holds nothing of ours.
	s := own.within(r.scopes[:len(r.scopes)-1])
	if wrong != "" {
		r.refuse(exitUsage, "bad_task", at, "%s", wrong)
		return
	}
	if !r.check(id, s, at) {
		return
	}
	set := &here.settings
	report := ginkgo.CurrentTreeConstructionNodeReport()
	t := &task{
		id: id, split: s.splits[0], trials: set.trials(s.trials), harness: s.harnessLimit, grace: defaultGrace,
		location: at, row: s.row, texts: report.ContainerHierarchyTexts,
		locations: append(append([]types.CodeLocation{}, report.ContainerHierarchyLocations...), at), pending: s.pending, panicIsFailure: s.panicIsFailure, stages: st,
	}
	for _, ls := range report.ContainerHierarchyLabels {
		t.labels = append(t.labels, ls...)
	}
	if s.limit != nil {
		t.limit = *s.limit
	}
	if s.grace != nil {
		t.grace = *s.grace
	}
	if s.cluster != nil {
		t.cluster = *s.cluster
	}
	if t.trials < 1 {
		r.refuse(exitUsage, "no_trials", at, "task %q has %d trials, need at least 1", id, t.trials)
		return
	}
	var err error
	t.digest, t.coarse, err = contentDigest(s.content, at)
	if err != nil {
		r.refuse(exitUsage, "bad_content", at, "task %q: %v", id, err)
		return
	}
	r.tasks = append(r.tasks, t)
	here.askGit()

	if t.split == record.Test && !here.sealed.open() { // never built, so nothing can select it
		if s.focused {
			r.focusedSealed++
		}
		return
	}
	inSplit := t.split == set.split()
	cells := make([]cell, t.trials)
	for k := range t.trials {
		c := &cells[k]
		*c = cell{task: t, index: k, attempt: 1}
		if inSplit {
			if attempt, ok := set.builds(c.key()); ok {
				c.attempt = attempt
			} else {
				continue // another shard's, or measured in an earlier pass
			}
			if st.rollout != nil {
				c.ahead = newAhead()
			}
			r.cells[c.key()] = c
			r.order = append(r.order, c)
		}
		ginkgo.It(leafText(k), at, here.guardSpec(c), onSpec,
			func(ctx ginkgo.SpecContext) { here.run(ctx, c) })
	}
}

// check refuses what cannot be measured honestly.
func (r *registry) check(id string, s scope, at types.CodeLocation) bool {
	ok := true
	no := func(code, format string, args ...any) {
		r.refuse(exitUsage, code, at, format, args...)
		ok = false
	}
	if strings.TrimSpace(id) == "" {
		no("empty_id", "found a task with an empty id, need a name that tells it from the others")
	}
	if len(s.splits) == 0 {
		no("no_split", "task %q has no split, need one of the decorators Train, Val, Test on it or on a container around it", id)
	}
	for _, split := range s.splits {
		if !split.Valid() {
			no("bad_split", "task %q has split %q, need train, val or test", id, split)
		}
	}
	for _, split := range s.splits {
		if split != s.splits[0] && ok {
			no("two_splits", "task %q is %s and, by another decorator or a container around it, %s: a task belongs to one split; decorate it once", id, s.splits[0], split)
		}
	}
	if s.flakeAttempts {
		no("flake_attempts", "task %q is under FlakeAttempts, which runs a failed trial again until it passes; remove it: capeval runs the trials and only missing ones may be retried (--retry-missing)", id)
	}
	if s.mustPass {
		no("must_pass_repeatedly", "task %q is under MustPassRepeatedly, which stops at the first failure; remove it and say Trials(n)", id)
	}
	if s.baseSeed {
		no("misplaced_seed", "task %q is under BaseSeed, which belongs to the suite: give it to RunEvals, or set CAPEVAL_BASE_SEED", id)
	}
	if s.limit != nil && *s.limit < 0 {
		no("bad_limit", "task %q has a time limit of %v, need 0 (none) or more", id, *s.limit)
	}
	return ok
}

func splitLabel(s record.Split) string { return "split:" + string(s) }

// taskLabel escapes an id into what Ginkgo takes as a label: percent signs and
// the characters of its filter language become %XX.
func taskLabel(id string) string {
	var b strings.Builder
	b.WriteString("task:")
	if strings.TrimSpace(id) == "" {
		b.WriteString("-")
	}
	for _, c := range []byte(strings.TrimSpace(id)) {
		switch c {
		case '%', '&', '|', '!', ',', '(', ')', '/', '{', '}', ':', '\n', '\r', '\t':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
