package evaltest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/capeval/capeval/record"
)

// ahead is the rollout of a cell, which may run before its spec begins.
type ahead struct {
	started bool          // with the pool's mu held
	done    chan struct{} // closed when the rollout has ended
	trial   *Trial
	out     any
}

func newAhead() *ahead { return &ahead{done: make(chan struct{})} }

// pool runs rollouts ahead of their specs.
type pool struct {
	s       *suite
	workers int
	ctx     context.Context
	cancel  context.CancelFunc
	idle    sync.WaitGroup

	mu     sync.Mutex
	more   *sync.Cond
	queue  []*cell       // in the order of declaration, without those that started
	ready  int           // started and not yet taken by their spec
	window int           // how many may be
	over   bool          // nothing starts any more
	closed chan struct{} // closed with over
}

// workers is how many rollouts run at a time, 1 under `ginkgo -p`, where the
// processes are the workers.
func (s *suite) workers() int {
	n := s.settings.run.Workers.V
	if n < 1 {
		return 1
	}
	if total, _ := processes(); total > 1 {
		return 1
	}
	return n
}

// startPool starts the workers, where the configuration asks for several.
func (s *suite) startPool() {
	total, _ := processes()
	if want := s.settings.run.Workers.V; want > 1 && total > 1 {
		s.say("workers = %d ignored: the %d processes of ginkgo -p are the workers", want, total)
	}
	n := s.workers()
	if n == 1 {
		return
	}
	if s.focused {
		s.say("workers = %d ignored: with programmatic focus only the specs in focus run, one after the other", n)
		return
	}
	chosen, err := s.selection()
	if err != nil {
		s.say("workers = %d ignored: %v", n, err)
		return
	}
	p := &pool{s: s, workers: n, window: 4 * n, closed: make(chan struct{})}
	p.more = sync.NewCond(&p.mu)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	for _, c := range s.reg.order {
		if c.ahead != nil && chosen(c) {
			p.queue = append(p.queue, c)
		}
	}
	s.live.pool = p
	for range n {
		p.idle.Add(1)
		go p.work()
	}
}

// work takes cells from the queue until nothing may start any more.
func (p *pool) work() {
	defer p.idle.Done()
	for {
		c := p.next()
		if c == nil {
			return
		}
		p.s.rollout(p.ctx, c)
		close(c.ahead.done)
	}
}

func (p *pool) next() *cell {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.over && (len(p.queue) == 0 || p.ready >= p.window) { // take may still fill the queue
		p.more.Wait()
	}
	if p.s.live.spent() != "" {
		p.close()
	}
	if p.over {
		return nil
	}
	c := p.queue[0]
	p.queue = p.queue[1:]
	c.ahead.started = true
	p.ready++
	return c
}

// close ends the pool: whoever waits for a rollout that did not start goes on.
// Called with mu held.
func (p *pool) close() {
	if !p.over {
		p.over = true
		close(p.closed)
		p.more.Broadcast()
	}
}

// take waits for the rollout of c. The queue is in the order of declaration, and
// Ginkgo shuffles top-level containers: where no worker has started c, the queue
// is turned so that it goes on from c, and the window grows, so that an order
// that was not foreseen costs a little and blocks nothing. It reports false when
// there is nothing to wait for.
func (p *pool) take(ctx context.Context, c *cell) bool {
	p.mu.Lock()
	if !c.ahead.started {
		if p.over || p.s.live.spent() != "" {
			p.mu.Unlock()
			return false
		}
		if i := slices.Index(p.queue, c); i >= 0 {
			p.queue = slices.Concat(p.queue[i:], p.queue[:i])
		} else { // a selection that was not foreseen
			p.queue = slices.Insert(p.queue, 0, c)
		}
		p.window += p.workers
		p.more.Broadcast()
	}
	p.mu.Unlock()
	if !p.wait(ctx, c) {
		return false
	}
	p.mu.Lock()
	p.ready--
	p.more.Broadcast()
	p.mu.Unlock()
	return true
}

// wait reports whether the rollout of c ended, before ctx did, or the pool
// without starting it.
func (p *pool) wait(ctx context.Context, c *cell) bool {
	select {
	case <-c.ahead.done:
		return true
	case <-ctx.Done():
		return false
	case <-p.closed:
	}
	p.mu.Lock()
	started := c.ahead.started
	p.mu.Unlock()
	if !started {
		return false
	}
	select {
	case <-c.ahead.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// stopPool ends the workers and waits for what they have under way, so that
// nobody writes any more.
func (l *live) stopPool() {
	p := l.pool
	if p == nil {
		return
	}
	p.mu.Lock()
	p.close()
	p.mu.Unlock()
	p.cancel()
	ended := make(chan struct{})
	go func() { p.idle.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
	}
}

// begun reports whether the rollout has been started. Without a pool none is
// before its spec.
func (a *ahead) begun() bool {
	if p := here.live.pool; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	return a.started
}

// roll makes the rollout of c, or waits for it, and leaves its trial in c. There
// is none where it did not start, or was not waited for.
func (s *suite) roll(ctx context.Context, c *cell) {
	if p := s.live.pool; p == nil {
		s.rollout(ctx, c)
	} else if !p.take(ctx, c) {
		return
	}
	c.trial = c.ahead.trial
}

// rollout runs the first stage of c. Where that settles the trial, its record is
// written at once.
func (s *suite) rollout(ctx context.Context, c *cell) {
	if !s.admitted(ctx, c) {
		return
	}
	t := s.start(c)
	c.ahead.trial = t
	if s.live.pool == nil {
		s.setCurrent(t)
	}
	s.live.rollout.Expect()
	task := c.task
	b := bounds{limit: task.limit, harness: task.harness, grace: task.grace}
	var out any
	returned := s.bounded(ctx, t, inRollout, b, func(inner context.Context) {
		o, err := task.stages.rollout(inner, t)
		if err != nil {
			t.mu.Lock()
			t.missing(err, record.CauseRunner)
			t.mu.Unlock()
			return
		}
		out = o
	})
	if returned {
		c.ahead.out = out
	}
	t.mu.Lock()
	settled := !returned || t.lost != nil || t.failed != nil || t.cause() != running
	if !settled {
		t.stage = inSetup
	}
	t.mu.Unlock()
	if settled {
		if returned && out != nil {
			t.keepRollout(out)
		}
		s.finish(t, returned)
	}
}
