package agentexec

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// The values that stand for a zero field of a Command.
const (
	DefaultMaxOutput = 1 << 20                // bytes kept of each stream
	DefaultGrace     = 500 * time.Millisecond // from SIGTERM to SIGKILL
)

// Output is awaited this long after the process group is gone: after a command
// that ended by itself, and after one that was stopped. Only a process that left
// the group can still hold a pipe then.
const (
	drainEnded   = time.Second
	drainStopped = 200 * time.Millisecond
)

// Command is a command line that acts as the agent. The zero value of every
// field but Path is usable; a Command may be used by several trials at once.
type Command struct {
	Path string   // a program on PATH, or a path to one
	Args []string // its arguments, without the program's name
	Dir  string   // working directory; "" is the test's own. See TempCopy

	// Env holds NAME=value pairs that are added to the inherited environment
	// and win over it. Names that begin with CAPEVAL_ are refused.
	Env []string
	// AllowEnv lists the names that are inherited; nil inherits every name. A
	// trailing * stands for any rest: "LC_*".
	AllowEnv []string
	// DenyEnv lists names that are not inherited, in the form of AllowEnv. It
	// wins over AllowEnv.
	DenyEnv []string

	// MaxOutput is the number of bytes kept of stdout, and again of stderr: the
	// first half and the last half. 0 is DefaultMaxOutput. The rest is read and
	// thrown away, so that a flood neither fills the memory nor blocks.
	MaxOutput int
	// Grace is the time between SIGTERM and SIGKILL when the trial ends before
	// the command does. 0 is DefaultGrace. Keep it below a second: the trial
	// does not wait for long after its limit.
	Grace time.Duration
}

// Cell is the part of a trial that a command is told about; *evaltest.Trial is
// one.
type Cell interface {
	Task() string
	Index() int
	Seed() int64
}

// Exec runs the command for one trial with stdin as its standard input, and
// waits until it and its process group are gone.
//
// The error is nil when the command exited 0, and else a *Failure whose Cause
// says who is at fault. It can be returned from the rollout of a RolloutTask as
// it is. The Result holds what was captured in either case.
func (c Command) Exec(ctx context.Context, t Cell, stdin string) (Result, error) {
	none := Result{ExitCode: -1}
	if ctx.Err() != nil {
		return none, stopped(ctx, none)
	}
	env, err := c.environ(t)
	if err != nil {
		return none, &Failure{cause: causeRunner, message: "agent not started: " + err.Error(), err: err}
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, env
	p, err := start(cmd, stdin, c.maxOutput())
	if err != nil {
		return none, &Failure{cause: causeRunner, message: "agent not started: " + err.Error(), err: err}
	}
	res, inTime, err := p.await(ctx, c.grace())
	switch {
	case err != nil:
		return res, &Failure{cause: causeRunner, message: "agent lost: " + err.Error(), err: err}
	case !inTime:
		return res, stopped(ctx, res)
	case res.ExitCode == 0:
		return res, nil
	case res.ExitCode == exitTempFail:
		return res, &Failure{cause: causeRunner, message: "agent exited 75 (temporary failure)" + res.lastWords()}
	case res.Signal != "":
		return res, &Failure{cause: causeAgentError, message: "agent ended by " + res.Signal + res.lastWords()}
	}
	return res, &Failure{cause: causeAgentError, message: fmt.Sprintf("agent exited %d%s", res.ExitCode, res.lastWords())}
}

// exitTempFail is EX_TEMPFAIL of sysexits.h.
const exitTempFail = 75

// stopped says why ctx ended a command early. A deadline is the agent's limit,
// anything else an interrupt, unless the context's own cause knows better.
func stopped(ctx context.Context, res Result) *Failure {
	err := context.Cause(ctx)
	var known interface{ Cause() string }
	switch {
	case errors.As(err, &known):
		return &Failure{cause: known.Cause(), message: err.Error(), err: err}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Failure{cause: causeAgentTimeout, message: "agent stopped at its time limit" + res.lastWords(), err: err}
	}
	return &Failure{cause: causeInterrupted, message: "agent stopped: " + err.Error(), err: err}
}

func (c Command) maxOutput() int {
	if c.MaxOutput <= 0 {
		return DefaultMaxOutput
	}
	return c.MaxOutput
}

func (c Command) grace() time.Duration {
	if c.Grace <= 0 {
		return DefaultGrace
	}
	return c.Grace
}
