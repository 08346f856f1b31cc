package evaltest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// take asks for trials in the suite's place, so that the suite asks again.
func (j *job) take(t *testing.T, path string, task string, trials ...int) {
	t.Helper()
	g, err := seal.ReadGrant(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range trials {
		if _, err := seal.NewClient(g).Ask(context.Background(), task, k); err != nil {
			t.Fatal(err)
		}
	}
}

// refusedTrial checks a suite in which trials were refused.
func (r ran) refusedTrial(t *testing.T, exit int, code string, texts ...string) {
	t.Helper()
	r.exits(t, red)
	got, ok, err := r.dir.ReadRefusal()
	if err != nil || !ok || got.Exit != exit || got.Code != code {
		t.Errorf("refused.json: exit %d, code %q (%v, %v), want %d, %q\n%s", got.Exit, got.Code, ok, err, exit, code, r.output)
	}
	for _, text := range append(texts, "capeval: not granted") {
		if !strings.Contains(indented.ReplaceAllString(r.output, "\n"), text) {
			t.Errorf("the output lacks %q:\n%s", text, r.output)
		}
	}
}

// Of a refused trial neither the body runs nor any hook, in any engine; the
// trials that were granted are not touched by it.
func TestRefusedTrialsDoNotRun(t *testing.T) {
	for _, c := range []struct {
		suite string
		env   []string
		task  string
		taken []int
		want  []string
	}{
		{"sealed", nil, "held-d", []int{0, 1}, nil},
		{"sealed", nil, "held-e", []int{1}, nil},
		{"sealed", []string{"CAPEVAL_WORKERS=3"}, "held-e", []int{1}, nil},
		{"sealed-around", nil, "held-a", []int{0, 1}, []string{}},
		{"sealed-around", []string{"RUNNER=Around"}, "held-a", []int{0, 1}, []string{}},
		{"sealed-ordered", nil, "held-a", []int{0, 1}, []string{}}, // the first fails the rest of an ordered container
	} {
		t.Run(fmt.Sprint(c.suite, c.env, c.task, c.taken), func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				j := newJob(t, how.on(c.suite, slices.Concat(asRunEvals, c.env)...))
				path := j.grant(t, seal.Candidate, nil)
				j.take(t, path, c.task, c.taken...)
				r := j.with(path).run(t)
				r.refusedTrial(t, 7, "S05", "was already granted once in this finalize")
				for _, k := range c.taken {
					for _, line := range r.traced {
						trial := fmt.Sprintf("%s [trial %d]", c.task, k)
						if strings.Contains(line, trial) || line == fmt.Sprintf("body %s %d", c.task, k) || line == fmt.Sprintf("rollout %s %d", c.task, k) {
							t.Errorf("of %s ran: %s\n%s", trial, line, r.output)
						}
					}
				}
				if c.want != nil {
					r.did(t, c.want...)
					return
				}
				if got := r.lines("body"); len(got) != 10-len(c.taken) {
					t.Errorf("%d bodies ran, want those of the granted ones: %q", len(got), got)
				}
				rep, g := j.proven(t)
				if len(rep.Twice) != len(c.taken) || rep.Clean() || len(receipts(t, r, g)) != 10-len(c.taken) {
					t.Errorf("asked twice: %v", rep.Twice)
				}
				if res := r.result(t); res.NMissing != len(c.taken) || res.ByCause[record.CauseNotStarted] != len(c.taken) {
					t.Errorf("missing %d: %v, want %d that never started", res.NMissing, res.ByCause, len(c.taken))
				}
			})
		})
	}
}

// In an ordered container a later refusal leaves what was set up to its
// clean-ups.
func TestRefusalInAnOrderedContainer(t *testing.T) {
	j := newJob(t, suiteRun{}.on("sealed-ordered", asRunEvals...))
	path := j.grant(t, seal.Candidate, nil)
	j.take(t, path, "held-b", 0)
	r := j.with(path).run(t)
	r.refusedTrial(t, 7, "S05", "candidate/kinds/held-b/0")
	if got := r.lines("body", "after all", "before all", "clean up all"); !slices.Equal(got, []string{"after all", "before all", "body held-a 0", "body held-a 1", "clean up all"}) {
		t.Errorf("%q\n%s", got, r.output)
	}
	if got := r.lines("before ordered"); len(got) != 2 {
		t.Errorf("hooks %q, want those of held-a alone", got)
	}
}

// The suite started again with the same grant gets nothing.
func TestSecondRunIsRefused(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		j := newJob(t, how.on("sealed", asRunEvals...))
		path := j.grant(t, seal.Candidate, nil)
		j.with(path).run(t).exits(t, !red)
		r := j.with(path).run(t)
		r.refusedTrial(t, 7, "S05", "Trial candidate/kinds/held-a/0 was already granted once", "remove --repeat, -count, FlakeAttempts")
		r.did(t, "ordinary")
		rep, _ := j.proven(t)
		if len(rep.Twice) != 10 || rep.Granted != 10 || j.observed.Load() != 1 {
			t.Errorf("%d asked twice, %d granted, %d looks", len(rep.Twice), rep.Granted, j.observed.Load())
		}
	})
}

// Two suites race with one grant: no trial runs twice, and the results
// that either lacks are seen.
func TestTwoSuitesWithOneGrant(t *testing.T) {
	j := newJob(t, suiteRun{procs: 2}.on("sealed", append([]string{"PAUSE=20"}, asRunEvals...)...))
	path := j.grant(t, seal.Candidate, nil)
	runs := make([]ran, 2)
	var both sync.WaitGroup
	for i := range runs {
		how := j.with(path)
		how.root = filepath.Join(t.TempDir(), "run")
		both.Go(func() { runs[i] = how.run(t) })
	}
	both.Wait()
	rep, g := j.proven(t)
	var bodies []string
	results := 0
	for _, r := range runs {
		bodies = append(bodies, r.lines("body", "rollout")...)
		results += len(receipts(t, r, g))
		if r.result(t).NMissing == 0 && len(rep.Twice) > 10 {
			t.Error("a run that lacks trials says that none is missing")
		}
	}
	slices.Sort(bodies)
	if !slices.Equal(bodies, sealedBodies()) {
		t.Errorf("ran %q, want each once", bodies)
	}
	if results != 10 || rep.Granted != 10 || rep.Clean() || len(rep.Twice) != 10 || j.observed.Load() != 1 {
		t.Errorf("%d results, %d grants, %d asked twice, %d looks; want 10, 10, 10, 1", results, rep.Granted, len(rep.Twice), j.observed.Load())
	}
}

// When the look cannot be recorded nothing runs, and nothing was looked at.
func TestLookThatCannotBeRecorded(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		j := newJob(t, how.on("sealed", asRunEvals...))
		j.unable = errors.New("the remote said 403")
		r := j.run(t, seal.Candidate)
		r.refusedTrial(t, 6, "S13", "The look could not be recorded on the ledger: the remote said 403. No test trial was run.")
		r.did(t, "ordinary")
		rep, g := j.proven(t)
		if rep.Observed || rep.Granted != 0 || g.Observed || rep.Unobserved == nil || j.observed.Load() != 1 {
			t.Errorf("%+v after %d attempts to record", rep, j.observed.Load())
		}
	})
}

// What fails before the first trial burns nothing.
func TestNothingIsBurnedBeforeTheFirstTrial(t *testing.T) {
	for name, env := range map[string][]string{
		"sealed-before-suite": nil, "sealed-staged-before-suite": {"CAPEVAL_WORKERS=4"}, "sealed-no-task": nil, "sealed-none": nil,
	} {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				j := newJob(t, how.on("sealed", asRunEvals...))
				if strings.Contains(name, "before-suite") {
					j = newJob(t, how.on(name, asRunEvals...))
				}
				then := j.with(j.grant(t, seal.Candidate, nil))
				then.name = name
				then.env = append(then.env, env...)
				r := then.run(t)
				r.exits(t, name != "sealed-no-task")
				if got := r.lines("body", "rollout"); len(got) > 0 {
					t.Errorf("ran %q", got)
				}
				j.untouched(t)
			})
		})
	}
}

// When the finalize job is killed while trials run, the next is refused at
// once.
func TestFinalizeJobKilled(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		j := reserve(t, how.on("sealed", append([]string{"PAUSE=300"}, asRunEvals...)...))
		cmd := j.process(t)
		how = j.with(j.grant(t, seal.Candidate, nil))
		how.start = func(*exec.Cmd) {
			for range 1000 { // until the look is on the ledger, and a trial runs
				if data, _ := os.ReadFile(j.ledger); strings.Contains(string(data), "observed") {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			time.Sleep(100 * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		r := how.run(t)
		r.refusedTrial(t, 7, "S03", "attempt-1", "its job has ended")
		bodies := r.lines("body")
		if len(bodies) == 0 || len(bodies) > 4 {
			t.Errorf("%d bodies ran, want those that were granted before the kill: %q\n%s", len(bodies), bodies, r.output)
		}
		f, err := os.Open(j.journal)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		g, err := seal.ReadGrants(f, j.nonce)
		if err != nil || !g.Observed || g.Closed || len(g.Granted()) < len(bodies) {
			t.Errorf("the journal proves %d grants (%v) for %d bodies", len(g.Granted()), err, len(bodies))
		}
		if got := receipts(t, r, g); len(got) != len(bodies) {
			t.Errorf("%d results count, want %d", len(got), len(bodies))
		}
	})
}

// process runs the job's broker in a process of its own.
func (j *job) process(t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestBrokerProcess$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), "BROKER="+strings.Join([]string{j.how.name, j.private, j.journal, j.ledger, j.nonce, j.attempt}, "\n"), "BROKER_ENV="+strings.Join(j.how.env, "\n"))
	for _, s := range j.decl.Plan().Slots(seal.Candidate) {
		cmd.Env[len(cmd.Env)-1] += "\n" + fmt.Sprintf("SLOT=%s %d", s.Task, s.Trial)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "listening\n" {
		t.Fatalf("the broker's process said %q, %v", line, err)
	}
	return cmd
}

// TestBrokerProcess is the process of a broker, for the tests that kill it.
func TestBrokerProcess(t *testing.T) {
	spec := os.Getenv("BROKER")
	if spec == "" {
		t.Skip("only started by other tests")
	}
	f := strings.Split(spec, "\n")
	j := job{private: f[1], journal: f[2], ledger: f[3], nonce: f[4], attempt: f[5]}
	cfg := j.config()
	for line := range strings.Lines(os.Getenv("BROKER_ENV")) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), "SLOT="); ok {
			slot := seal.Slot{Role: seal.Candidate, Suite: "kinds"}
			if _, err := fmt.Sscanf(s, "%s %d", &slot.Task, &slot.Trial); err != nil {
				t.Fatal(err)
			}
			cfg.Slots = append(cfg.Slots, slot)
		}
	}
	b, err := seal.StartBroker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	fmt.Println("listening")
	time.Sleep(time.Minute)
}
