package kinds

import (
	"context"
	"fmt"
	"math"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

func declareReports() {
	cases["report"] = func() {
		Task("scored", Val, Trials(1), func(t *Trial) { t.Score(0.5, "fair"); t.Output(strings.Repeat("long ", 1000)) })
		Task("nan", Val, Trials(1), func(t *Trial) { t.Score(math.NaN()) })
		Task("secret-of-the-test-split", Test, Content("sealed-words"), func(*Trial) {})
		for _, id := range []string{"loop-a", "loop-b"} {
			Task(id, Val, Trials(1), func(*Trial) {})
		}
		declareAt(Offset(1))
	}
	cases["odd-ids"] = func() {
		for i, id := range oddIDs() {
			Task(id, Val, Trials(1), Content(i), func(t *Trial) { t.Output(id) })
		}
	}
	cases["outputs"] = func() {
		Task("silent", Val, func(*Trial) {})
		Task("text", Val, func(t *Trial) { t.Output("an answer"); t.Feedback("said\nso") })
		Task("bytes", Val, func(t *Trial) { t.Output([]byte("an answer")) })
		Task("object", Val, func(t *Trial) { t.Output(map[string]any{"b": 1, "a": []int{t.Index()}}) })
		Task("several", Val, func(t *Trial) { t.Output("one"); t.Output("two") })
		Task("unstable", Val, func(t *Trial) { t.Output(func() {}) })
		Task("changed later", Val, func(t *Trial) {
			kept := map[string]int{"n": 1}
			t.Output(kept)
			kept["n"] = 2
		})
		Task("fails", Val, func(t *Trial) { t.Output("wrong"); Expect(new(int)).To(BeNil(), "after 1.25s") })
		RolloutTask("rolled", func(context.Context, *Trial) (string, error) { return "rolled out", nil },
			func(SpecContext, *Trial, string) {}, Val)
		RolloutTask("rolled-own", func(_ context.Context, t *Trial) (string, error) { t.Output("own"); return "rolled out", nil },
			func(SpecContext, *Trial, string) {}, Val)
	}
	cases["metrics"] = func() {
		Task("it", Val, func(t *Trial) {
			t.Tokens("small-model", 1_000_000, 500_000)
			t.Tokens("unknown-model", 10, 5)
			t.Cost(0.5)
			t.Metric("steps", 2, "steps")
			t.Metric("steps", 3, "steps")
			t.Metric("odd", math.Inf(1), "")
			t.Metric("", 1, "")
		})
	}
	cases["identical"] = func() {
		for i := range 3 {
			Task(fmt.Sprint("t", i), Val, func(t *Trial) { t.Output("as ever"); t.Score(0.5) })
		}
	}
}

func declareAt(args ...any) {
	Task("by-helper", append(args, Val, Trials(1), func(*Trial) {})...)
}

// oddIDs are ids with everything that a filter, a file name or a report could
// trip over.
func oddIDs() []string {
	return []string{
		"a & b", "a|b", "!a", "a,b", "f(x)", "a/b", "../../etc/passwd", "100%", "a:b", "{x}", "naïve 日本語 🙂", `with "quotes"`,
		"<b>&amp;</b>", "task", "CON", "[trial 0]", "tab\there", "line\nbreak", strings.Repeat("x", 300), strings.Repeat("x", 299) + "y",
	}
}
