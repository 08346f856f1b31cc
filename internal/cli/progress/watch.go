package progress

import (
	"sync"
	"time"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// State is how far a pass over a suite is.
type State struct {
	Suite   string
	Split   record.Split
	Total   int // cells that the pass is to run, before any selection
	Scored  int
	Missing int
	CostUSD float64
	Elapsed time.Duration

	tasks map[string]mean
}

type mean struct {
	sum float64
	n   int
}

// Ended is the number of trials that have ended.
func (s State) Ended() int { return s.Scored + s.Missing }

// Reward is the mean over tasks of the mean over their trials so far; ok is
// false before the first trial is scored.
func (s State) Reward() (reward float64, ok bool) {
	n := 0
	for _, m := range s.tasks {
		if m.n > 0 {
			reward += m.sum / float64(m.n)
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return reward / float64(n), true
}

// Left estimates the time that the rest takes; 0 is not known.
func (s State) Left() time.Duration {
	if s.Ended() == 0 || s.Ended() >= s.Total {
		return 0
	}
	return s.Elapsed / time.Duration(s.Ended()) * time.Duration(s.Total-s.Ended())
}

// Display shows states. Its methods are called by one goroutine.
type Display interface {
	Update(State) // called about ten times a second
	Done(State)   // called once, at the end of a pass
}

// Watch is one pass over the suite of one package.
type Watch struct {
	// Find returns the suite's folder once it is there.
	Find func() (rundir.Dir, bool)
	// Todo lists the cells that a further pass runs; nil means the plan.
	Todo []rundir.Pending
	// Clock tells the time.
	Clock func() time.Time
}

// Interval is the time between two readings.
const Interval = 100 * time.Millisecond

// Start shows the pass on d until the function that it returns is called.
func (w Watch) Start(d Display) (stop func()) {
	v := &view{watch: w, began: w.Clock()}
	v.state.tasks = map[string]mean{}
	if w.Todo != nil {
		v.state.Total = len(w.Todo)
		if dir, ok := w.Find(); ok {
			v.open(dir)
		}
	}
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(Interval)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				v.read()
				if v.tail != nil {
					v.settle()
					d.Done(v.state)
				}
				return
			case <-tick.C:
				v.read()
				if v.tail != nil {
					d.Update(v.state)
				}
			}
		}
	})
	return sync.OnceFunc(func() { close(quit); done.Wait() })
}

// view is a watch under way.
type view struct {
	watch Watch
	began time.Time
	state State
	tail  *tail
}

func (v *view) open(dir rundir.Dir) {
	run, err := dir.ReadRun()
	if err != nil {
		return // not yet
	}
	v.state.Suite, v.state.Split = run.Suite, run.Split
	v.tail = &tail{dir: dir, files: map[string]*position{}}
	if v.watch.Todo != nil {
		v.tail = newTail(dir)
		return
	}
	v.state.Total = selected(run)
}

func selected(run record.Run) (n int) {
	for _, p := range run.Plan {
		n += p.Trials - len(p.Elsewhere) - len(p.Deselected)
	}
	return n
}

func (v *view) read() {
	v.state.Elapsed = v.watch.Clock().Sub(v.began)
	if v.tail == nil {
		dir, ok := v.watch.Find()
		if !ok {
			return
		}
		if v.open(dir); v.tail == nil {
			return
		}
	}
	v.tail.next(v.state.add)
}

// add counts a trial.
func (s *State) add(r row) {
	s.CostUSD += r.Metrics.CostUSD
	if r.Status != record.Scored || r.Reward == nil {
		s.Missing++
		return
	}
	s.Scored++
	m := s.tasks[r.Task]
	s.tasks[r.Task] = mean{m.sum + *r.Reward, m.n + 1}
}

// settle counts the pass again from its records, once it has ended: journals
// are merged then, and the selection is known.
func (v *view) settle() {
	trials, _, err := v.tail.dir.ReadJournal()
	run, runErr := v.tail.dir.ReadRun()
	if err != nil || runErr != nil {
		return // what was seen has to do
	}
	attempt := map[record.Cell]int{}
	for _, p := range v.watch.Todo {
		attempt[p.Cell] = p.Attempt
	}
	s := &v.state
	s.Scored, s.Missing, s.CostUSD, s.tasks = 0, 0, 0, map[string]mean{}
	if v.watch.Todo == nil {
		s.Total = selected(run)
	}
	for _, t := range trials {
		n, ours := attempt[record.Cell{Task: t.Task, Trial: t.Trial}]
		if t.Attempt == 0 || v.watch.Todo != nil && (!ours || n != t.Attempt) {
			continue
		}
		r := row{Task: t.Task, Status: t.Status}
		r.Metrics.CostUSD = t.Metrics["cost_usd"]
		if reward, ok := t.Reward.Value(); ok {
			r.Reward = &reward
		}
		s.add(r)
	}
}
