package kinds

import (
	"fmt"
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	. "github.com/capeval/capeval/matchers"
)

func declareAfterSplit() {
	cases["assertions"] = func() {
		AfterSplit(Val, func(r Result) { trace("1"); Expect(r).To(HaveReward(0.5)) })
		Task("only", Val, func(t *Trial) { t.Score(0.5) })
		AfterSplit(Val, func(r Result) { trace("2"); Expect(r).To(HaveReward(BeNumerically(">", 0.9))); trace("not reached") })
		AfterSplit(Train, func(r Result) { trace("train") })
		AfterSplit(Val, func(r Result) { trace("3"); panic("a scorer of ours") })
		AfterSplit(Val, func(r Result) { trace("4"); Expect(r).To(HaveStderr(BeNumerically("<", 1))) })
		AfterSplit(Val, func(r Result) { trace("5"); Expect(r).NotTo(HaveStderr(BeNumerically("<", 1))) })
		AfterSplit(Val, func(r Result) { trace("6"); Fail("ginkgo's own") })
		AfterSplit(Test, func(r Result) { trace("test") })
		AfterSplit(Val, func(r Result) {
			trace("7 %d cells of %d tasks", r.NCells, r.NTasks)
			Expect(r).To(HaveCoverage(1.0))
		})
		traced("ordinary")
	}
	cases["green-assertion"] = func() {
		for i := range 4 {
			Task(fmt.Sprint("t", i), Val, func(t *Trial) { trace("trial"); t.Score(0.25) })
		}
		AfterSplit(Val, func(r Result) { trace("after split %d cells", r.NCells); Expect(r).To(HaveReward(0.25)) })
	}
	cases["after-train"] = func() {
		tracing("train", Train)
		tracing("val", Val)
		AfterSplit(Val, func(Result) { trace("after val") })
		AfterSplit(Train, func(Result) { trace("after train") })
	}
	cases["baseline"] = func() {
		Task("only", Val, func(t *Trial) { t.Score(0.5) })
		AfterSplit(Val, func(r Result) {
			b := Baseline(os.Getenv("BASELINE"))
			trace("baseline %s of %s", b.Reward.Format(3), b.Suite)
			Expect(b.NTasks).To(Equal(r.NTasks))
		})
	}
}
