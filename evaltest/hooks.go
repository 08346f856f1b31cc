package evaltest

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/record"
)

// begin starts the trial of a spec before its first hook, or before its body
// where it has no hook, and runs the rollout of a task in two stages, so that a
// rollout is outside all hooks with any number of workers. It returns nil where
// nothing may start any more.
func (s *suite) begin(ctx context.Context, c *cell) *Trial {
	if c.trial != nil {
		return c.trial
	}
	if !s.ready() || s.live.spent() != "" && (c.ahead == nil || !c.ahead.begun()) {
		s.setCurrent(nil)
		return nil
	}
	if !s.admitted(ctx, c) {
		s.setCurrent(nil)
		return nil
	}
	if c.ahead == nil {
		c.trial = s.start(c)
	} else {
		s.roll(ctx, c)
	}
	s.setCurrent(c.trial)
	return c.trial
}

// cellOf finds the cell of a spec, nil where the spec is no trial.
func (s *suite) cellOf(r ginkgo.SpecReport) *cell {
	n := len(r.ContainerHierarchyLabels)
	if n == 0 || len(r.ContainerHierarchyLabels[n-1]) == 0 {
		return nil
	}
	for _, label := range r.ContainerHierarchyLabels[n-1] {
		if label == "capeval" {
			k, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.LeafNodeText, "[trial "), "]"))
			if err != nil {
				return nil
			}
			return s.reg.cells[record.Cell{Task: r.ContainerHierarchyTexts[n-1], Trial: k}]
		}
	}
	return nil
}

// setCurrent makes t the trial that runs. One before it that never ended was
// lost in its set-up.
func (s *suite) setCurrent(t *Trial) {
	s.mu.Lock()
	before := s.current
	s.current = t
	s.mu.Unlock()
	if before != nil && before != t {
		s.lostInSetup(before, running)
	}
}

func (s *suite) lostInSetup(t *Trial, end ending) {
	t.mu.Lock()
	ended := t.ended
	if !ended {
		t.lose(setupCause(end), "the set-up did not come to its end")
	}
	t.mu.Unlock()
	if !ended {
		s.finish(t, true)
	}
}

// hook says what kind of node a guard surrounds.
type hook int

const (
	beforeEach hook = iota
	beforeOnce      // BeforeAll, OncePerOrdered: a Skip there skips the other specs too
	afterHook
	afterOnce // AfterAll
	anyNode   // of the spec, the body as well
)

// shared reports whether a hook of the kind may clean up after several specs.
func (k hook) shared() bool { return k == beforeOnce || k == afterOnce || k == anyNode }

// guard surrounds every hook of the kind. In a trial's set-up it turns a failure
// into missing data; after the trial has ended it turns one into a remark.
func (s *suite) guard(kind hook) func(context.Context, func(context.Context)) {
	return func(ctx context.Context, body func(context.Context)) {
		s.bar(ctx, kind)
		t := s.trialOf(ctx, kind)
		if t == nil {
			body(ctx)
			return
		}
		s.surround(t, ctx, body)
	}
}

// trialOf finds the trial whose spec a hook belongs to, and begins it where the
// hook is its first node. It is nil where the spec is no trial, and where the
// trial cannot start: its hooks then are nobody's.
func (s *suite) trialOf(ctx context.Context, kind hook) *Trial {
	c := s.cellOf(ginkgo.CurrentSpecReport())
	if c == nil {
		s.setCurrent(nil)
		return nil
	}
	if kind == afterHook || kind == afterOnce || c.trial != nil {
		return c.trial
	}
	t := s.begin(ctx, c)
	if kind == beforeEach || ctx.Err() != nil { // no need to set up what will not run
		if t == nil {
			ginkgo.Skip(s.whyNot())
		}
		if t.over() && t.worth.status == record.Missing {
			ginkgo.Skip(t.why())
		}
	}
	return t
}

// whyNot says why a trial did not start.
func (s *suite) whyNot() string {
	if s.live != nil {
		if reason := s.live.spent(); reason != "" {
			return notStarted + ": " + reason
		}
	}
	return notStarted
}

// surround runs a hook of t.
func (s *suite) surround(t *Trial, ctx context.Context, body func(context.Context)) {
	defer own(owner{trial: t, hook: true})()
	// Ginkgo moves on without the hook at a timeout or an interrupt.
	stop := context.AfterFunc(ctx, func() { s.lostInSetup(t, endingOf(ctx)) })
	defer stop()
	defer func() {
		stop()
		if v := recover(); v != nil {
			s.hookPanicked(t, v, ginkgoCall())
			return
		}
		s.closeLost(t)
	}()
	body(ctx)
}

// guardSpec surrounds the body of a cell's spec and, because they inherit it,
// the clean-ups registered there.
func (s *suite) guardSpec(c *cell) types.AroundNodeDecorator {
	return types.AroundNodeDecorator{CodeLocation: c.task.location, Body: func(ctx context.Context, body func(context.Context)) {
		if c.trial != nil && c.trial.over() {
			s.surround(c.trial, ctx, body)
			return
		}
		body(ctx)
	}}
}

// hookPanicked settles the panic v of a hook, which came from Ginkgo's function
// call or, when that is "", from anything else.
func (s *suite) hookPanicked(t *Trial, v any, call string) {
	t.mu.Lock()
	over := t.ended
	if !over {
		switch {
		case call == "Skip" && t.lost == nil:
			t.lose(record.CauseSkipped, "Skip was called in a hook")
		case call == "AbortSuite":
			t.lose(record.CauseInterrupted, "AbortSuite was called in a hook")
		default:
			t.lose(record.CauseSetup, "panic in a hook: "+fmt.Sprint(v))
		}
	}
	t.mu.Unlock()
	s.closeLost(t)
	if call != "" {
		panic(v) // Ginkgo has it already: the spec is skipped, red or aborted
	}
	if !over {
		ginkgo.Skip(t.why())
	}
	if f, ok := v.(cleanupFailure); ok {
		s.afterwards(t, string(f))
	} else {
		s.afterwards(t, fmt.Sprintf("panic in a clean-up hook: %v", v))
	}
}

// closeLost ends a trial that was lost in its set-up.
func (s *suite) closeLost(t *Trial) {
	t.mu.Lock()
	lost := !t.ended && t.stage == inSetup && t.lost != nil
	t.mu.Unlock()
	if lost {
		s.finish(t, true)
	}
}

// over reports whether the trial's record is final.
func (t *Trial) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// why says why the trial is missing, as the reason of its skipped spec.
func (t *Trial) why() string {
	return fmt.Sprintf("%s (%s): %s", skippedMissing, t.worth.cause, t.worth.message)
}

// How the reasons of specs begin that this package skips.
const (
	skippedMissing = "capeval: missing"
	notStarted     = "capeval: not started"
)

// afterwards reports what went wrong after the reward was recorded. It changes
// no number.
func (s *suite) afterwards(t *Trial, message string) {
	ginkgo.AddReportEntry("capeval: after the reward was recorded", message, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	s.say("%s trial %d: after its reward was recorded: %s", t.Task(), t.Index(), oneLine(message))
}

// countLate counts a call that came after its trial had ended.
func (s *suite) countLate(t *Trial, what string) {
	s.mu.Lock()
	s.late++
	s.mu.Unlock()
	s.say("%s trial %d: %s came after the trial had ended and changed nothing", t.Task(), t.Index(), what)
}

// say tells the user something that belongs in no result.
func (s *suite) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "capeval: "+format+"\n", args...)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// endingOf reads from a context of Ginkgo's why it ended.
func endingOf(ctx context.Context) ending {
	if ctx.Err() == nil {
		return running
	}
	if cause := context.Cause(ctx); cause != nil {
		switch text := cause.Error(); {
		case strings.HasPrefix(text, "node timeout"), strings.HasPrefix(text, "spec timeout"), strings.HasPrefix(text, "grace period timeout"):
			return harnessOver
		}
	}
	return cancelled
}
