package evaltest

import (
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// assertion is an AfterSplit that runs now.
type assertion struct {
	rundir.Assertion
}

// fail keeps the first failure. One that says that a number does not exist is
// told apart: it is no failure of what was measured.
func (a *assertion) fail(message string) {
	if a.State != rundir.Passed {
		return
	}
	a.State, a.Message = rundir.Failed, message
	if strings.Contains(message, record.UndefinedPhrase) {
		a.State = rundir.Undefined
	}
}

// AfterSplit declares assertions about the result of one split: they run once,
// after all trials, in the first process, also under `ginkgo -p`, when the run
// measured that split. They do not run, and a line says so, for a subset, an
// unmerged shard or a dry run, whose numbers speak of something else.
//
// It belongs at the top level of a file. Several are run in their order, each
// even if another failed.
func AfterSplit(split record.Split, body func(record.SplitResult)) bool {
	at := location(nil)
	name := fmt.Sprintf("AfterSplit(%s) %s", split, place(at))
	return ginkgo.ReportAfterSuite(name, func(report ginkgo.Report) {
		here.assert(name, split, body, report)
	}, at)
}

func (s *suite) assert(name string, split record.Split, body func(record.SplitResult), report ginkgo.Report) {
	c := s.collected
	switch {
	case report.SuiteConfig.DryRun:
		s.say("%s not run: a dry run measures nothing", name)
		return
	case c == nil || split != c.result.Split:
		return // nothing of this split was measured, or the run was refused
	case c.skip != "":
		s.say("%s not run: %s", name, c.skip)
		return
	}
	a := &assertion{rundir.Assertion{Name: name, State: rundir.Passed}}
	s.mu.Lock()
	s.after = a
	s.mu.Unlock()
	defer func() {
		v := recover()
		s.mu.Lock()
		s.after = nil
		s.mu.Unlock()
		if v != nil && a.State == rundir.Passed {
			a.State, a.Message = rundir.Failed, fmt.Sprint(v)
			if call := ginkgoCall(); call == "" {
				a.State, a.Message = rundir.Panicked, fmt.Sprintf("panic: %v at %s", v, panicPlace())
			}
		}
		c.outcome.Asserted = append(c.outcome.Asserted, a.Assertion)
		if err := c.dir.WriteOutcome(c.outcome); err != nil {
			s.say("%v", err)
		}
		if v != nil {
			panic(v)
		}
	}()
	body(c.result)
}
