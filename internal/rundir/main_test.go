package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// The test binary is its own child: the writers that are killed are real
// processes.
const childEnv = "CAPEVAL_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "write":
		childWrite(os.Args[1])
	case "finish":
		childFinish(os.Args[1])
	}
}

// kills is how many children a test kills.
func kills() int {
	if os.Getenv("CAPEVAL_LONG") != "" {
		return 200
	}
	return 25
}

const (
	planTasks  = 40
	planTrials = 50
)

// plan is a run of 40 tasks with 50 trials each. Of its first task one trial is
// deselected and one lies in another shard.
func plan() record.Run {
	run := record.Run{
		ID: "run-1", Suite: "suite", Package: "example.org/evals", Split: record.Val, Arm: "candidate",
		BaseSeed: 100, Trials: planTrials, Workers: 1, Procs: 1, Attempt: 1, PassThreshold: 1,
		Started: "2026-11-30T21:17:00Z",
	}
	for i := range planTasks {
		run.Plan = append(run.Plan, record.PlanTask{
			Task: fmt.Sprintf("task-%02d", i), Trials: planTrials, ContentDigest: fmt.Sprintf("sha256:%064d", i),
		})
	}
	run.Plan[0].Deselected = []int{3}
	run.Plan[0].Elsewhere = []int{4}
	return run
}

func startOf(run record.Run, task string, trial, attempt int) record.Start {
	return record.Start{
		Run: run.ID, Suite: run.Suite, Split: run.Split, Arm: run.Arm, Task: task, Trial: trial,
		Attempt: attempt, Seed: run.BaseSeed + int64(trial), Started: "2026-11-30T21:17:01Z",
	}
}

func scored(run record.Run, task string, trial, attempt int, reward float64) record.Trial {
	return record.Trial{
		Run: run.ID, Suite: run.Suite, Split: run.Split, Arm: run.Arm, Task: task, Trial: trial, Attempt: attempt,
		Seed: run.BaseSeed + int64(trial), Reward: stats.Defined(reward), Status: record.Scored,
		Feedback: strings.Repeat("feedback ", 1+trial*17), Started: "2026-11-30T21:17:01Z", Seconds: 0.5,
	}
}

func missing(run record.Run, task string, trial, attempt int, cause record.Cause) record.Trial {
	t := scored(run, task, trial, attempt, 0)
	t.Reward, t.Status, t.Cause, t.Message = stats.Undefined(), record.Missing, cause, "why"
	return t
}

// childWrite runs every cell that is to do, on four workers, and prints each
// cell whose End returned.
func childWrite(root string) {
	d := Suite(root, "suite")
	run := plan()
	var j *Journal
	todo, err := d.Todo(false)
	if err == nil {
		j, err = d.OpenJournal("p1")
	}
	if err != nil {
		fatal(err)
	}
	cells := make(chan Pending)
	var out sync.Mutex
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for c := range cells {
				err := errors.Join(
					j.Start(startOf(run, c.Task, c.Trial, c.Attempt)),
					d.WriteRollout(run.Split, c.Task, run.Arm, c.Trial, map[string]string{"output": strings.Repeat("z", 4000)}),
					j.End(scored(run, c.Task, c.Trial, c.Attempt, 0.5)))
				if err != nil {
					fatal(err)
				}
				out.Lock()
				fmt.Printf("%s %d %d\n", c.Task, c.Trial, c.Attempt)
				out.Unlock()
			}
		})
	}
	for _, c := range todo {
		cells <- c
	}
	close(cells)
	workers.Wait()
	if err := j.Close(); err != nil {
		fatal(err)
	}
}

// childFinish finishes again and again.
func childFinish(root string) {
	d := Suite(root, "suite")
	fmt.Println("ready")
	for {
		if err := d.Finish(); err != nil {
			fatal(err)
		}
		fmt.Println("finished")
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// runChild starts a child, kills it at a random instant up to most after its
// first line, and returns the whole lines that it printed.
func runChild(t *testing.T, kind, root string, rnd *rand.Rand, most time.Duration) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, root)
	cmd.Env = append(os.Environ(), childEnv+"="+kind)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	var lines []string
	var timer *time.Timer
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		if timer == nil {
			timer = time.AfterFunc(time.Duration(rnd.Int64N(int64(most))), func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	_ = cmd.Wait()
	return lines
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
