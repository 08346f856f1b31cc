package quickstart_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/examples/quickstart"
	. "github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
)

func TestTriage(t *testing.T) {
	RunEvals(t, "quickstart", Trials(5))
}

var _ = Task("late-parcel", Val, func(ctx SpecContext, t *Trial) {
	got := quickstart.Triage("Order 4711 has still not arrived.", t.Seed())
	t.Output(got)
	Expect(got).To(Equal(quickstart.Ticket{Intent: "late", Order: "4711"}))
})

var _ = Task("two-wishes", Val, func(ctx SpecContext, t *Trial) {
	got := quickstart.Triage("Please cancel order 4712. I do not want a refund, I want it gone.", t.Seed())
	t.Output(got)
	Expect(got.Intent).To(Equal("cancel")) // a failed expectation is reward 0, not a red test
})

var _ = Task("two-numbers", Val, func(ctx SpecContext, t *Trial) {
	got := quickstart.Triage("I want my money back for order 4713, I paid 20 dollars.", t.Seed())
	t.Output(got)
	Expect(got.Intent).To(Equal("refund"))
	t.Score(map[string]float64{"4713": 1, "20": 0.5}[got.Order]) // a graded reward
})

var _ = Task("no-number", Val, func(ctx SpecContext, t *Trial) {
	got := quickstart.Triage("Hello, do you ship to Norway?", t.Seed())
	t.Output(got)
	Expect(got).To(Equal(quickstart.Ticket{Intent: "other"}))
})

var _ = AfterSplit(Val, func(r record.SplitResult) { // once, after all trials: this may be red
	Expect(r).To(HaveCoverage(1.0))
	Expect(r).To(HaveReward(BeNumerically(">=", 0.7)))
})
