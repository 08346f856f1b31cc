package kinds

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

func declareWorkers() {
	// How many rollouts, and how many scorings, are under way.
	cases["ahead"] = func() {
		var rolling, scoring, peak, scorePeak atomic.Int64
		high := func(now int64, peak *atomic.Int64) {
			for old := peak.Load(); now > old && !peak.CompareAndSwap(old, now); old = peak.Load() {
			}
		}
		fixture := ""
		Describe("around", func() {
			BeforeEach(func() { fixture = "made by BeforeEach" })
			AfterEach(func() { fixture = "" })
			for i := range 12 {
				RolloutTask(fmt.Sprintf("t%02d", i),
					func(_ context.Context, t *Trial) (string, error) {
						defer rolling.Add(-1)
						high(rolling.Add(1), &peak)
						if CurrentTrial() != t {
							return "", errors.New("another trial is current")
						}
						time.Sleep(60 * time.Millisecond)
						trace("roll %s/%d", t.Task(), t.Index())
						return t.Task(), nil
					},
					func(_ SpecContext, t *Trial, out string) {
						defer scoring.Add(-1)
						high(scoring.Add(1), &scorePeak)
						if fixture == "" || out != t.Task() {
							panic(fmt.Sprintf("fixture %q, output %q", fixture, out))
						}
						trace("score %s/%d", t.Task(), t.Index())
						t.Score(0.5)
					}, Val, Trials(1))
			}
		})
		AfterSplit(Val, func(Result) { fmt.Println("peaks", peak.Load(), scorePeak.Load()) })
	}

	// What a rollout sees of hooks.
	cases["hookless"] = func() {
		var mu sync.Mutex
		fixture := "none"
		Describe("around", func() {
			BeforeEach(func() { mu.Lock(); defer mu.Unlock(); fixture = "a fixture" })
			AfterEach(func() { mu.Lock(); defer mu.Unlock(); fixture = "none" })
			for i := range 3 {
				RolloutTask(fmt.Sprint("t", i),
					func(context.Context, *Trial) (string, error) {
						mu.Lock()
						defer mu.Unlock()
						return fixture, nil
					},
					func(_ SpecContext, t *Trial, out string) { trace("%s", out) }, Val, Trials(1))
			}
		})
	}

	// Eight rollouts that all run when the first of them fails.
	cases["faults"] = func() {
		var here sync.WaitGroup
		here.Add(8)
		meet := func() { here.Done(); here.Wait() }
		for i, fault := range []func(*Trial) error{
			func(*Trial) error { panic("harness broke") },
			func(*Trial) error { runtime.Goexit(); return nil },
			func(*Trial) error {
				done := make(chan bool)
				go func() { go func() { defer close(done); Expect(1).To(Equal(2), "grandchild") }() }()
				<-done
				return nil
			},
			func(*Trial) error { Expect(1).To(Equal(2), "direct"); return nil },
			func(t *Trial) error { t.AgentFailed(errors.New("crashed")); return nil },
			func(*Trial) error { return RateLimited(errors.New("429")) },
			func(t *Trial) error { NewWithT(t).Expect(1).To(Equal(2), "with t"); return nil },
			func(*Trial) error { return nil },
		} {
			RolloutTask(fmt.Sprint("t", i),
				func(_ context.Context, t *Trial) (int, error) { meet(); return i, fault(t) },
				func(_ SpecContext, t *Trial, out int) { t.Score(0.5, fmt.Sprint(out)) }, Val, Trials(1))
		}
	}

	// Rollouts under way when the suite stops.
	cases["ahead-stopped"] = func() {
		Describe("in order", func() {
			It("is red", func() {
				time.Sleep(200 * time.Millisecond) // the workers are at it
				Expect(1).To(Equal(2))
			})
			for i := range 12 {
				RolloutTask(fmt.Sprintf("t%02d", i),
					func(ctx context.Context, t *Trial) (int, error) {
						select {
						case <-ctx.Done():
							return 0, ctx.Err()
						case <-time.After(10 * time.Second):
							return 1, nil
						}
					},
					func(SpecContext, *Trial, int) { trace("scored") }, Val, Trials(1))
			}
		})
		AfterSplit(Val, func(r Result) { trace("after split") })
	}
	cases["ahead-interrupted"] = func() {
		scored := make(chan bool)
		Describe("in order", func() {
			for i := range 8 {
				RolloutTask(fmt.Sprintf("t%02d", i),
					func(ctx context.Context, t *Trial) (int, error) {
						if i == 0 {
							return 1, nil
						}
						if i == 1 {
							<-scored
							time.Sleep(100 * time.Millisecond)
							announce()
						}
						select {
						case <-ctx.Done():
							return 0, ctx.Err()
						case <-time.After(20 * time.Second):
							return 1, nil
						}
					},
					func(SpecContext, *Trial, int) {
						trace("scored t%02d", i)
						if i == 0 {
							close(scored)
						}
					}, Val, Trials(1))
			}
		})
		AfterSplit(Val, func(r Result) { trace("after split") })
	}

	cases["ahead-small"] = func() {
		for _, id := range []string{"one", "two", "three"} {
			RolloutTask(id,
				func(_ context.Context, t *Trial) (int, error) {
					trace("roll %s/%d", t.Task(), t.Index())
					return 0, nil
				},
				func(_ SpecContext, t *Trial, _ int) { trace("score %s/%d", t.Task(), t.Index()) }, Val, Label("id-"+id))
		}
	}
	cases["ahead-small-focus"] = func() {
		cases["ahead-small"]()
		RolloutTask("four",
			func(_ context.Context, t *Trial) (int, error) { trace("roll four/%d", t.Index()); return 0, nil },
			func(_ SpecContext, t *Trial, _ int) { trace("score four/%d", t.Index()) }, Val, Focus)
	}

	// A selection that cannot be foreseen, by the place of a hook.
	cases["ahead-unforeseen"] = func() {
		Describe("here", func() {
			BeforeEach(func() {}, types.CodeLocation{FileName: "elsewhere_test.go", LineNumber: 1})
			cases["ahead-small"]()
		})
	}

	// Rollouts that cost and settle their trials, while specs wait for others.
	cases["ahead-costly"] = func() {
		for i := range 12 {
			Describe(fmt.Sprint("in ", i), func() {
				RolloutTask(fmt.Sprintf("t%02d", i),
					func(_ context.Context, t *Trial) (int, error) {
						t.Cost(1)
						time.Sleep(time.Millisecond)
						return 0, errors.New("lost")
					},
					func(SpecContext, *Trial, int) {}, Val, Trials(1))
			})
		}
	}

	// A rollout that ignores its context and answers late.
	cases["ahead-late"] = func() {
		for i := range 4 {
			RolloutTask(fmt.Sprint("t", i),
				func(_ context.Context, t *Trial) (int, error) {
					if i == 1 {
						time.Sleep(600 * time.Millisecond)
						t.Score(1)
						Expect(1).To(Equal(2))
						return 1, nil
					}
					return 2, nil
				},
				func(_ SpecContext, t *Trial, out int) {
					time.Sleep(200 * time.Millisecond)
					t.Score(float64(out) / 4)
				}, Val, Trials(1), TimeLimit(150*time.Millisecond), GracePeriod(50*time.Millisecond))
		}
	}
}
