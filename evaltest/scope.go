package evaltest

import (
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/record"
)

// scope is what the decorators of a container, or of a task, say. A nil field
// says nothing.
type scope struct {
	splits         []record.Split // every one that was said, the innermost first
	trials         *int
	limit          *time.Duration
	cluster        *string
	content        *contentDecorator
	row            string
	panicIsFailure bool
	baseSeed       bool // misplaced: belongs in RunEvals

	harnessLimit time.Duration // the shortest of SpecTimeout and NodeTimeout
	grace        *time.Duration

	flakeAttempts, mustPass bool
	focused, pending        bool
}

// take splits args into what this package understands and what is left for
// Ginkgo. Timeouts of a task's spec are taken only when own is set, because on
// a container Ginkgo itself refuses them.
func take(args []any, own bool) (scope, []any) {
	var s scope
	rest := make([]any, 0, len(args))
	for _, arg := range args {
		switch v := arg.(type) {
		case record.Split:
			s.splits = append(s.splits, v)
		case trialsDecorator:
			n := int(v)
			s.trials = &n
		case timeLimitDecorator:
			d := time.Duration(v)
			s.limit = &d
		case clusterDecorator:
			c := string(v)
			s.cluster = &c
		case contentDecorator:
			s.content = &v
		case rowDecorator:
			s.row = string(v)
		case panicDecorator:
			s.panicIsFailure = bool(v)
		case baseSeedDecorator:
			s.baseSeed = true
		case ginkgo.FlakeAttempts:
			s.flakeAttempts = s.flakeAttempts || v > 0
			if !own {
				rest = append(rest, arg)
			}
		case ginkgo.MustPassRepeatedly:
			s.mustPass = s.mustPass || v > 0
			if !own {
				rest = append(rest, arg)
			}
		case ginkgo.SpecTimeout:
			if own {
				s.harnessLimit = shortest(s.harnessLimit, time.Duration(v))
			} else {
				rest = append(rest, arg)
			}
		case ginkgo.NodeTimeout:
			if own {
				s.harnessLimit = shortest(s.harnessLimit, time.Duration(v))
			} else {
				rest = append(rest, arg)
			}
		case ginkgo.GracePeriod:
			if own {
				d := time.Duration(v)
				s.grace = &d
			} else {
				rest = append(rest, arg)
			}
		default:
			if arg == ginkgo.Focus {
				s.focused = true
			}
			if arg == ginkgo.Pending {
				s.pending = true
			}
			rest = append(rest, arg)
		}
	}
	return s, rest
}

func shortest(a, b time.Duration) time.Duration {
	if a <= 0 || (b > 0 && b < a) {
		return b
	}
	return a
}

// within returns s as it holds inside the containers outer, outermost first.
func (s scope) within(outer []scope) scope {
	s.splits = slices.Clip(s.splits) // the tree may be built again
	for i := len(outer) - 1; i >= 0; i-- {
		o := outer[i]
		s.splits = append(s.splits, o.splits...)
		if s.trials == nil {
			s.trials = o.trials
		}
		if s.limit == nil {
			s.limit = o.limit
		}
		if s.cluster == nil {
			s.cluster = o.cluster
		}
		s.panicIsFailure = s.panicIsFailure || o.panicIsFailure
		s.baseSeed = s.baseSeed || o.baseSeed
		s.flakeAttempts = s.flakeAttempts || o.flakeAttempts
		s.mustPass = s.mustPass || o.mustPass
		s.focused = s.focused || o.focused
		s.pending = s.pending || o.pending
	}
	return s
}
