package evaltest

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/capeval/capeval/record"
)

// FailHandler is the fail handler that RunEvals gives to Gomega, and that is put
// before whatever handler a suite registered itself. A failed expectation in a
// trial's body, or in a goroutine that the body started, is reward 0 for that
// trial; in a hook of the trial it makes the trial missing, with cause setup;
// everywhere else it goes to the handler that was there before, or to Ginkgo's
// Fail.
func FailHandler(message string, callerSkip ...int) {
	skip := 1
	if len(callerSkip) > 0 {
		skip += callerSkip[0]
	}
	o, direct, known := whose()
	if !known {
		o, known = here.running(message)
	}
	switch {
	case !known:
		here.outside(message, skip)
	case o.hook:
		o.trial.failHook(message, direct)
	default: // record first: user code may recover, nothing recovers from Goexit
		o.trial.fail(message)
		runtime.Goexit()
	}
}

// outside handles a failure that is no trial's.
func (s *suite) outside(message string, skip int) {
	s.mu.Lock()
	if s.after != nil {
		s.after.fail(message)
	}
	previous := s.previous
	s.mu.Unlock()
	if previous == nil {
		previous = ginkgo.Fail
	}
	previous(message, skip+1)
}

// running finds the trial that a goroutine of unknown descent works for: the
// one whose body or hook runs now. While a body that was left behind still runs
// it could be either's, so that trial then is missing.
func (s *suite) running(message string) (owner, bool) {
	s.mu.Lock()
	t, leaked := s.current, s.leaked
	s.mu.Unlock()
	if t == nil {
		return owner{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended || t.stage == inCleanup {
		return owner{}, false
	}
	if leaked > 0 && t.stage != inSetup {
		t.scored, t.failed = false, nil
		t.lose(record.CauseRunner, "a failure that cannot be attributed, while an earlier body still runs: "+message)
	}
	return owner{trial: t, hook: t.stage == inSetup}, true
}

// failHook settles a failure inside a hook. direct says that it happened on the
// hook's own goroutine, where Ginkgo's Skip may panic.
func (t *Trial) failHook(message string, direct bool) {
	t.mu.Lock()
	over := t.ended
	if !over {
		t.lose(setupCause(t.cause()), message)
	}
	t.mu.Unlock()
	switch {
	case over && direct:
		panic(cleanupFailure(message))
	case over:
		here.afterwards(t, message)
	case direct:
		ginkgo.Skip("capeval: set-up failed, nothing was measured: " + message)
	default:
		func() {
			defer func() { _ = recover() }()
			ginkgo.Skip("capeval: set-up failed, nothing was measured: " + message)
		}()
	}
	runtime.Goexit()
}

// cleanupFailure ends a clean-up hook; the guard swallows it.
type cleanupFailure string

// GinkgoRecoverShouldIgnoreThisPanic keeps GinkgoRecover from turning it into a
// failure.
func (cleanupFailure) GinkgoRecoverShouldIgnoreThisPanic() {}

func setupCause(end ending) record.Cause {
	if end == cancelled {
		return record.CauseInterrupted
	}
	return record.CauseSetup
}

// adoptFailHandler puts FailHandler before the handler that Gomega has.
func (s *suite) adoptFailHandler() {
	field := reflect.ValueOf(gomega.Default).Elem().FieldByName("Fail")
	if field.IsValid() && !field.IsNil() {
		if field.Pointer() == reflect.ValueOf(FailHandler).Pointer() {
			return
		}
		if f, ok := field.Interface().(func(string, ...int)); ok {
			s.previous = f
		} else if field.Type().ConvertibleTo(reflect.TypeFor[func(string, ...int)]()) {
			s.previous = field.Convert(reflect.TypeFor[func(string, ...int)]()).Interface().(func(string, ...int))
		}
	}
	gomega.RegisterFailHandler(FailHandler)
}

// ginkgoCall says which of Ginkgo's functions a recovered panic came from: Fail,
// Skip, AbortSuite, or "". It must be called in the recovering function.
func ginkgoCall() string {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if name, ok := strings.CutPrefix(f.Function, "github.com/onsi/ginkgo/v2."); ok {
			switch name {
			case "Fail", "Skip", "AbortSuite":
				return name
			}
		}
		if !more {
			return ""
		}
	}
}
