package evaltest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// live is a run under way in this process: where records go.
type live struct {
	run     record.Run
	root    string // the run directory
	dir     rundir.Dir
	journal *rundir.Journal
	rollout *rundir.Rollouts
	budget  *budget
	pool    *pool // nil when rollouts do not run ahead

	writing sync.WaitGroup // records that are final and not yet written

	mu    sync.Mutex
	broke error // the first record that could not be written
	stop  string
}

// open makes the live run of this process: its own journal beside those of the
// others.
func (s *suite) open(root string, run record.Run) (*live, error) {
	l := &live{run: run, root: root, dir: rundir.Suite(root, run.Suite)}
	_, process := processes()
	journal, err := l.dir.OpenJournal(fmt.Sprintf("p%d-%d-%d", process, time.Now().UnixNano(), os.Getpid()))
	if err != nil {
		return nil, err
	}
	l.journal = journal
	ahead := 0 // one rollout after the other leaves time enough
	if n := s.workers(); n > 1 {
		ahead = n
	}
	l.rollout = l.dir.OpenRollouts(run.Split, ahead)
	if s.settings.passes.budget > 0 {
		l.budget, err = openBudget(filepath.Join(root, "cost.log"), s.settings.passes.budget)
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// write keeps the first error of writing a record: the suite then fails, since
// a trial that left no record is lost.
func (l *live) write(err error) {
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broke == nil {
		l.broke = err
	}
}

// spent says why no further trial may start, "" while one may.
func (l *live) spent() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.broke != nil:
		return "records cannot be written: " + l.broke.Error()
	case l.stop != "":
		return l.stop
	case l.budget != nil:
		total, err := l.budget.total()
		if err != nil {
			l.broke = err
			return err.Error()
		}
		if total >= l.budget.limit {
			l.stop = fmt.Sprintf("the budget of %g USD is spent (%.4g USD)", l.budget.limit, total)
		}
	}
	return l.stop
}

// end writes what a trial left.
func (l *live) end(rec *record.Trial, outputs []output, feedback []string) {
	if len(outputs) > 0 {
		r := rollout{
			Schema: "capeval.rollout/v1", Suite: rec.Suite, Task: rec.Task, Trial: rec.Trial, Attempt: rec.Attempt,
			Seed: rec.Seed, Reward: rec.Reward, Cause: string(rec.Cause), Feedback: feedback,
		}
		for _, o := range outputs {
			r.Outputs = append(r.Outputs, o.value)
		}
		l.write(l.rollout.Write(rec.Task, rec.Arm, rec.Trial, r))
	}
	if l.budget != nil {
		l.write(l.budget.add(rec.Metrics["cost_usd"]))
	}
	l.write(l.journal.End(*rec))
}

// entry tells readers of Ginkgo's own report what the trial is worth. Nothing
// is computed from it.
func (l *live) entry(t *Trial) {
	ginkgo.AddReportEntry("capeval", ginkgo.ReportEntryVisibilityNever, struct {
		Task   string         `json:"task"`
		Trial  int            `json:"trial"`
		Seed   int64          `json:"seed"`
		Reward stats.Estimate `json:"reward"`
		Status record.Status  `json:"status"`
		Cause  record.Cause   `json:"cause"`
	}{t.Task(), t.Index(), t.seed, t.worth.reward, t.worth.status, t.worth.cause})
}
