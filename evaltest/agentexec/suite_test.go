//go:build unix

package agentexec_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	. "github.com/capeval/capeval/evaltest/agentexec"
	. "github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
)

// Each task ends in another way; AfterSplit checks what became of it.
func TestTrialsEndAsTheyShould(t *testing.T) {
	RunEvals(t, "agentexec", Trials(2), BaseSeed(7))
}

func sh(script string) Command { return Command{Path: "/bin/sh", Args: []string{"-c", script}} }

// body runs the script as the agent; no script but a good one comes back.
func body(c Command) func(SpecContext, *Trial) {
	return func(ctx SpecContext, t *Trial) {
		res := c.Run(ctx, t, "in")
		Expect(res.Stdout).To(Equal(fmt.Sprintf("in %s %d %d", t.Task(), t.Index(), 7+t.Index())))
	}
}

// stage is the same through a RolloutTask, which gets the error of Exec.
func stage(c Command) (func(context.Context, *Trial) (Result, error), func(SpecContext, *Trial, Result)) {
	return func(ctx context.Context, t *Trial) (Result, error) { return c.Exec(ctx, t, "in") },
		func(ctx SpecContext, t *Trial, r Result) { t.Score(float64(len(r.Stdout) / 100)) }
}

var (
	answers   = sh(`printf '%s %s %s %s' "$(cat)" "$CAPEVAL_TASK" "$CAPEVAL_TRIAL" "$CAPEVAL_SEED"`)
	fails     = sh(`echo why >&2; exit 3`)
	tempFails = sh(`exit 75`)
	hangs     = Command{
		Path: "/bin/sh", Args: []string{"-c", `trap '' TERM; sleep 600 & while :; do sleep 1; done`},
		Grace: 50 * time.Millisecond,
	}
	absent = Command{Path: "/no/such/agent"}
)

var _ = Describe("a command", Val, func() {
	Task("answers", body(answers))
	Task("fails", body(fails))
	Task("temp-fails", body(tempFails))
	Task("hangs", body(hangs), TimeLimit(100*time.Millisecond))
	Task("absent", body(absent))
	for _, r := range []struct {
		id    string
		c     Command
		limit time.Duration
	}{{"fails", fails, 0}, {"temp-fails", tempFails, 0}, {"hangs", hangs, 100 * time.Millisecond}, {"absent", absent, 0}} {
		rollout, score := stage(r.c)
		RolloutTask("rollout-"+r.id, rollout, score, TimeLimit(r.limit))
	}
})

var _ = AfterSplit(Val, func(r record.SplitResult) {
	want := map[string]record.Cause{
		"fails": "agent_error", "temp-fails": "runner", "hangs": "agent_timeout", "absent": "runner", "answers": "",
	}
	Expect(r.PerTask).To(HaveLen(9))
	for _, task := range r.PerTask {
		cause := want[strings.TrimPrefix(task.Task, "rollout-")]
		Expect(task.Causes).To(Equal([]record.Cause{cause, cause}), task.Task)
		wanted := 0.0
		if task.Task == "answers" {
			wanted = 1
		}
		for _, reward := range task.TrialRewards {
			v, ok := reward.Value()
			Expect(ok).To(Equal(!cause.Missing()), task.Task)
			Expect(ok && v != wanted).To(BeFalse(), "%s: %v", task.Task, v)
		}
	}
	Expect(r).To(HaveMissing(8)) // two trials of four tasks that were no fault of the agent
})
