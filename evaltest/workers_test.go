package evaltest_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/capeval/capeval/record"
)

// scores are the traced scorings, in their order.
func (r ran) scores() []string {
	return slices.DeleteFunc(slices.Clone(r.traced), func(s string) bool { return !strings.HasPrefix(s, "score ") })
}

func TestRolloutsRunAhead(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("ahead", "CAPEVAL_WORKERS=6").run(t)
	r.exits(t, !red)
	var peak, scorePeak int
	at := strings.Index(r.output, "peaks ")
	if _, err := fmt.Sscanf(r.output[max(at, 0):], "peaks %d %d", &peak, &scorePeak); err != nil {
		t.Fatalf("%v\n%s", err, r.output)
	}
	if peak < 4 || peak > 6 { // twelve rollouts of 60 ms, six workers
		t.Errorf("%d rollouts at a time, want 6 or nearly so", peak)
	}
	if scorePeak != 1 {
		t.Errorf("%d scorings at a time, want 1", scorePeak)
	}
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprintf("score t%02d/0", i))
	}
	if got := r.scores(); !slices.Equal(got, want) {
		t.Errorf("scored in the order %q", got)
	}
	if res := r.result(t); res.NMissing != 0 || res.NCells != 12 {
		t.Errorf("%d of %d cells are missing: %v\n%s", res.NMissing, res.NCells, res.ByCause, r.output)
	}
}

func TestOneWorkerRunsOneRollout(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("ahead").run(t)
	r.exits(t, !red)
	r.has(t, "peaks 1 1")
	for i, line := range r.traced { // each is scored right after its rollout
		if want := []string{"roll", "score"}[i%2]; !strings.HasPrefix(line, want+fmt.Sprintf(" t%02d", i/2)) {
			t.Fatalf("side effect %d is %q", i, line)
		}
	}
}

// A rollout sees no fixture of its trial with one worker either, or it would
// depend on the number of workers.
func TestRolloutsSeeNoHooks(t *testing.T) {
	for name, how := range map[string]suiteRun{"one": {}, "procs": {procs: 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := how.on("hookless").run(t)
			r.exits(t, !red)
			r.did(t, "none", "none", "none")
		})
	}
}

func TestWorkersRollOutOnlyWhatIsSelected(t *testing.T) {
	two := []string{"roll two/0", "score two/0", "roll two/1", "score two/1"}
	for _, c := range []struct {
		name  string
		suite string
		flags []string
		want  []string
	}{
		{"focus", "ahead-small", []string{"--focus=two"}, two},
		{"focus on a trial", "ahead-small", []string{`--focus=two \[trial 1\]`}, two[2:]},
		{"skip", "ahead-small", []string{"--skip=one|three"}, two},
		{"label", "ahead-small", []string{"--label-filter=id-two && !nothing"}, two},
		{"label of the task", "ahead-small", []string{"--label-filter=task: isSubsetOf {two, four} && task: containsAny two"}, two},
		{"file", "ahead-small", []string{"--focus-file=workers_test.go", "--focus=two"}, two},
		{"suite's name", "ahead-small", []string{"--focus=^kinds two"}, two},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := suiteRun{}.on(c.suite, "CAPEVAL_WORKERS=4").flag(c.flags...).run(t)
			r.exits(t, !red)
			r.did(t, c.want...)
		})
	}
	t.Run("programmatic focus", func(t *testing.T) {
		t.Parallel()
		r := suiteRun{}.on("ahead-small-focus", "CAPEVAL_WORKERS=4").run(t)
		r.did(t, "roll four/0", "score four/0", "roll four/1", "score four/1")
		r.has(t, "workers = 4 ignored: with programmatic focus")
	})
	t.Run("procs", func(t *testing.T) {
		t.Parallel()
		r := suiteRun{procs: 2}.on("ahead-small", "CAPEVAL_WORKERS=4").flag("--focus=two").run(t)
		r.exits(t, !red)
		r.did(t, two...)
		r.has(t, "workers = 4 ignored: the 2 processes of ginkgo -p are the workers")
	})
}

// What the workers did not foresee is run all the same.
func TestUnforeseenSelection(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("ahead-unforeseen", "CAPEVAL_WORKERS=2").flag("--focus-file=elsewhere_test.go").run(t)
	r.exits(t, !red)
	if res := r.result(t); res.NCells != 6 || res.NMissing != 0 {
		t.Errorf("%d cells, %d missing\n%s", res.NCells, res.NMissing, r.output)
	}
}

// A budget that a rollout spends ends the waiting for those that did not start.
func TestBudgetOfRollouts(t *testing.T) {
	t.Parallel()
	for seed := range 6 { // in orders that the workers did not foresee
		r := suiteRun{}.on("ahead-costly", "CAPEVAL_WORKERS=3", "CAPEVAL_BUDGET_USD=4").flag("--randomize-all", fmt.Sprintf("--seed=%d", seed+1)).run(t)
		r.exits(t, red) // nothing was measured
		res := r.result(t)
		if lost, never := res.ByCause[record.CauseRunner], res.ByCause[record.CauseNotStarted]; res.NCells != 12 || lost < 4 || lost > 4+3 || lost+never != 12 {
			t.Errorf("%d cells, causes %v\n%s", res.NCells, res.ByCause, r.output)
		}
	}
}

// Eight rollouts are under way when one panics, one exits its goroutine, one
// fails in a grandchild, and so on: each fault is its own trial's.
func TestFaultsOfConcurrentRollouts(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("faults", "CAPEVAL_WORKERS=8").run(t)
	r.exits(t, !red)
	for i, w := range []want{
		{cause: record.CausePanic},
		{cause: record.CauseRunner},
		{scored: true, cause: record.CauseExpectation},
		{scored: true, cause: record.CauseExpectation},
		{scored: true, cause: record.CauseAgentError},
		{cause: record.CauseRateLimit},
		{scored: true, cause: record.CauseExpectation},
		{scored: true, reward: 0.5},
	} {
		trials := r.trials(t, fmt.Sprint("t", i))
		if len(trials) != 1 {
			t.Fatalf("t%d has %d records\n%s", i, len(trials), r.output)
		}
		w.check(t, trials[0])
	}
	if f := r.trials(t, "t2")[0].Feedback; !strings.Contains(f, "grandchild") {
		t.Errorf("feedback of t2: %q", f)
	}
	if f := r.trials(t, "t3")[0].Feedback; !strings.Contains(f, "direct") {
		t.Errorf("feedback of t3: %q", f)
	}
}

// A suite that stops at a red spec leaves the rollouts under way missing; their
// cells and those that never began stay in the denominator.
func TestFailFastWhileRolloutsRun(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("ahead-stopped", "CAPEVAL_WORKERS=3").flag("--fail-fast").run(t)
	r.exits(t, red)
	r.did(t, "after split")
	res := r.result(t)
	if res.NCells != 12 || res.NMissing != 12 || res.Reward.Defined() || res.ByCause[record.CauseInterrupted] != 3 || res.ByCause[record.CauseNotStarted] != 9 {
		t.Errorf("%d cells, %d missing, reward %v, causes %v; want 3 interrupted and 9 not started\n%s", res.NCells, res.NMissing, res.Reward, res.ByCause, r.output)
	}
}

func TestInterruptWhileRolloutsRun(t *testing.T) {
	t.Parallel()
	r := suiteRun{}.on("ahead-interrupted", "CAPEVAL_WORKERS=4").interrupted(t, syscall.SIGINT).run(t)
	r.exits(t, red)
	r.did(t, "after split", "scored t00")
	res := r.result(t)
	if res.NCells != 8 || res.NMissing != 7 || res.ByCause[record.CauseInterrupted] < 4 || res.ByCause[record.CauseInterrupted]+res.ByCause[record.CauseNotStarted] != 7 {
		t.Errorf("%d cells, %d missing, causes %v\n%s", res.NCells, res.NMissing, res.ByCause, r.output)
	}
	want{scored: true, reward: 1}.check(t, r.trials(t, "t00")[0])
}

// A rollout that ignores its limit and answers late is left behind; its late
// verdicts touch nobody.
func TestLateRollout(t *testing.T) {
	for _, workers := range []string{"1", "2"} {
		t.Run(workers, func(t *testing.T) {
			t.Parallel()
			r := suiteRun{}.on("ahead-late", "CAPEVAL_WORKERS="+workers).run(t)
			r.exits(t, !red)
			for i := range 4 {
				w := want{scored: true, reward: 0.5}
				if i == 1 {
					w = want{scored: true, cause: record.CauseAgentTimeout}
				}
				w.check(t, r.trials(t, fmt.Sprint("t", i))[0])
			}
			r.has(t, "its body goes on after the end of its time and was left behind")
		})
	}
}

// interrupted returns r so that it gets the signal once a trial has announced
// itself: the process, or the whole group of the ginkgo command as a terminal
// would do it.
func (r suiteRun) interrupted(t *testing.T, signal syscall.Signal) suiteRun {
	t.Helper()
	announced := t.TempDir() + "/announced"
	r = r.on(r.name, "ANNOUNCE="+announced)
	r.group = true
	r.start = func(cmd *exec.Cmd) {
		waitFor(t, announced)
		if r.procs > 1 {
			// A process that has not come to Ginkgo's handler yet would die of the
			// signal, and that is another test.
			time.Sleep(time.Second)
		}
		if err := syscall.Kill(-cmd.Process.Pid, signal); err != nil {
			t.Error(err)
		}
	}
	return r
}
