package kinds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

func declareGrids() {
	// Every kind of trial, in several containers, so that a random order of
	// specs differs from that of declaration.
	cases["grid"] = func() {
		for i := range 3 {
			Describe(fmt.Sprint("graded ", i), func() {
				Task(fmt.Sprint("graded-", i), Val, Content(i), Cluster(fmt.Sprint("c", i%2)), func(t *Trial) {
					t.Output(fmt.Sprint(t.Rand().Int64()))
					t.Metric("steps", float64(i), "steps")
					t.Score(float64(t.Rand().IntN(5))/4, fmt.Sprint("seed ", t.Seed()))
				})
			})
		}
		Describe("single", func() {
			BeforeEach(func() { time.Sleep(time.Millisecond) })
			Task("returns", Val, func(t *Trial) {})
			Task("fails", Val, func(t *Trial) { Expect(&struct{ A int }{t.Index()}).To(BeNil()) })
			Task("waits in vain", Val, func(ctx SpecContext, t *Trial) {
				Eventually(ctx, func() int { return 1 }).WithTimeout(20 * time.Millisecond).Should(Equal(2))
			})
			Task("limited", Val, TimeLimit(20*time.Millisecond), func(ctx SpecContext, t *Trial) { <-ctx.Done() })
			Task("sometimes missing", Val, func(t *Trial) {
				if t.Index() == 1 {
					t.Missing(RateLimited(errors.New("429")))
				}
				t.Output("the same")
			})
			Task("panics", Val, func(t *Trial) {
				if t.Index() > 0 {
					panic("harness broke")
				}
			})
		})
		for i := range 3 {
			Describe(fmt.Sprint("rolled ", i), func() {
				RolloutTask(fmt.Sprint("rolled-", i),
					func(_ context.Context, t *Trial) (int, error) {
						time.Sleep(time.Duration(i) * time.Millisecond)
						if i == 2 && t.Index() == 1 {
							return 0, errors.New("lost")
						}
						return t.Rand().IntN(1000), nil
					},
					func(_ SpecContext, t *Trial, out int) { t.Score(float64(out)/1000, fmt.Sprint("rolled ", out)) }, Val)
			})
		}
		traced("ordinary")
		AfterSplit(Val, func(r Result) { trace("after split %s", r.Reward.Format(6)) })
	}

	// Seeds and random numbers, and who they belong to.
	cases["seeds"] = func() {
		for _, id := range []string{"first", "second"} {
			Task(id, Val, func(t *Trial) {
				trace("%s %d %d %d", t.Task(), t.Index(), t.Seed(), t.Rand().Int64())
			})
		}
		Task("own-trials", Val, Trials(3), func(t *Trial) {
			trace("%s %d %d %d", t.Task(), t.Index(), t.Seed(), t.Rand().Int64())
		})
		Describe("container", Trials(1), func() {
			Task("containers-trials", Val, func(t *Trial) {
				trace("%s %d %d %d", t.Task(), t.Index(), t.Seed(), t.Rand().Int64())
			})
		})
	}

	// Selections.
	small := func(args map[string][]any) func() {
		return func() {
			for _, id := range []string{"one", "two", "three"} {
				Describe("in", func() {
					Task(id, append([]any{Val, func(*Trial) { trace("%s", id) }}, args[id]...)...)
				})
			}
			AfterSplit(Val, func(Result) { trace("after split") })
		}
	}
	cases["small"] = small(nil)
	cases["small-focus"] = small(map[string][]any{"two": {Focus}})
	cases["small-pending"] = small(map[string][]any{"two": {Pending}})
	cases["small-all-pending"] = small(map[string][]any{"one": {Pending}, "two": {Pending}, "three": {Pending}})
	cases["small-labelled"] = small(map[string][]any{"two": {Label("easy")}})
	cases["small-far"] = func() { // as small, in another order of processes
		Describe("around", func() { // the number of the process is known once the tree is built
			order := []string{"one", "two", "three"}
			if GinkgoParallelProcess() == 2 {
				order = []string{"three", "two", "one"}
			}
			for _, id := range order {
				Task(id, Val, func(*Trial) { trace("%s", id); time.Sleep(50 * time.Millisecond) })
			}
		})
	}

	// Costs.
	cases["costs"] = func() {
		for i := range 8 {
			Describe(fmt.Sprint("in ", i), func() {
				BeforeEach(func() { trace("before t%d", i) })
				Task(fmt.Sprint("t", i), Val, Trials(1), func(t *Trial) {
					trace("t%d", i)
					t.Cost(0.25)
					time.Sleep(5 * time.Millisecond)
				})
			})
		}
		AfterSplit(Val, func(Result) { trace("after split") })
	}
	cases["passes"] = func() {
		for i := range 4 {
			Describe(fmt.Sprint("in ", i), func() {
				BeforeEach(func() { trace("before t%d", i) })
				Task(fmt.Sprint("t", i), Val, func(t *Trial) {
					trace("t%d/%d", i, t.Index())
					if i == 1 && os.Getenv("STORM") != "" {
						t.Missing(RateLimited(errors.New("429")))
					}
				})
			})
		}
		AfterSplit(Val, func(r Result) { trace("after split %d missing", r.NMissing) })
	}
	cases["nothing"] = func() { traced("ordinary") }
	cases["empty"] = func() {}
	cases["endless"] = func() { Task("long", Val, Trials(1), TimeLimit(time.Hour), func(*Trial) {}) }
	cases["all-missing"] = func() {
		for i := range 3 {
			Task(fmt.Sprint("t", i), Val, func(t *Trial) { t.Missing(errors.New("no network")) })
		}
		AfterSplit(Val, func(r Result) { trace("after split %d missing", r.NMissing) })
	}
}
