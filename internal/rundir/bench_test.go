package rundir

import (
	"fmt"
	"testing"

	"github.com/capeval/capeval/record"
)

// BenchmarkSettle settles a run of 1,000 tasks with 10 trials each, from its
// journal to the result.
func BenchmarkSettle(b *testing.B) {
	run := plan()
	run.Plan = nil
	for i := range 1000 {
		run.Plan = append(run.Plan, record.PlanTask{Task: fmt.Sprintf("task %d", i), Trials: 10, ContentDigest: fmt.Sprintf("sha256:%064d", i)})
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		d := Suite(b.TempDir(), "suite")
		j, err := d.OpenJournal("p1")
		if err != nil {
			b.Fatal(err)
		}
		fail := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		fail(d.WriteRun(run))
		for _, p := range run.Plan {
			for k := range p.Trials {
				t := scored(run, p.Task, k, 1, 1)
				t.Feedback, t.ContentDigest = "", p.ContentDigest
				fail(j.Start(startOf(run, p.Task, k, 1)))
				fail(j.End(t))
			}
		}
		fail(j.Close())
		b.StartTimer()
		if _, err := d.Settle(record.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJournal writes the two lines of a trial.
func BenchmarkJournal(b *testing.B) {
	j, err := Suite(b.TempDir(), "suite").OpenJournal("p1")
	if err != nil {
		b.Fatal(err)
	}
	run := plan()
	start, trial := startOf(run, "task-01", 1, 1), scored(run, "task-01", 1, 1, 1)
	trial.ContentDigest = run.Plan[1].ContentDigest
	b.ReportAllocs()
	for b.Loop() {
		if err := j.Start(start); err != nil {
			b.Fatal(err)
		}
		if err := j.End(trial); err != nil {
			b.Fatal(err)
		}
	}
}
