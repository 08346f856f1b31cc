// Package command_test measures a command line. The command here is a small Go
// program, built once, so that the example needs nothing else. Any other takes
// its place, from the environment:
//
//	CAPEVAL_EXAMPLE_AGENT='claude -p' go test -v .
//	CAPEVAL_EXAMPLE_AGENT='python3 my_agent.py' go test -v .
//
// or in the code below: agentexec.Command{Path: "python3", Args: []string{"my_agent.py"}}.
package command_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/evaltest/agentexec"
	. "github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
)

func TestCommand(t *testing.T) {
	RunEvals(t, "command", Trials(5), BaseSeed(1))
}

// agent is the command under test, set before the first trial.
var agent agentexec.Command

// The first process builds the agent, the others are told where it is.
var _ = SynchronizedBeforeSuite(func() []byte {
	if os.Getenv("CAPEVAL_EXAMPLE_AGENT") != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "example-agent-*")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(os.RemoveAll, dir)
	path := filepath.Join(dir, "agent")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", path, "./agent").CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	return []byte(path)
}, func(path []byte) {
	agent = agentexec.Command{Path: string(path)}
	if words := strings.Fields(os.Getenv("CAPEVAL_EXAMPLE_AGENT")); len(words) > 0 {
		agent = agentexec.Command{Path: words[0], Args: words[1:]}
	}
})

// problem is a line of testdata/tasks.jsonl, apart from id and split.
type problem struct {
	Question string `json:"question"`
	Answer   int    `json:"answer"`
}

const ask = "\nAnswer with one JSON object and nothing else: {\"answer\": <whole number>}\n"

var _ = TasksFrom("testdata/tasks.jsonl", func(ctx SpecContext, t *Trial, in problem) {
	out := agent.Run(ctx, t, in.Question+ask) // a crash is the agent's 0, a failure to start is missing
	t.Output(out.Stdout)
	var got struct {
		Answer *int `json:"answer"`
	}
	Expect(json.Unmarshal([]byte(out.Stdout), &got)).To(Succeed(), "the answer is no JSON")
	Expect(got.Answer).To(HaveValue(Equal(in.Answer)))
}, TimeLimit(10*time.Second)) // the agent's own: give a slower agent more

var _ = AfterSplit(Val, func(r record.SplitResult) {
	Expect(r).To(HaveCoverage(1.0))
	Expect(r).To(HaveReward(BeNumerically(">=", 0.55)))
})
