package rundir_test

import (
	"testing"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

func TestShorten(t *testing.T) {
	d := rundir.Dir{Path: t.TempDir(), Name: "s"}
	run := record.Run{ID: "r1", Suite: "s", Split: record.Val, Arm: "candidate", Trials: 5, PassThreshold: 1, Plan: []record.PlanTask{
		{Task: "a", Trials: 5, Deselected: []int{0, 4}}, {Task: "b", Trials: 5}, {Task: "c", Trials: 1},
	}}
	if err := d.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	j, err := d.OpenJournal("p1")
	if err != nil {
		t.Fatal(err)
	}
	end := func(task string, k int) {
		t.Helper()
		err := j.End(record.Trial{Run: "r1", Suite: "s", Split: record.Val, Arm: "candidate", Task: task, Trial: k, Attempt: 1, Seed: int64(k), Status: record.Scored, Reward: stats.Defined(1)})
		if err != nil {
			t.Fatal(err)
		}
	}
	end("a", 1)
	end("b", 0)
	end("b", 1)
	end("c", 0)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Shorten(1, "clear"); err == nil {
		t.Error("measurements were dropped")
	}
	n, err := d.Shorten(2, "clear")
	if err != nil || n != 5 { // a 2, 3 and b 2, 3, 4: a's 4 was never selected
		t.Fatalf("%d cells left out, %v, want 5", n, err)
	}
	res, err := d.Result(record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.NCells != 4 || res.NMissing != 0 || res.NTasks != 3 {
		t.Errorf("%d cells of %d tasks, %d missing, want 4 of 3, none", res.NCells, res.NTasks, res.NMissing)
	}
	if got, err := d.ReadRun(); err != nil || got.Stopped != "clear" || got.Trials != 2 || got.Plan[0].Trials != 2 || len(got.Plan[0].Deselected) != 1 {
		t.Errorf("run.json: %+v, %v", got, err)
	}
	if n, err := d.Shorten(2, "again"); err != nil || n != 0 {
		t.Errorf("the second time %d cells were left out, %v", n, err)
	}
}
