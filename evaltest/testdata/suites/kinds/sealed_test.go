package kinds

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
)

// numbered is a task that traces each of its trials.
func numbered(id string, args ...any) {
	Task(id, append([]any{Offset(1), func(t *Trial) {
		trace("body %s %d", t.Task(), t.Index())
		pause()
		t.Score(float64(t.Index() % 2))
	}}, args...)...)
}

// pause gives a test time to do something while trials run.
func pause() {
	if ms, err := strconv.Atoi(os.Getenv("PAUSE")); err == nil {
		time.Sleep(time.Duration(ms) * time.Millisecond)
	}
}

// around traces every node of a trial that it surrounds.
func around(ctx context.Context, body func(context.Context)) {
	if text := CurrentSpecReport().FullText(); strings.Contains(text, "[trial") {
		trace("around %s", text)
	}
	body(ctx)
}

// each traces the hooks of every trial with its name.
func each(of string) {
	name := func() string { return CurrentSpecReport().FullText() }
	BeforeEach(func() { trace("before %s: %s", of, name()) })
	JustBeforeEach(func() { trace("just before %s: %s", of, name()) })
	AfterEach(func() { trace("after %s: %s", of, name()) })
	JustAfterEach(func() { trace("just after %s: %s", of, name()) })
}

// staged is a task in two stages that traces both.
func staged(id string, args ...any) {
	RolloutTask(id, func(_ context.Context, t *Trial) (int, error) {
		trace("rollout %s %d", t.Task(), t.Index())
		pause()
		return t.Index(), nil
	}, func(_ SpecContext, t *Trial, k int) { trace("body %s %d", t.Task(), k) }, append([]any{Offset(1)}, args...)...)
}

func declareSealed() {
	sealed := func(more func()) func() {
		return func() {
			withLedger()
			for _, id := range []string{"a", "b", "c"} {
				numbered("held-"+id, Test, Content(id))
			}
			Describe("with hooks", Test, func() {
				each("one")
				numbered("held-d", Content("d"))
				staged("held-e", Content("e"))
			})
			numbered("open-v", Val, Content("v"))
			numbered("open-t", Train, Content("t"))
			traced("ordinary")
			if more != nil {
				more()
			}
		}
	}
	cases["sealed"] = sealed(nil)
	cases["sealed-edited"] = sealed(func() { numbered("held-f", Test, Content(os.Getenv("EDIT"))) })
	cases["sealed-trials"] = sealed(func() {
		n, _ := strconv.Atoi(os.Getenv("EDIT"))
		numbered("held-f", Test, Content("f"), Trials(n))
	})
	cases["sealed-focus"] = sealed(func() { numbered("held-f", Test, Content("f"), Focus) })
	cases["sealed-pending"] = sealed(func() { numbered("held-f", Test, Content("f"), Pending) })
	cases["sealed-flake"] = sealed(func() { numbered("held-f", Test, Content("f"), FlakeAttempts(2)) })
	cases["sealed-before-suite"] = sealed(func() { BeforeSuite(func() { panic("in BeforeSuite") }) })
	cases["sealed-staged-before-suite"] = func() {
		withLedger()
		BeforeSuite(func() {
			time.Sleep(200 * time.Millisecond) // in which workers would have begun
			panic("in BeforeSuite")
		})
		staged("held-e", Test, Content("e"), Trials(4))
	}
	cases["sealed-quiet-rows"] = func() {
		withLedger()
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in question) {})
	}
	cases["sealed-no-ledger"] = func() { numbered("held-a", Test, Content("a")) }
	cases["sealed-none"] = func() {
		withLedger()
		numbered("open-v", Val, Content("v"))
	}
	cases["sealed-no-task"] = func() {
		withLedger()
		traced("ordinary")
	}
	cases["sealed-ordered"] = func() {
		withLedger()
		Describe("ordered", Ordered, Test, func() {
			BeforeAll(func() {
				trace("before all")
				DeferCleanup(func() { trace("clean up all") })
			})
			AfterAll(func() { trace("after all") })
			each("ordered")
			numbered("held-a", Content("a"))
			numbered("held-b", Content("b"))
		})
	}
	cases["sealed-around"] = func() {
		withLedger()
		Describe("around", Test, AroundNode(around), func() {
			BeforeEach(func(SpecContext) { trace("before") }, NodeTimeout(time.Minute))
			AfterEach(func() { trace("after") })
			numbered("held-a", Content("a"))
		})
	}
	cases["sealed-rows"] = func() {
		withLedger()
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in question) {
			trace("%s %d: %q", t.Task(), t.Index(), in.Question)
		})
	}
	cases["sealed-rows-by-argument"] = func() {
		withLedger()
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in spy) {}, Test)
		traced("ordinary")
	}
	cases["sealed-rows-by-container"] = func() {
		withLedger()
		Describe("held", Test, func() {
			TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in spy) {})
		})
		traced("ordinary")
	}
	cases["sealed-rows-spy"] = func() {
		withLedger()
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in spy) {})
	}
	cases["sealed-after-split"] = sealed(func() {
		AfterSplit(Test, func(r Result) { trace("after split %s %s %d of %d", r.Split, r.Arm, r.NCells-r.NMissing, r.NCells) })
	})
}

// spy tells what it is given to read.
type spy struct{}

func (*spy) UnmarshalJSON(data []byte) error {
	trace("read %s", data)
	return nil
}
