package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signals hands SIGINT and SIGTERM on to the suite that runs. Ginkgo cleans up
// at the first and reports at the second; the third kills.
type signals struct {
	in     chan os.Signal
	done   chan struct{}
	mu     sync.Mutex
	first  os.Signal
	count  int
	target target // nil while no suite runs
}

// target is a running suite.
type target interface {
	Signal(os.Signal)
	Kill()
}

var errInterrupted = errors.New("interrupted")

// listen begins to take signals. The first one also cancels what is not a suite.
func listen(cancel context.CancelCauseFunc) *signals {
	s := &signals{in: make(chan os.Signal, 8), done: make(chan struct{})}
	signal.Notify(s.in, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case sig := <-s.in:
				cancel(errInterrupted)
				s.take(sig)
			case <-s.done:
				return
			}
		}
	}()
	return s
}

// stop ends the forwarding. Where a signal came, further ones go on being taken
// and dropped: the exit code is settled, and one that arrives while the command
// ends must not kill it in the middle of its last words.
func (s *signals) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		signal.Stop(s.in)
	}
	close(s.done)
}

func (s *signals) take(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count++; s.count == 1 {
		s.first = sig
	}
	switch {
	case s.target == nil:
	case s.count < 3:
		s.target.Signal(sig)
	default:
		s.target.Kill()
	}
}

// forward makes t the suite that signals go to. One that came while no suite
// ran is handed on at once.
func (s *signals) forward(t target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target = t
	if t != nil && s.first != nil {
		t.Signal(s.first)
	}
}

// code is the exit code that a signal owes, 0 when none came.
func (s *signals) code() int {
	if s == nil {
		return exitOK
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.first {
	case nil:
		return exitOK
	case os.Interrupt:
		return exitInt
	}
	return exitTerm
}
