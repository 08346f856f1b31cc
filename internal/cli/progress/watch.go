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
	// Todo is the number of cells that a further pass runs; nil means the plan.
	Todo *int
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
		v.state.Total = *w.Todo
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
	for _, p := range run.Plan {
		v.state.Total += p.Trials - len(p.Elsewhere) - len(p.Deselected)
	}
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
	v.tail.next(func(r row) {
		v.state.CostUSD += r.Metrics.CostUSD
		if r.Status != record.Scored || r.Reward == nil {
			v.state.Missing++
			return
		}
		v.state.Scored++
		m := v.state.tasks[r.Task]
		v.state.tasks[r.Task] = mean{m.sum + *r.Reward, m.n + 1}
	})
}
