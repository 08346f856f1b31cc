package evaltest

import (
	"context"
	"flag"
	"reflect"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/record"
)

// suite is what this process knows of the suite it runs. It is filled at
// import, at tree construction and before the first spec, in this order.
type suite struct {
	mu sync.Mutex

	settings   settings
	sealed     sealed
	reg        *registry
	userFilter string // the label filter before our clause was added
	filterSeen bool
	refused    bool
	focused    bool       // some node has programmatic focus
	labels     []string   // of the whole suite
	testing    any        // what RunEvals was given
	collected  *collected // once all trials have ended
	git        func() record.Git

	live     *live // set before the first spec; nil in dry runs and refused ones
	current  *Trial
	leaked   int // bodies left behind that still run
	late     int // calls of ended trials that were refused
	after    *assertion
	previous func(string, ...int)
}

// here is the one suite of this process: Ginkgo knows no second.
var here = &suite{reg: &registry{cells: map[record.Cell]*cell{}}}

// The registration at import. Package initialisation runs this before anything
// of the importing package, so the marker is the first container of the tree and
// before and collect are the first report nodes.
var (
	_ = ginkgo.Describe("capeval", here.startTree)
	_ = ginkgo.ReportBeforeSuite(here.before)
	_ = ginkgo.ReportAfterSuite("capeval: collect the trials", here.collect)
	_ = ginkgo.AddTreeConstructionNodeArgsTransformer(transform) // last: our own nodes need no guard
)

// The guards as decorators, made once: making one walks the stack.
var (
	aroundBefore = ginkgo.AroundNode(here.guard(beforeEach))
	aroundOnce   = ginkgo.AroundNode(here.guard(beforeOnce))
	aroundAfter  = ginkgo.AroundNode(here.guard(afterHook))
	aroundLast   = ginkgo.AroundNode(here.guard(afterOnce))
)

// startTree is the closure of the marker container. It opens every building of
// the tree, PreviewSpecs' included, and declares no spec.
func (s *suite) startTree() {
	s.reg = &registry{cells: map[record.Cell]*cell{}}
	s.settings.resolve()
	s.filterSplit()
	s.adoptFailHandler()
}

const filterFlag = "ginkgo.label-filter"

// splitClause lets ordinary specs through and, of the tasks, those of one
// split. A task that also carries the test label never passes, but in a sealed
// run.
func splitClause(split record.Split) string {
	if split == record.Test {
		return "(!capeval || (split:test && !split:train && !split:val))"
	}
	return "(!capeval || (split:" + string(split) + " && !split:test))"
}

// filterSplit adds the clause to whatever label filter is in force, so that no
// hook and no body of another split runs, whoever calls RunSpecs.
func (s *suite) filterSplit() {
	clause := splitClause(s.settings.split())
	f := flag.Lookup(filterFlag)
	if f == nil {
		return // before refuses: the clause is not there
	}
	if !s.filterSeen {
		s.userFilter = f.Value.String()
		s.filterSeen = true
	}
	filter := clause
	if s.userFilter != "" {
		filter = "(" + s.userFilter + ") && " + clause
	}
	_ = f.Value.Set(filter)
}

// transform sees every node before Ginkgo makes it: it keeps the stack of open
// containers, guards hooks, and notices focus.
func transform(nodeType types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any, []error) {
	switch {
	case nodeType.Is(types.NodeTypeContainer):
		here.noticeFocus(args)
		args = transformContainer(here.gated(args))
	case nodeType.Is(types.NodeTypeIt):
		here.noticeFocus(args)
	case nodeType.Is(types.NodeTypeBeforeEach | types.NodeTypeJustBeforeEach):
		if timed(args) {
			ginkgo.BeforeEach(func(ginkgo.SpecContext) {})
		}
		if once(args) {
			args = append(args, aroundOnce)
		} else {
			args = append(args, aroundBefore)
		}
	case nodeType.Is(types.NodeTypeBeforeAll):
		if timed(args) {
			ginkgo.BeforeAll(func(ginkgo.SpecContext) {})
		}
		args = append(args, aroundOnce)
	case nodeType.Is(types.NodeTypeAfterEach | types.NodeTypeJustAfterEach):
		args = append(args, aroundAfter)
	case nodeType.Is(types.NodeTypeAfterAll):
		args = append(args, aroundLast)
	}
	return text, args, nil
}

func transformContainer(args []any) []any {
	own, rest := take(args, false)
	for _, split := range own.splits {
		rest = append(rest, ginkgo.Label(splitLabel(split)))
	}
	for i, arg := range rest {
		if f, ok := arg.(func()); ok {
			rest[i] = func() {
				r := here.reg
				r.scopes = append(r.scopes, own)
				defer func() { r.scopes = r.scopes[:len(r.scopes)-1] }()
				f()
			}
		}
	}
	return rest
}

// noticeFocus remembers that something has programmatic focus.
func (s *suite) noticeFocus(args []any) {
	for _, arg := range args {
		if arg == ginkgo.Focus {
			s.focused = true
		}
	}
}

// timed reports whether a hook has a time of its own. A trial begins in its
// first hook, rollout included, which must not count as the hook's: such a hook
// gets an empty one before it.
func timed(args []any) bool {
	for _, arg := range args {
		if _, ok := arg.(ginkgo.NodeTimeout); ok {
			return true
		}
	}
	return false
}

// once reports whether a hook runs once for all specs of an ordered container.
func once(args []any) bool {
	for _, arg := range args {
		if arg == ginkgo.OncePerOrdered {
			return true
		}
	}
	return false
}

// isBody reports whether arg is a function, which only a body can be.
func isBody(arg any) bool {
	return arg != nil && reflect.TypeOf(arg).Kind() == reflect.Func
}

// wrapped gives a context of our own the methods of Ginkgo's.
type wrapped struct {
	context.Context
	spec ginkgo.SpecContext
}

func (w wrapped) SpecReport() types.SpecReport { return w.spec.SpecReport() }
func (w wrapped) AttachProgressReporter(f func() string) func() {
	return w.spec.AttachProgressReporter(f)
}
func (w wrapped) WrappedContext() context.Context { return w.Context }
