package rundir

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/capeval/capeval/record"
)

// A run that is killed again and again is resumed until it is through: each
// time the folder can be read and holds every trial whose End returned.
func TestWriterKilled(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	run := plan()
	var d Dir
	acknowledged := map[string]bool{}
	killed, whole, interrupted := 0, 0, 0
	for round := range kills() {
		if d.Path == "" {
			root := t.TempDir()
			d = Suite(root, "suite")
			must(t, d.Claim("example.org/evals"), d.WriteRun(run))
			clear(acknowledged)
		}
		for _, cell := range runChild(t, "write", filepath.Dir(d.Path), rnd, 40*time.Millisecond) {
			acknowledged[cell] = true
		}
		killed++
		trials, starts, err := d.ReadJournal()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for _, tr := range trials {
			if tr.Status == record.Scored {
				delete(acknowledged, fmt.Sprintf("%s %d %d", tr.Task, tr.Trial, tr.Attempt))
			}
		}
		if len(acknowledged) > 0 {
			t.Fatalf("round %d: lost %v", round, acknowledged)
		}
		for _, tr := range trials { // they must stay for ever
			if tr.Status == record.Scored {
				acknowledged[fmt.Sprintf("%s %d %d", tr.Task, tr.Trial, tr.Attempt)] = true
			}
		}
		before, err := d.Result(record.Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if round%3 == 1 {
			must(t, d.Finish())
			after, err := d.Result(record.Options{})
			must(t, err)
			if before.Reward != after.Reward || before.NMissing != after.NMissing || before.NCells != after.NCells {
				t.Fatalf("round %d: finishing changed the result: %v of %d became %v of %d", round,
					before.Reward, before.NMissing, after.Reward, after.NMissing)
			}
		}
		ended := map[attempt]bool{}
		for _, tr := range trials {
			ended[ofTrial(&tr)] = true
		}
		if slices.ContainsFunc(starts, func(s record.Start) bool { return !ended[ofStart(&s)] }) {
			interrupted++
		}
		todo, err := d.Todo(false)
		must(t, err)
		if len(todo) != before.NMissing {
			t.Fatalf("round %d: %d cells to do, %d missing", round, len(todo), before.NMissing)
		}
		if len(todo) == 0 {
			whole++
			if before.NCells != planTasks*planTrials-2 {
				t.Fatalf("%d cells, want all but the two that are not this run's", before.NCells)
			}
			d = Dir{}
		}
	}
	t.Logf("%d writers killed, %d with trials in flight, %d runs brought to their end", killed, interrupted, whole)
	if killed > 5 && interrupted == 0 {
		t.Error("no kill met a trial in flight: the test kills too late")
	}
}

// small is a folder with everything that Finish has to deal with.
func small(t *testing.T) (Dir, record.Run) {
	t.Helper()
	run := plan()
	run.Plan = run.Plan[:2]
	run.Plan[0].Trials, run.Plan[1].Trials = 5, 3
	d := Suite(t.TempDir(), "suite")
	must(t, d.Claim("example.org/evals"), d.WriteRun(run))
	for p, write := range []func(j *Journal){
		func(j *Journal) {
			must(t, j.Start(startOf(run, "task-00", 0, 1)), j.End(scored(run, "task-00", 0, 1, 1)))
			must(t, j.Start(startOf(run, "task-00", 1, 1))) // in flight
			must(t, j.Start(startOf(run, "task-01", 0, 1)), j.End(missing(run, "task-01", 0, 1, record.CauseRateLimit)))
		},
		func(j *Journal) {
			must(t, j.Start(startOf(run, "task-01", 0, 2)), j.End(scored(run, "task-01", 0, 2, 0.25)))
			must(t, j.Start(startOf(run, "task-01", 1, 1)), j.End(missing(run, "task-01", 1, 1, record.CauseSetup)))
		},
	} {
		j, err := d.OpenJournal("p1") // the second gets another name
		must(t, err)
		write(j)
		must(t, j.Close())
		if want := []string{"p1.jsonl", "p1.2.jsonl"}[p]; filepath.Base(j.Path()) != want {
			t.Fatalf("journal %s, want %s", j.Path(), want)
		}
	}
	torn := filepath.Join(d.Path, "journal", "p1.2.jsonl")
	data, err := os.ReadFile(torn)
	must(t, err, os.WriteFile(torn, append(data, []byte(`{"schema":"capeval.trial/v1","suite":"su`)...), 0o644))
	return d, run
}

func rows(trials []record.Trial) []string {
	var all []string
	for _, t := range trials {
		all = append(all, fmt.Sprintf("%s %d.%d %s%s", t.Task, t.Trial, t.Attempt, t.Reward, t.Cause))
	}
	return all
}

var finished = []string{
	"task-00 0.1 1",
	"task-00 1.1 -interrupted",
	"task-00 2.0 -not_started", // 3 is deselected, 4 another shard's
	"task-01 0.1 -rate_limit",
	"task-01 0.2 0.25",
	"task-01 1.1 -setup",
	"task-01 2.0 -not_started",
}

func TestFinish(t *testing.T) {
	d, run := small(t)
	must(t, d.WriteTodo([]Pending{{Cell: record.Cell{Task: "task-00"}, Attempt: 1}}))
	must(t, d.Finish())
	trials, starts, err := d.ReadJournal()
	must(t, err)
	if got := rows(trials); !slices.Equal(got, finished) {
		t.Errorf("rows %q, want %q", got, finished)
	}
	if len(starts) != 0 {
		t.Errorf("%d start marks are left", len(starts))
	}
	for _, tr := range trials {
		if tr.Seed != run.BaseSeed+int64(tr.Trial) || tr.Run != run.ID {
			t.Errorf("row %+v: seed or run is not the plan's", tr)
		}
	}
	for _, gone := range []string{"journal", "todo.json"} {
		if _, err := os.Stat(filepath.Join(d.Path, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	once, _ := os.ReadFile(filepath.Join(d.Path, "trials.jsonl"))
	must(t, d.Finish())
	if twice, _ := os.ReadFile(filepath.Join(d.Path, "trials.jsonl")); string(once) != string(twice) {
		t.Error("finishing twice changed trials.jsonl")
	}
}

var errKilled = errors.New("killed")

func TestFinishKilledAtEachStep(t *testing.T) {
	want, _ := small(t)
	result, err := want.Result(record.Options{})
	must(t, err, want.Finish())
	bytes, err := os.ReadFile(filepath.Join(want.Path, "trials.jsonl"))
	must(t, err)
	for n := 1; ; n++ {
		d, _ := small(t)
		steps := 0
		_, _, err := d.finish(func() error {
			if steps++; steps == n {
				return errKilled
			}
			return nil
		})
		if err == nil {
			// write, two journals, todo.json, half-made rollouts, the folder
			if steps != 6 {
				t.Errorf("%d steps, want 6", steps)
			}
			return
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		r, err := d.Result(record.Options{})
		if err != nil || r.Reward != result.Reward || r.NMissing != result.NMissing {
			t.Errorf("killed at step %d: result %v with %d missing (%v), want %v with %d", n, r.Reward, r.NMissing, err, result.Reward, result.NMissing)
		}
		must(t, d.Finish())
		if got, _ := os.ReadFile(filepath.Join(d.Path, "trials.jsonl")); string(got) != string(bytes) {
			t.Errorf("killed at step %d: finishing again gives other bytes:\n%s", n, got)
		}
	}
}

func TestFinishKilledForReal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range kills() {
		d, _ := small(t)
		runChild(t, "finish", filepath.Dir(d.Path), rnd, 5*time.Millisecond)
		trials, _, err := d.ReadJournal()
		must(t, err)
		for _, row := range []string{finished[0], finished[3], finished[4], finished[5]} {
			if !slices.Contains(rows(trials), row) {
				t.Fatalf("row %q was lost: %q", row, rows(trials))
			}
		}
		must(t, d.Finish())
		if trials, _, err = d.ReadJournal(); err != nil || !slices.Equal(rows(trials), finished) {
			t.Fatalf("rows %q (%v), want %q", rows(trials), err, finished)
		}
	}
}
