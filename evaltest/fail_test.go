package evaltest

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/onsi/gomega"

	"github.com/capeval/capeval/record"
)

// The handler that a suite registered gets what is no trial's, with the place
// of the failure still right.
func TestFailHandlerAdoption(t *testing.T) {
	before := here.previous
	t.Cleanup(func() { here.previous = before })
	var message, file string
	var line int
	gomega.RegisterFailHandler(func(m string, skip ...int) {
		message = m
		_, file, line, _ = runtime.Caller(skip[0] + 1)
	})
	here.adoptFailHandler()
	here.adoptFailHandler() // a tree may be built twice
	_, _, at, _ := runtime.Caller(0)
	gomega.Expect(1).To(gomega.Equal(2), "who")
	if message == "" || filepath.Base(file) != "fail_test.go" || line != at+1 {
		t.Errorf("%q at %s:%d, want the line after %d", message, file, line, at)
	}
}

// A failed expectation in a trial's goroutine is the trial's, and ends it.
func TestFailHandlerOfATrial(t *testing.T) {
	before := here.previous
	t.Cleanup(func() { here.previous = before })
	gomega.RegisterFailHandler(func(m string, _ ...int) { t.Errorf("it went to the suite: %s", m) })
	here.adoptFailHandler()
	trial := newTrial("s", &cell{task: &task{id: "a"}}, 0)
	reached := false
	in(1, func() {
		defer own(owner{trial: trial})()
		defer func() {
			if recover() != nil {
				t.Error("it was a panic, which user code could recover")
			}
		}()
		gomega.Expect(1).To(gomega.Equal(2))
		reached = true
	})
	if reached || trial.failed == nil || trial.failed.cause != record.CauseExpectation {
		t.Errorf("reached = %v, failed %+v", reached, trial.failed)
	}
}

type named string

func (n named) Error() string { return string(n) }
func (n named) Cause() string { return string(n) }

func TestCauseOf(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		err  error
		want record.Cause
	}{
		{broken, record.CauseRunner},
		{RateLimited(broken), record.CauseRateLimit},
		{fmt.Errorf("call: %w", ScorerFailed(broken)), record.CauseScorer},
		{errors.Join(broken, RateLimited(broken)), record.CauseRateLimit},
		{named("agent_limit"), record.CauseAgentLimit},
		{named("invalid_score"), record.CauseInvalidScore},
		{named("weather"), record.CauseRunner}, // not in the closed list
		{named(""), record.CauseRunner},
	} {
		if got := causeOf(c.err, record.CauseRunner); got != c.want {
			t.Errorf("%v: got %s, want %s", c.err, got, c.want)
		}
	}
	if RateLimited(nil) != nil || ScorerFailed(nil) != nil {
		t.Error("nil became an error")
	}
	if !errors.Is(RateLimited(broken), broken) || RateLimited(broken).Error() != "broken" {
		t.Error("the error is hidden")
	}
}
