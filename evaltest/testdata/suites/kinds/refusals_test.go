package kinds

import (
	"context"
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/record"
)

func declareRefusals() {
	// What is wrong stands beside what is fine, and nothing of either may run.
	wrongs := map[string]func(){}
	wrong := func(name string, declare func()) {
		wrongs[name] = declare
		cases["refuse-"+name] = func() {
			BeforeSuite(func() { trace("before suite") })
			Describe("fine", func() {
				hooks("fine")
				tracing("fine", Val)
				traced("ordinary")
			})
			declare()
		}
	}
	wrong("nothing", func() {})
	wrong("duplicate-id", func() { tracing("twin", Val); tracing("twin", Val) })
	wrong("two-splits", func() { tracing("both", Val); tracing("both", Train) })
	wrong("two-splits-test", func() { tracing("held", Val); tracing("held", Test) })
	wrong("like-case", func() { tracing("Late", Val); tracing("late", Val) })
	wrong("like-space", func() { tracing("late ", Val); tracing("late", Val) })
	wrong("like-nfkc", func() { tracing("ﬁle", Val); tracing("file", Val) })
	wrong("like-sharp-s", func() { tracing("straße", Val); tracing("STRASSE", Train) })
	wrong("empty-id", func() { tracing("", Val) })
	wrong("blank-id", func() { tracing(" \t", Val) })
	wrong("content-val", func() { tracing("a", Val, Content("q")); tracing("b", Test, Content("q")) })
	wrong("content-train", func() {
		tracing("a", Test, Content(map[string]int{"x": 1}))
		tracing("b", Train, Content(map[string]float64{"x": 1}))
	})
	wrong("no-split", func() { tracing("homeless") })
	wrong("bad-split", func() { tracing("dev", record.Split("dev")) })
	wrong("val-in-test", func() { Describe("sealed", Test, func() { tracing("leak", Val) }) })
	wrong("test-in-val", func() { Describe("open", Val, func() { tracing("leak", Test) }) })
	wrong("train-in-val", func() { Describe("open", Val, func() { tracing("leak", Train) }) })
	wrong("val-and-test", func() { tracing("leak", Val, Test) })
	wrong("test-and-val", func() { tracing("leak", Test, Val) })
	wrong("container-of-two", func() { Describe("both", Train, Val, func() { tracing("leak") }) })
	wrong("flake-task", func() { tracing("flaky", Val, FlakeAttempts(3)) })
	wrong("flake-container", func() { Describe("flaky", FlakeAttempts(2), func() { tracing("inside", Val) }) })
	wrong("must-task", func() { tracing("often", Val, MustPassRepeatedly(3)) })
	wrong("must-container", func() { Describe("often", MustPassRepeatedly(2), func() { tracing("inside", Val) }) })
	wrong("no-trials", func() { Task("none", Val, Trials(0), func(*Trial) { trace("none") }) })
	wrong("negative-trials", func() { Task("none", Val, Trials(-1), func(*Trial) { trace("none") }) })
	wrong("no-trials-container", func() {
		Describe("none", Trials(0), func() { Task("inside", Val, func(*Trial) { trace("none") }) })
	})
	wrong("no-body", func() { Task("bodiless", Val) })
	wrong("nil-body", func() { Task("bodiless", Val, (func(*Trial))(nil)) })
	wrong("two-bodies", func() { Task("split-mind", Val, func(*Trial) {}, func(*Trial) {}) })
	wrong("bad-body", func() { Task("odd", Val, func(int) {}) })
	wrong("nil-stage", func() {
		RolloutTask("halved", func(context.Context, *Trial) (int, error) { return 1, nil }, nil, Val)
	})
	wrong("third-stage", func() {
		RolloutTask("thrice", func(context.Context, *Trial) (int, error) { return 1, nil }, func(SpecContext, *Trial, int) {}, Val, func() {})
	})
	wrong("seed-on-task", func() { tracing("seeded", Val, BaseSeed(3)) })
	wrong("seed-on-container", func() { Describe("seeded", BaseSeed(3), func() { tracing("inside", Val) }) })
	wrong("bad-limit", func() { tracing("hurried", Val, TimeLimit(-time.Second)) })
	wrong("bad-content", func() { tracing("odd", Val, Content(math.NaN())) })
	wrong("rows", func() {
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in question) { trace("row %s", t.Task()) })
	})
	wrong("rows-nil-body", func() { TasksFrom[question](tasksFile(), nil) })
	cases["refuse-many"] = func() {
		BeforeSuite(func() { trace("before suite") })
		tracing("fine", Val)
		for _, name := range []string{"duplicate-id", "val-in-test", "flake-task", "no-trials", "two-bodies"} {
			wrongs[name]()
		}
	}
}
