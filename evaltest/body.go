package evaltest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/record"
)

var (
	errLimit   = errors.New("the agent's time limit is over")
	errHarness = errors.New("the spec's timeout is over")
)

// bounds are the times that a stage of a trial has.
type bounds struct {
	limit   time.Duration // the agent's own; 0 is none
	harness time.Duration // ours; 0 is none
	grace   time.Duration // after the end of the context
}

// run is the body of a trial's spec.
func (s *suite) run(ctx ginkgo.SpecContext, c *cell) {
	t := s.begin(ctx, c)
	if t == nil {
		s.failRefused(c)
		ginkgo.Skip(s.whyNot())
	}
	if !t.over() {
		task := c.task
		var returned bool
		if c.ahead != nil {
			out := c.ahead.out
			c.ahead.out = nil // it may be large, and is in the rollout's file soon
			returned = s.bounded(ctx, t, inScore, bounds{harness: task.harness, grace: task.grace}, func(inner context.Context) {
				task.stages.score(wrapped{inner, ctx}, t, out)
			})
			t.keepRollout(out)
		} else {
			b := bounds{limit: task.limit, harness: task.harness, grace: task.grace}
			returned = s.bounded(ctx, t, inBody, b, func(inner context.Context) {
				task.stages.body(wrapped{inner, ctx}, t)
			})
		}
		s.finish(t, returned)
	}
	s.live.entry(t)
	if t.worth.status == record.Missing {
		ginkgo.Skip(t.why())
	}
}

// bounded runs f, a stage of t, in a goroutine of its own, within its bounds. It
// reports whether f ended; when it did not, f was left behind after the grace.
func (s *suite) bounded(parent context.Context, t *Trial, at stage, b bounds, f func(context.Context)) (returned bool) {
	ctx, cancel := b.bind(parent)
	t.mu.Lock()
	t.stage = at
	t.cause = func() ending {
		switch {
		case ctx.Err() == nil:
			return running
		case context.Cause(ctx) == errLimit:
			return limitOver
		case context.Cause(ctx) == errHarness:
			return harnessOver
		}
		return cancelled
	}
	t.mu.Unlock()

	done := make(chan struct{})
	go func() {
		defer close(done)
		defer own(owner{trial: t})()
		normal := false
		defer func() {
			if normal {
				return
			}
			if v := recover(); v != nil {
				t.panicked(v, ginkgoCall(), panicPlace())
			} else {
				t.exited()
			}
		}()
		f(label(ctx, t))
		normal = true
	}()

	select {
	case <-done:
	case <-ctx.Done():
		grace := time.NewTimer(b.grace)
		defer grace.Stop()
		select {
		case <-done:
		case <-grace.C:
			s.leak(t, done)
			return false
		}
	}
	t.mu.Lock()
	end := t.cause()
	t.cause = end.known()
	t.mu.Unlock()
	cancel()
	return true
}

// bind returns a context that ends with the bounds, and says as its cause which
// of them it was. The body that outlives them keeps it, so it is cancelled only
// for a body that returned.
func (b bounds) bind(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	if b.limit <= 0 && b.harness <= 0 {
		return ctx, cancel
	}
	cancels := []context.CancelFunc{cancel}
	if b.limit > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, b.limit, errLimit)
		cancels = append(cancels, cancel)
	}
	if b.harness > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, b.harness, errHarness)
		cancels = append(cancels, cancel)
	}
	return ctx, func() {
		for _, cancel := range cancels {
			cancel()
		}
	}
}

// leak counts the body that was left behind until it ends.
func (s *suite) leak(t *Trial, done <-chan struct{}) {
	s.mu.Lock()
	s.leaked++
	s.mu.Unlock()
	s.say("%s trial %d: its body goes on after the end of its time and was left behind; it uses the machine until it returns", t.Task(), t.Index())
	go func() {
		<-done
		s.mu.Lock()
		s.leaked--
		s.mu.Unlock()
	}()
}

// panicked settles the panic v of a body, which came from Ginkgo's function
// call or, when that is "", from anything else.
func (t *Trial) panicked(v any, call, at string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refuseLate("a panic") {
		return
	}
	message := fmt.Sprintf("panic: %v", v)
	if at != "" {
		message += " at " + at
	}
	end := t.cause()
	switch {
	case call == "Fail":
		if t.failed == nil && t.lost == nil {
			t.failed = &outcome{record.CauseExpectation, "Ginkgo's Fail was called"}
		}
	case t.scored && !(t.cell.task.panicIsFailure && call == "" && t.stage != inScore):
		t.note("after the score: " + message)
	case end != running:
		t.lose(lostTo(end, t.stage), message)
	case call == "Skip":
		t.lose(record.CauseSkipped, "Skip was called")
	case call == "AbortSuite":
		t.lose(record.CauseInterrupted, "AbortSuite was called")
	case t.stage == inScore:
		t.lose(record.CauseScorer, message)
	case t.cell.task.panicIsFailure:
		t.scored = false
		t.lose(record.CauseAgentError, message)
	default:
		t.lose(record.CausePanic, message)
	}
}

// exited settles a body that was ended by runtime.Goexit: ours, after which the
// verdict stands already, or somebody else's.
func (t *Trial) exited() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended || t.lost != nil || t.failed != nil || t.scored {
		return
	}
	if end := t.cause(); end != running {
		t.lose(lostTo(end, t.stage), "the body ended with its goroutine")
		return
	}
	t.lose(t.defaultCause(), "the body ended its goroutine without a verdict (FailNow of another T?)")
}

// panicPlace returns file:line of the frame that panicked. It must be called in
// the recovering function.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// keepRollout keeps the rollout's output unless the stages kept their own.
func (t *Trial) keepRollout(out any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended && len(t.outputs) == 0 && out != nil {
		t.outputs = append(t.outputs, keep(out))
	}
}
