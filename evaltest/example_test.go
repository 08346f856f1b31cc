package evaltest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
)

// answer stands for an agent: what it replies depends on the seed.
func answer(_ context.Context, prompt string, seed int64) (string, error) {
	return fmt.Sprintf("%s: a refund (%d)", prompt, seed), nil
}

// The test function of a suite has one statement.
func ExampleRunEvals() {
	_ = func(t *testing.T) { // func TestRefundAgent(t *testing.T)
		evaltest.RunEvals(t, "refund-agent", evaltest.Trials(4), evaltest.BaseSeed(7))
	}
}

func ExampleTask() {
	_ = func() bool {
		return evaltest.Task("late-delivery", evaltest.Val, func(ctx ginkgo.SpecContext, t *evaltest.Trial) {
			reply, err := answer(ctx, "my parcel is two weeks late", t.Seed())
			t.Missing(err) // nothing was measured: never a 0
			t.Output(reply)
			gomega.Expect(reply).To(gomega.ContainSubstring("refund")) // else reward 0
			t.Score(0.75, "polite, not complete")
		}, evaltest.TimeLimit(2*time.Minute))
	}
}

// A container gives its split, and its hooks run for every trial.
func ExampleTask_inContainer() {
	_ = func() bool {
		return ginkgo.Describe("refunds", evaltest.Train, func() {
			var prompt string
			ginkgo.BeforeEach(func() { prompt = "cancel my order" })

			evaltest.Task("cancel", func(ctx ginkgo.SpecContext, t *evaltest.Trial) {
				reply, err := answer(ctx, prompt, t.Seed())
				t.Missing(err)
				t.Output(reply)
			})
		})
	}
}

func ExampleRolloutTask() {
	_ = func() bool {
		return evaltest.RolloutTask("cancel-twice",
			func(ctx context.Context, t *evaltest.Trial) (string, error) { // may run ahead on workers
				return answer(ctx, "cancel it, and again", t.Seed())
			},
			func(_ ginkgo.SpecContext, t *evaltest.Trial, reply string) { // serially, in order
				t.Score(float64(len(reply)%2), "rubric")
			},
			evaltest.Val)
	}
}

func ExampleTasksFrom() {
	type refund struct {
		Question string   `json:"question"`
		Expect   []string `json:"expect"`
	}
	_ = func() bool {
		return evaltest.TasksFrom("testdata/tasks.jsonl", func(ctx ginkgo.SpecContext, t *evaltest.Trial, in refund) {
			reply, err := answer(ctx, in.Question, t.Seed())
			t.Missing(err)
			for _, word := range in.Expect {
				gomega.Expect(reply).To(gomega.ContainSubstring(word))
			}
		}, evaltest.Cluster("refunds"))
	}
}

func ExampleAfterSplit() {
	_ = func() bool {
		return evaltest.AfterSplit(evaltest.Val, func(r record.SplitResult) {
			gomega.Expect(r).To(matchers.HaveCoverage(gomega.BeNumerically(">=", 0.9)))
			gomega.Expect(r).To(matchers.HaveReward(gomega.BeNumerically(">=", 0.8)))
		})
	}
}

// An error that names its cause makes the trial missing with that cause.
func ExampleRateLimited() {
	err := fmt.Errorf("call the model: %w", evaltest.RateLimited(errors.New("429 Too Many Requests")))

	var named interface{ Cause() string }
	fmt.Println(err)
	fmt.Println(errors.As(err, &named), named.Cause())
	// Output:
	// call the model: 429 Too Many Requests
	// true rate_limit
}

func ExampleScorerFailed() {
	err := evaltest.ScorerFailed(errors.New("the judge answered with an empty page"))

	var named interface{ Cause() string }
	fmt.Println(errors.As(err, &named), named.Cause())
	// Output:
	// true scorer
}
