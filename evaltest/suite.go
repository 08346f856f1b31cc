package evaltest

import (
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

const timeoutFlag = "ginkgo.timeout"

// RunEvals runs the tasks and specs of a package as the suite of that name. It
// registers the fail handler and calls Ginkgo's RunSpecs, so it is the last
// statement of the test function, and there is one in a package:
//
//	func TestRefundAgent(t *testing.T) {
//		RunEvals(t, "refund-agent", Trials(4), BaseSeed(7))
//	}
//
// The options are Trials and BaseSeed, and whatever RunSpecs takes. It reports
// whether the suite passed. Ginkgo's limit of one hour is lifted unless
// --ginkgo.timeout was given.
func RunEvals(t ginkgo.GinkgoTestingT, suite string, options ...any) bool {
	s := here
	s.settings.name = suite
	var rest []any
	for _, option := range options {
		switch v := option.(type) {
		case trialsDecorator:
			n := int(v)
			s.settings.codeTrials = &n
		case baseSeedDecorator:
			n := int64(v)
			s.settings.codeSeed = &n
		case ginkgo.Labels:
			s.labels = append(s.labels, v...)
			rest = append(rest, option)
		default:
			rest = append(rest, option)
		}
	}
	s.settings.resolve()
	gomega.RegisterFailHandler(FailHandler)

	config, _ := ginkgo.GinkgoConfiguration()
	if !flagGiven(timeoutFlag) && config.Timeout == time.Hour {
		config.Timeout = 0
		rest = append([]any{config}, rest...)
	}
	if s.sealed.open() {
		rest = append([]any{ginkgo.AroundNode(s.gate)}, rest...) // before those of the user
	}
	s.testing = t
	return ginkgo.RunSpecs(t, suite, rest...)
}

// nearDeadline warns when go test will end the process before the agents' own
// limits could.
func (s *suite) nearDeadline() {
	d, ok := s.testing.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return
	}
	at, ok := d.Deadline()
	if !ok {
		return
	}
	var need time.Duration
	for _, c := range s.reg.order {
		need += c.task.limit
	}
	if s.live.pool != nil {
		need /= time.Duration(s.live.pool.workers)
	}
	if left := time.Until(at); need > left {
		s.say("the plan may need %v by its time limits, and go test ends it in %v: give go test -timeout 0, or use capeval-ci run", need.Round(time.Second), left.Round(time.Second))
	}
}
