//go:build unix

package agentexec_test

import (
	"context"
	"fmt"
	"time"

	"github.com/capeval/capeval/evaltest/agentexec"
)

// trial stands for a *evaltest.Trial.
type trial struct{}

func (trial) Task() string { return "greet" }
func (trial) Index() int   { return 0 }
func (trial) Seed() int64  { return 7 }

func ExampleCommand_Exec() {
	sh := func(script string) agentexec.Command {
		return agentexec.Command{Path: "/bin/sh", Args: []string{"-c", script}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	res, err := sh(`read name; echo "hello $name, seed $CAPEVAL_SEED"`).Exec(ctx, trial{}, "Ada\n")
	fmt.Print(res.Stdout, err, "\n")

	_, err = sh(`echo "no such order" >&2; exit 3`).Exec(ctx, trial{}, "")
	fmt.Println(err)
	fmt.Println(err.(*agentexec.Failure).Cause())

	_, err = agentexec.Command{Path: "/no/such/agent"}.Exec(ctx, trial{}, "")
	fmt.Println(err.(*agentexec.Failure).Cause())
	// Output:
	// hello Ada, seed 7
	// <nil>
	// agent exited 3: no such order
	// agent_error
	// runner
}
