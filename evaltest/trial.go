package evaltest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// Trial is one run of a task under one seed. Its methods may be called from any
// goroutine; once the trial has ended they change nothing any more.
//
// A Trial is also a TestingT for Gomega's NewWithT and testify's assertions.
type Trial struct {
	suite string
	cell  *cell
	seed  int64

	mu     sync.Mutex
	stage  stage
	ended  bool // the record is final
	cause  func() ending
	score  stats.Estimate
	scored bool
	lost   *outcome // a missing or an agent's failure, once it is certain
	failed *outcome // a failed expectation

	feedback []string
	notes    []string
	outputs  []output
	metrics  map[string]float64
	units    map[string]string

	began time.Time
	rec   *record.Trial // nil once ended: written, and kept by nobody
	worth worth         // once ended
}

// worth is what is remembered of a trial's record.
type worth struct {
	reward  stats.Estimate
	status  record.Status
	cause   record.Cause
	message string
}

// stage says where a trial is.
type stage int

const (
	inSetup stage = iota
	inRollout
	inBody
	inScore
	inCleanup
)

// ending says why a trial's context ended, if it did.
type ending int

const (
	running     ending = iota
	limitOver          // the agent's own TimeLimit
	harnessOver        // SpecTimeout or NodeTimeout: ours
	cancelled          // Ginkgo: interrupt, suite timeout, another process
)

// known returns what says e from now on.
func (e ending) known() func() ending {
	if e == running {
		return goesOn
	}
	return func() ending { return e }
}

// outcome is a verdict other than a score.
type outcome struct {
	cause   record.Cause
	message string
}

func newTrial(suite string, c *cell, seed int64) *Trial {
	return &Trial{suite: suite, cell: c, seed: seed, cause: goesOn}
}

func goesOn() ending { return running }

// Task returns the task's id.
func (t *Trial) Task() string { return t.cell.task.id }

// Index returns the trial's number, counted from 0.
func (t *Trial) Index() int { return t.cell.index }

// Seed returns base seed + index, the same for every task. It depends on
// nothing else: not on order, process, shard, focus or retries.
func (t *Trial) Seed() int64 { return t.seed }

// Rand returns a new source that depends on the suite, the task and the seed
// alone, at its beginning.
func (t *Trial) Rand() *rand.Rand {
	h := sha256.New()
	fmt.Fprintf(h, "capeval.rand/v1\n%q\n%q\n%d\n", t.suite, t.Task(), t.seed)
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// Score gives the trial its reward, in [0, 1], with what to say about it. A
// reward outside, NaN included, is the scorer's fault: the trial is missing with
// cause invalid_score and its body ends. So it is when Score is called twice.
func (t *Trial) Score(reward float64, feedback ...string) {
	t.mu.Lock()
	if t.refuseLate("Score") {
		t.mu.Unlock()
		return
	}
	t.feedback = append(t.feedback, feedback...)
	switch end := t.cause(); {
	case end != running && !t.scored:
		t.lose(lostTo(end, t.stage), "a score came after the trial's context had ended")
		t.mu.Unlock()
	case !(reward >= 0 && reward <= 1):
		t.invalid(fmt.Sprintf("Score(%v): need a reward in [0, 1]", reward))
		t.mu.Unlock()
		runtime.Goexit()
	case t.scored:
		t.invalid(fmt.Sprintf("Score was called twice: %v, then %v", t.score, reward))
		t.mu.Unlock()
		runtime.Goexit()
	default:
		t.score, t.scored = stats.Defined(math.Abs(reward)), true // no negative zero
		t.mu.Unlock()
	}
}

// invalid makes the score no score, whatever came before. Called with mu held.
func (t *Trial) invalid(message string) {
	t.scored = false
	t.failed = nil
	t.lost = &outcome{record.CauseInvalidScore, message}
}

// lose records what the trial was lost to, unless something certain stands
// already. Called with mu held.
func (t *Trial) lose(cause record.Cause, message string) {
	if t.lost == nil && t.failed == nil {
		t.lost = &outcome{cause, message}
	}
}

// Missing says that nothing was measured, because of err: the trial is missing,
// never a 0, and its body ends. A nil err says nothing and returns. The cause is
// the one that err names (see [RateLimited]), else scorer in the score stage of a
// RolloutTask and runner elsewhere.
//
// A score already given stands, and the record gets a note. Once the agent's
// TimeLimit is over, the trial is the agent's time-out and no runner's fault.
func (t *Trial) Missing(err error) {
	if err == nil {
		return
	}
	t.mu.Lock()
	t.missing(err, t.defaultCause())
	t.mu.Unlock()
	runtime.Goexit()
}

// missing settles an error by the rules of Missing. Called with mu held.
func (t *Trial) missing(err error, otherwise record.Cause) {
	if t.refuseLate("Missing") {
		return
	}
	message := err.Error()
	switch end := t.cause(); {
	case t.scored:
		t.note("after the score: " + message)
	case end != running:
		t.lose(lostTo(end, t.stage), message)
	default:
		t.lose(causeOf(err, otherwise), message)
	}
}

func (t *Trial) defaultCause() record.Cause {
	switch t.stage {
	case inSetup:
		return record.CauseSetup
	case inScore:
		return record.CauseScorer
	}
	return record.CauseRunner
}

// lostTo is the cause of a trial that ended with its context.
func lostTo(end ending, at stage) record.Cause {
	switch {
	case end == limitOver:
		return record.CauseAgentTimeout
	case end == harnessOver && at == inScore:
		return record.CauseScorerTimeout
	case end == harnessOver:
		return record.CauseRunner
	}
	return record.CauseInterrupted
}

// AgentFailed says that the agent itself failed, for instance crashed: reward 0
// with cause agent_error, and the body ends. A nil err says nothing and returns.
func (t *Trial) AgentFailed(err error) { t.ownFault(err, record.CauseAgentError) }

// AgentLimit says that the agent ran out of its declared steps, tokens or
// context: reward 0 with cause agent_limit, and the body ends. A nil err says
// nothing and returns.
func (t *Trial) AgentLimit(err error) { t.ownFault(err, record.CauseAgentLimit) }

func (t *Trial) ownFault(err error, cause record.Cause) {
	if err == nil {
		return
	}
	t.mu.Lock()
	if !t.refuseLate("AgentFailed") {
		if end := t.cause(); end != running && !t.scored {
			cause = lostTo(end, t.stage)
		}
		t.scored = false
		t.lose(cause, err.Error())
	}
	t.mu.Unlock()
	runtime.Goexit()
}

// Errorf records a failed expectation, reward 0, and goes on, as a testing.T
// does.
func (t *Trial) Errorf(format string, args ...any) { t.fail(fmt.Sprintf(format, args...)) }

// Fatalf records a failed expectation, reward 0, and ends the body.
func (t *Trial) Fatalf(format string, args ...any) {
	t.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// FailNow ends the body. Without an Errorf before it the reward is 0 for a
// failed expectation without a message.
func (t *Trial) FailNow() {
	t.fail("")
	runtime.Goexit()
}

// Helper does nothing: it is here for TestingT.
func (t *Trial) Helper() {}

// fail records a failed expectation: the agent's own 0, also after a score,
// unless it failed because the context had ended. The first message counts.
func (t *Trial) fail(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refuseLate("a failed expectation") {
		return
	}
	if end := t.cause(); end != running {
		if t.scored {
			t.note("after the score and the end of its time: " + message)
		} else {
			t.lose(lostTo(end, t.stage), message)
		}
		return
	}
	if t.failed == nil && t.lost == nil {
		t.failed = &outcome{record.CauseExpectation, message}
	}
}

// Output keeps what the agent produced in the rollout file, and its digest in
// the record: the digests tell whether different seeds made a difference. A
// string and a []byte are kept as they are, anything else as JSON. Several
// outputs are kept in order.
func (t *Trial) Output(v any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.refuseLate("Output") {
		t.outputs = append(t.outputs, keep(v))
	}
}

// Feedback adds a line to what is said about the trial.
func (t *Trial) Feedback(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.refuseLate("Feedback") {
		t.feedback = append(t.feedback, s)
	}
}

// Metric adds value to the trial's metric of that name, in the given unit. A
// value that is not finite is left out, with a note.
func (t *Trial) Metric(name string, value float64, unit string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refuseLate("Metric") {
		return
	}
	if name == "" || math.IsNaN(value) || math.IsInf(value, 0) {
		t.note(fmt.Sprintf("metric %q = %v left out: need a name and a finite number", name, value))
		return
	}
	t.add(name, value)
	if unit != "" {
		if t.units == nil {
			t.units = map[string]string{}
		}
		t.units[name] = unit
	}
}

// Cost adds to what the trial cost, in US dollars: the metric cost_usd.
func (t *Trial) Cost(usd float64) { t.Metric("cost_usd", usd, "usd") }

// Tokens adds to the metric tokens and, where capeval.yaml has a price for the
// model, to cost_usd.
func (t *Trial) Tokens(model string, in, out int) {
	t.Metric("tokens", float64(in)+float64(out), "tokens")
	if usd, ok := here.settings.price(model, in, out); ok {
		t.Cost(usd)
	}
}

func (t *Trial) add(name string, value float64) {
	if t.metrics == nil {
		t.metrics = map[string]float64{}
	}
	t.metrics[name] += value
}

// note adds a remark to the record. Called with mu held.
func (t *Trial) note(s string) { t.notes = append(t.notes, scrub(s)) }

// refuseLate reports whether the trial has ended; the call is then counted and
// must change nothing. Called with mu held.
func (t *Trial) refuseLate(what string) bool {
	if t.ended {
		here.countLate(t, what)
	}
	return t.ended
}
