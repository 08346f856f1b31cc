package kinds

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

var errBroken = errors.New("broken")

type namedCause string

func (c namedCause) Error() string { return "an error that names " + string(c) }
func (c namedCause) Cause() string { return string(c) }

// prefix begins the ids of the cases of one task, where several of them are in
// one suite.
var prefix string

// one makes a case of one task with one body, beside a task that passes.
func one(name string, body func(SpecContext, *Trial), args ...any) {
	cases[name] = func() {
		Task(prefix+"it", append([]any{Val, body}, args...)...)
		Task(prefix+"next", Val, func(*Trial) {})
	}
}

// hooked makes a case of one task inside a container with hooks.
func hooked(name string, hooks func(), args ...any) {
	cases[name] = func() {
		Describe("around", append(args, func() {
			hooks()
			Task(prefix+"it", Val, func(_ SpecContext, t *Trial) { t.Score(0.5) })
		})...)
		Task(prefix+"next", Val, func(*Trial) {})
	}
}

func declareCases() {
	// The agent's own.
	one("returns", func(SpecContext, *Trial) {})
	one("score", func(_ SpecContext, t *Trial) { t.Score(0.75, "mostly") })
	one("expect", func(SpecContext, *Trial) { Expect(1).To(Equal(2)) })
	one("expect-after-score", func(_ SpecContext, t *Trial) { t.Score(1); Expect(1).To(Equal(2)) })
	one("expect-in-helper", func(SpecContext, *Trial) { helper() })
	one("expect-in-goroutine", func(SpecContext, *Trial) {
		done := make(chan bool)
		go func() { defer close(done); Expect(1).To(Equal(2)) }()
		<-done
	})
	one("expect-in-great-grandchild", func(SpecContext, *Trial) {
		done := make(chan bool)
		go func() { go func() { go func() { defer close(done); Expect(1).To(Equal(2)) }() }() }()
		<-done
	})
	one("expect-in-http-handler", func(SpecContext, *Trial) {
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { Expect(1).To(Equal(2)) }))
		defer s.Close()
		_, _ = http.Get(s.URL)
	})
	one("expect-recovered", func(SpecContext, *Trial) {
		defer func() { _ = recover() }()
		Expect(1).To(Equal(2))
	})
	one("expect-polled", func(ctx SpecContext, _ *Trial) {
		Eventually(ctx, func(g Gomega) { g.Expect(1).To(Equal(2)) }).WithTimeout(20 * time.Millisecond).Should(Succeed())
	})
	one("expect-intercepted", func(SpecContext, *Trial) {
		if failures := InterceptGomegaFailures(func() { Expect(1).To(Equal(2)) }); len(failures) != 1 {
			panic("not intercepted")
		}
	})
	one("expect-with-t", func(_ SpecContext, t *Trial) { NewWithT(t).Expect(1).To(Equal(2)) })
	one("errorf-then-panic", func(_ SpecContext, t *Trial) { t.Errorf("want %d", 2); panic("nil map") })
	one("fail-now", func(_ SpecContext, t *Trial) { t.FailNow() })
	one("agent-failed", func(_ SpecContext, t *Trial) { t.AgentFailed(nil); t.AgentFailed(errBroken) })
	one("agent-limit", func(_ SpecContext, t *Trial) { t.AgentLimit(nil); t.AgentLimit(errBroken) })
	one("panic-is-failure", func(SpecContext, *Trial) { panic("agent crashed") }, PanicIsFailure)
	one("limit-heeded", func(ctx SpecContext, t *Trial) { <-ctx.Done(); t.Missing(ctx.Err()) }, TimeLimit(30*time.Millisecond))
	one("limit-then-expect", func(ctx SpecContext, _ *Trial) { <-ctx.Done(); Expect(1).To(Equal(2)) }, TimeLimit(30*time.Millisecond))
	one("limit-then-score", func(ctx SpecContext, t *Trial) { <-ctx.Done(); t.Score(1) }, TimeLimit(30*time.Millisecond))
	one("limit-then-return", func(ctx SpecContext, t *Trial) { <-ctx.Done() }, TimeLimit(30*time.Millisecond))
	one("limit-then-panic", func(ctx SpecContext, t *Trial) { <-ctx.Done(); panic("late") }, TimeLimit(30*time.Millisecond))
	one("limit-in-eventually", func(ctx SpecContext, t *Trial) {
		Eventually(ctx, func() int { return 1 }).WithTimeout(time.Minute).Should(Equal(2))
	}, TimeLimit(30*time.Millisecond))
	one("score-then-limit", func(ctx SpecContext, t *Trial) { t.Score(0.5); <-ctx.Done(); t.Missing(ctx.Err()) }, TimeLimit(30*time.Millisecond))
	cases["limit-ignored"] = func() {
		Task(prefix+"it", Val, TimeLimit(20*time.Millisecond), GracePeriod(20*time.Millisecond), Trials(1), func(_ SpecContext, t *Trial) {
			time.Sleep(300 * time.Millisecond)
			t.Score(1)
			Expect(1).To(Equal(2))
		})
		Task(prefix+"next", Val, Trials(1), func(_ SpecContext, t *Trial) { time.Sleep(600 * time.Millisecond); t.Score(0.5) })
		Task("last", Val, Trials(1), func(*Trial) {})
	}

	// Somebody else's.
	one("missing", func(_ SpecContext, t *Trial) { t.Missing(nil); t.Missing(errBroken) })
	one("missing-rate", func(_ SpecContext, t *Trial) { t.Missing(RateLimited(fmt.Errorf("429: %w", errBroken))) })
	one("missing-wrapped", func(_ SpecContext, t *Trial) { t.Missing(fmt.Errorf("call: %w", RateLimited(errBroken))) })
	one("missing-named", func(_ SpecContext, t *Trial) { t.Missing(namedCause("scorer_timeout")) })
	one("missing-named-agent", func(_ SpecContext, t *Trial) { t.Missing(namedCause("agent_limit")) })
	one("missing-named-unknown", func(_ SpecContext, t *Trial) { t.Missing(namedCause("weather")) })
	one("missing-scorer", func(_ SpecContext, t *Trial) { t.Missing(ScorerFailed(errBroken)) })
	one("missing-after-score", func(_ SpecContext, t *Trial) { t.Score(0.5); t.Missing(errBroken) })
	one("missing-recovered", func(_ SpecContext, t *Trial) {
		defer func() { _ = recover() }()
		t.Missing(errBroken)
	})
	one("missing-in-defer", func(_ SpecContext, t *Trial) { defer t.Missing(errBroken) })
	one("panic", func(SpecContext, *Trial) { panic("harness broke") })
	one("panic-after-score", func(_ SpecContext, t *Trial) { t.Score(0.5); panic("harness broke") })
	one("skip", func(SpecContext, *Trial) { Skip("not today") })
	one("skip-after-score", func(_ SpecContext, t *Trial) { t.Score(0.5); Skip("not today") })
	one("score-nan", func(_ SpecContext, t *Trial) { t.Score(math.NaN()) })
	one("score-inf", func(_ SpecContext, t *Trial) { t.Score(math.Inf(1)) })
	one("score-above", func(_ SpecContext, t *Trial) { t.Score(1.5) })
	one("score-just-above", func(_ SpecContext, t *Trial) { t.Score(1 + 1e-9) })
	one("score-below", func(_ SpecContext, t *Trial) { t.Score(-0.2) })
	one("score-twice", func(_ SpecContext, t *Trial) { t.Score(1); t.Score(1) })
	one("score-then-nan", func(_ SpecContext, t *Trial) { t.Score(1); t.Score(math.NaN()) })
	one("spec-timeout", func(ctx SpecContext, t *Trial) { <-ctx.Done() }, SpecTimeout(30*time.Millisecond))
	one("node-timeout", func(ctx SpecContext, t *Trial) { <-ctx.Done(); t.Score(1) }, NodeTimeout(30*time.Millisecond))
	one("goexit", func(_ SpecContext, t *Trial) { new(foreign).FailNow() })

	// Ginkgo's own failures cannot be undone.
	one("ginkgo-fail", func(SpecContext, *Trial) { Fail("red") })
	one("ginkgo-t", func(SpecContext, *Trial) { GinkgoT().Fatal("red") })

	// Hooks.
	hooked("before-expect", func() { BeforeEach(func() { Expect(1).To(Equal(2)) }) })
	hooked("before-panic", func() { BeforeEach(func() { panic("no sandbox") }) })
	hooked("before-fail", func() { BeforeEach(func() { Fail("red") }) })
	hooked("before-skip", func() { BeforeEach(func() { Skip("no docker") }) })
	hooked("before-timeout", func() { BeforeEach(func(ctx SpecContext) { <-ctx.Done() }, NodeTimeout(30*time.Millisecond)) })
	hooked("before-goroutine", func() {
		BeforeEach(func() {
			done := make(chan bool)
			go func() { defer close(done); defer GinkgoRecover(); Expect(1).To(Equal(2)) }()
			<-done
		})
	})
	hooked("just-before-expect", func() { JustBeforeEach(func() { Expect(1).To(Equal(2)) }) })
	hooked("before-all-expect", func() { BeforeAll(func() { Expect(1).To(Equal(2)) }) }, Ordered)
	hooked("before-all-panic", func() { BeforeAll(func() { panic("no cluster") }) }, Ordered)
	hooked("after-expect", func() { AfterEach(func() { Expect(1).To(Equal(2)) }) })
	hooked("after-panic", func() { AfterEach(func() { panic("clean-up") }) })
	hooked("just-after-expect", func() { JustAfterEach(func() { Expect(1).To(Equal(2)) }) })
	hooked("after-all-expect", func() { AfterAll(func() { Expect(1).To(Equal(2)) }) }, Ordered)
	hooked("cleanup-expect", func() { BeforeEach(func() { DeferCleanup(func() { Expect(1).To(Equal(2)) }) }) })
	hooked("after-fail", func() { AfterEach(func() { Fail("red") }) })
	cases["cleanup-in-body"] = func() {
		Task(prefix+"it", Val, func(_ SpecContext, t *Trial) {
			DeferCleanup(func() { Expect(1).To(Equal(2)) })
			t.Score(0.5)
		})
		Task(prefix+"next", Val, func(*Trial) {})
	}
	cases["before-suite-fails"] = func() {
		BeforeSuite(func() { Expect(1).To(Equal(2)) })
		Task(prefix+"it", Val, func(*Trial) {})
	}
	cases["before-suite-skips"] = func() {
		BeforeSuite(func() { Skip("no cluster") })
		Task(prefix+"it", Val, func(*Trial) {})
	}

	// Two stages.
	two := func(name string, roll func(context.Context, *Trial) (string, error), score func(SpecContext, *Trial, string), args ...any) {
		cases[name] = func() {
			RolloutTask(prefix+"it", roll, score, append([]any{Val}, args...)...)
			Task(prefix+"next", Val, func(*Trial) {})
		}
	}
	fine := func(context.Context, *Trial) (string, error) { return "an answer", nil }
	half := func(_ SpecContext, t *Trial, _ string) { t.Score(0.5) }
	two("rollout", fine, half)
	two("rollout-error", func(context.Context, *Trial) (string, error) { return "", errBroken }, half)
	two("rollout-rate", func(context.Context, *Trial) (string, error) { return "", RateLimited(errBroken) }, half)
	two("rollout-agent-error", func(context.Context, *Trial) (string, error) { return "", namedCause("agent_error") }, half)
	two("rollout-panic", func(context.Context, *Trial) (string, error) { panic("harness broke") }, half)
	two("rollout-panic-is-failure", func(context.Context, *Trial) (string, error) { panic("agent crashed") }, half, PanicIsFailure)
	two("rollout-expect", func(context.Context, *Trial) (string, error) { Expect(1).To(Equal(2)); return "", nil }, half)
	two("rollout-limit", func(ctx context.Context, _ *Trial) (string, error) { <-ctx.Done(); return "", ctx.Err() }, half, TimeLimit(30*time.Millisecond))
	two("scorer-panic", fine, func(SpecContext, *Trial, string) { panic("scorer broke") })
	two("scorer-missing", fine, func(_ SpecContext, t *Trial, _ string) { t.Missing(errBroken) })
	two("scorer-expect", fine, func(SpecContext, *Trial, string) { Expect(1).To(Equal(2)) })
	two("scorer-nan", fine, func(_ SpecContext, t *Trial, _ string) { t.Score(math.NaN()) })
	two("scorer-timeout", fine, func(ctx SpecContext, t *Trial, _ string) { <-ctx.Done() }, SpecTimeout(30*time.Millisecond))
	two("scorer-slow-is-no-agent-timeout", fine, func(_ SpecContext, t *Trial, _ string) { time.Sleep(60 * time.Millisecond); t.Score(0.5) }, TimeLimit(30*time.Millisecond))

	// The end of the run in the middle.
	cases["slow-suite"] = func() {
		for i := range 6 {
			Task(fmt.Sprintf("t%d", i), Val, func(ctx SpecContext, t *Trial) {
				if i == 2 && t.Index() == 0 {
					announce()
					Eventually(ctx, func() int { return 1 }).WithTimeout(20 * time.Second).Should(Equal(2))
				}
			})
		}
		AfterSplit(Val, func(r Result) { fmt.Println("AfterSplit saw", r.NCells, "cells") })
	}
	cases["dies"] = func() {
		for i := range 8 {
			Task(fmt.Sprintf("t%d", i), Val, Trials(3), func(_ SpecContext, t *Trial) {
				time.Sleep(10 * time.Millisecond)
				if i == 3 && t.Index() == 1 {
					switch os.Getenv("DEATH") {
					case "exit":
						os.Exit(3)
					case "kill":
						_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
						select {}
					}
				}
				trace("ended t%d/%d", i, t.Index())
			})
		}
	}
	declareSuites()
}

func helper() {
	GinkgoHelper()
	Expect(1).To(Equal(2))
}

// foreign is a T of somebody else, whose FailNow ends the goroutine.
type foreign struct{}

// announce tells the test that runs this suite that a trial has begun.
func announce() { _ = os.WriteFile(os.Getenv("ANNOUNCE"), nil, 0o644) }

// declareCauses adds the case that holds all those that MANY names, each in a
// container of its own. Ids begin with the case's name.
func declareCauses() {
	cases["many"] = func() {
		for _, name := range strings.Split(os.Getenv("MANY"), ",") {
			Describe("case "+name, func() {
				prefix = name + "/"
				cases[name]()
			})
		}
	}
}
