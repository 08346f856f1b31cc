package rundir

import (
	"os"
	"testing"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// A copy of a running run can be finished, and the run goes on as it was.
func TestSnapshot(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	run := record.Run{ID: "r", Suite: "s", Split: record.Val, Arm: "a", Trials: 2, PassThreshold: 1, Plan: []record.PlanTask{{Task: "t", Trials: 2}}}
	from, to := Suite(t.TempDir(), "s"), Suite(t.TempDir(), "s")
	check(from.WriteRun(run))
	j, err := from.OpenJournal("p1")
	check(err)
	check(j.End(record.Trial{Run: "r", Suite: "s", Split: record.Val, Arm: "a", Task: "t", Attempt: 1, Status: record.Scored, Reward: stats.Defined(0.5)}))
	check(j.Start(record.Start{Run: "r", Suite: "s", Split: record.Val, Arm: "a", Task: "t", Trial: 1, Attempt: 1, Seed: 1}))
	before, err := os.ReadFile(j.Path())
	check(err)

	check(from.Snapshot(to))
	check(to.Finish())
	if open, err := to.Unfinished(); open || err != nil {
		t.Errorf("the copy is unfinished: %v, %v", open, err)
	}
	r, err := to.Result(record.Options{})
	if err != nil || r.NCells != 2 || r.NMissing != 1 || r.ByCause[record.CauseInterrupted] != 1 {
		t.Errorf("got %+v, %v, want one cell of two interrupted", r, err)
	}
	after, err := os.ReadFile(j.Path())
	if open, _ := from.Unfinished(); err != nil || string(after) != string(before) || !open {
		t.Errorf("the run changed: %v", err)
	}
	check(j.Close())
}
