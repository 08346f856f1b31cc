package evaltest

import (
	"time"

	"github.com/capeval/capeval/record"
)

// The splits, as decorators of a Task or of a container around tasks. The run
// measures one of them, val unless told otherwise. Test is sealed: its tasks
// are not even built outside the finalize job.
const (
	Train = record.Train
	Val   = record.Val
	Test  = record.Test
)

// Decorators are values of these types. They may be given to Task,
// RolloutTask, TasksFrom and, except BaseSeed, to a Ginkgo container around
// them, where the innermost value counts.
type (
	trialsDecorator    int
	baseSeedDecorator  int64
	timeLimitDecorator time.Duration
	clusterDecorator   string
	contentDecorator   struct {
		value  any
		digest string // of a row, whose value may not be at hand
	}
	panicDecorator bool
)

// PanicIsFailure says that a panic in the body is the agent's own failure
// (reward 0, cause agent_error) and not a fault of the harness (missing,
// cause panic). Use it where the agent runs inside the test process.
const PanicIsFailure = panicDecorator(true)

// Trials sets how often a task is run: trial k, counted from 0, runs with seed
// base seed + k. It decorates a task or, given to RunEvals, the whole suite.
// The default is 1, from which no spread within a task can be seen. A flag,
// an environment variable and capeval.yaml override it. A number below 1 is
// refused before the first trial.
func Trials(n int) trialsDecorator { return trialsDecorator(n) }

// BaseSeed sets the seed of trial 0, the same for every task of the suite. It
// belongs in RunEvals. The default is 0.
func BaseSeed(n int64) baseSeedDecorator { return baseSeedDecorator(n) }

// TimeLimit is the agent's own limit: a trial that exceeds it has reward 0 with
// cause agent_timeout. It bounds a single body, or the rollout of a
// RolloutTask; it does not run during hooks or scoring. A limit of 0 is none.
//
// At the limit the context ends; a body that does not return within a short
// grace (Ginkgo's GracePeriod decorator, 2 s unless given) is left behind. It
// can no longer touch any record, but it goes on using the machine: only a
// process can be killed, see package agentexec.
func TimeLimit(d time.Duration) timeLimitDecorator { return timeLimitDecorator(d) }

// Cluster names the family of a task whose variants stand or fall together, so
// that the standard error can be clustered. Undecorated tasks are on their own.
func Cluster(name string) clusterDecorator { return clusterDecorator(name) }

// Content declares what the task is, apart from its id: any value that JSON can
// hold. Its digest tells whether two runs measured the same task. Without it
// the digest is that of the declaring source file, marked coarse.
func Content(v any) contentDecorator { return contentDecorator{value: v} }
