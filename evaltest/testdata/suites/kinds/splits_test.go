package kinds

import (
	"flag"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/record"
)

// hooks trace every kind of hook around what a container holds.
func hooks(of string) {
	BeforeEach(func() { trace("%s before", of) })
	JustBeforeEach(func() { trace("%s just before", of) })
	JustAfterEach(func() { trace("%s just after", of) })
	AfterEach(func() { trace("%s after", of) })
}

// tracing is a task of one trial that traces its body.
func tracing(id string, args ...any) {
	Task(id, append([]any{Offset(1), Trials(1), func(*Trial) { trace("%s body", id) }}, args...)...)
}

func declareSplits() {
	// A task of each split, in a container with hooks, and an ordinary spec.
	splits := func(task map[record.Split][]any, ordinary ...any) func() {
		return func() {
			for _, split := range []record.Split{Train, Val, Test} {
				Describe("around "+string(split), func() {
					hooks(string(split))
					tracing(string(split), append([]any{split}, task[split]...)...)
				})
			}
			traced("ordinary", ordinary...)
		}
	}
	cases["splits"] = splits(nil)
	cases["splits-focus-spec"] = splits(nil, Focus)
	cases["splits-focus-sealed"] = splits(map[record.Split][]any{Test: {Focus}})
	cases["splits-focus-train"] = splits(map[record.Split][]any{Train: {Focus}})
	cases["splits-focus-val-and-sealed"] = splits(map[record.Split][]any{Val: {Focus}, Test: {Focus}})
	cases["splits-focus-sealed-container"] = func() {
		FDescribe("focus", func() { tracing("test", Test) })
		tracing("val", Val)
		traced("ordinary")
	}
	cases["split-of-container"] = func() {
		Describe("train", Train, func() {
			hooks("train")
			Describe("deeper", func() { tracing("train", Cluster("c")) })
		})
		Describe("val", Val, func() {
			BeforeEach(func() { trace("val before") })
			tracing("val")
		})
		Describe("val again", Val, func() { tracing("also val", Val) })
	}
	cases["only-sealed"] = func() { tracing("secret-of-the-test-split", Test) }
	cases["sealed-and-ordinary"] = func() {
		tracing("secret-of-the-test-split", Test)
		traced("ordinary")
	}
	cases["only-train"] = func() { tracing("train", Train) }
	cases["ordered-splits"] = func() {
		Describe("ordered", Ordered, func() {
			BeforeAll(func() { trace("before all") })
			AfterAll(func() { trace("after all") })
			tracing("train", Train)
			tracing("val", Val)
			tracing("test", Test)
		})
	}
	cases["filter-reset"] = func() {
		Describe("a meddler", func() {
			_ = flag.Set("ginkgo.label-filter", "")
			tracing("val", Val)
			tracing("train", Train)
		})
		BeforeSuite(func() { trace("before suite") })
		traced("ordinary")
	}
}
