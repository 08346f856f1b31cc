package agentexec

import (
	"context"
	"errors"

	"github.com/capeval/capeval/evaltest"
)

// Run runs the command for trial t with stdin as its standard input. When the
// command gave no answer, Run ends the trial and does not return: through
// AgentFailed when the agent failed by itself, through Missing in every other
// case. What the command wrote is then kept as the trial's output, so that a
// reader can see why.
//
// Call it in the body of a Task; in the rollout of a RolloutTask, Exec does.
func (c Command) Run(ctx context.Context, t *evaltest.Trial, stdin string) Result {
	res, err := c.Exec(ctx, t, stdin)
	if err == nil {
		return res
	}
	if res.Stdout != "" || res.Stderr != "" {
		t.Output(struct {
			Stdout   string `json:"stdout"`
			Stderr   string `json:"stderr"`
			ExitCode int    `json:"exit_code"`
		}{res.Stdout, res.Stderr, res.ExitCode})
	}
	if f := (*Failure)(nil); errors.As(err, &f) && f.Cause() == causeAgentError {
		t.AgentFailed(err)
	}
	t.Missing(err) // the cause that err names; once the limit has passed, agent_timeout
	return res
}
