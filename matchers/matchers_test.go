package matchers_test

import (
	"errors"
	"math"
	"testing"

	. "github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
)

type source = func() record.SplitResult

var _ = DescribeTable("matching",
	func(from source, m types.GomegaMatcher) {
		r := from()
		Expect(r).To(m)
		Expect(&r).To(m)
		Expect(&holder{r}).To(m)
		Expect(r).NotTo(Not(m))
	},
	Entry("reward, a matcher", support, HaveReward(BeNumerically("~", 5.0/9, 1e-12))), // (1 + 1/2 + 1/6)/3
	Entry("reward, a bare float", same, HaveReward(0.5)),
	Entry("reward, a bare int", lone, HaveReward(1)),
	Entry("coverage", support, HaveCoverage(0.75)), // 3 of 4 tasks
	Entry("coverage of nothing scored is a measured 0", lost, HaveCoverage(0)),
	Entry("cell coverage", support, HaveCellCoverage(BeNumerically("~", 8.0/12))),
	Entry("stderr", support, HaveStderr(BeNumerically("<=", 0.32))),
	Entry("missing, an int", support, HaveMissing(4)),
	Entry("missing, any matcher on ints", support, HaveMissing(Equal(4))),
	Entry("missing, all", lost, HaveMissing(2)),
	Entry("pass^2", support, HavePassHatK(2, BeNumerically("~", 1.0/3))), // 1, 0, 0
	Entry("pass@2", support, HavePassAtK(2, BeNumerically("~", 2.0/3))),  // 1, 1, 0
	Entry("independent", support, HaveIndependentTrials()),
	Entry("And inside", support, HaveReward(And(BeNumerically(">", 0.5), BeNumerically("<", 0.6)))),
	Entry("task reward", support, ForTask("b", HaveReward(0.5))),
	Entry("task stderr is its trials'", support, ForTask("b", HaveStderr(0.5))), // sqrt(1/2 / 2)
	Entry("task coverage", support, ForTask("d", HaveCoverage(0))),
	Entry("task cell coverage", support, ForTask("b", HaveCellCoverage(BeNumerically("~", 2.0/3)))),
	Entry("task missing", support, ForTask("d", HaveMissing(3))),
	Entry("task pass^3, above the split's smallest", support, ForTask("a", HavePassHatK(3, 1))),
	Entry("task pass^2", support, ForTask("b", HavePassHatK(2, 0))), // C(1,2)/C(2,2)
	Entry("task pass@2", support, ForTask("b", HavePassAtK(2, 1))),
	Entry("task, composed", support, ForTask("a", And(HaveReward(1), HaveMissing(0), HaveIndependentTrials()))),
)

var _ = DescribeTable("not matching",
	func(from source, m types.GomegaMatcher, words string) {
		r := from()
		ok, err := m.Match(r)
		Expect(err).NotTo(HaveOccurred())
		Expect(ok).To(BeFalse())
		Expect(m.FailureMessage(r)).To(ContainSubstring(words))
		Expect(r).NotTo(m)
		Expect(r).To(Not(m))
	},
	Entry("reward", support, HaveReward(BeNumerically(">=", 0.6)), "\nto be >= 0.6\n"),
	Entry("reward, a bare number", support, HaveReward(1), "\nto be == 1\n"),
	Entry("coverage", support, HaveCoverage(BeNumerically(">=", 0.9)), "3 scored of 4 declared"),
	Entry("cell coverage", support, HaveCellCoverage(BeNumerically(">=", 0.9)), "8 valid of 12 declared; missing: rate_limit 3, setup 1"),
	Entry("stderr", support, HaveStderr(BeNumerically("<=", 0.05)), "    0.32\nto be <= 0.05"),
	Entry("missing", support, HaveMissing(0), "    4\nto be == 0"),
	Entry("missing, Equal", support, HaveMissing(Equal(0)), "    4\nto equal 0"),
	Entry("pass^2", support, HavePassHatK(2, BeNumerically(">=", 0.6)), "Expected the pass^2 of"),
	Entry("pass@2", support, HavePassAtK(2, BeNumerically(">=", 0.9)), "Expected the pass@2 of"),
	Entry("independence", same, HaveIndependentTrials(), "identical_trials: all outputs are byte-identical"),
	Entry("task", support, ForTask("c", HaveReward(BeNumerically(">", 0.5))), "task c\n"),
	Entry("task independence", same, ForTask("a", HaveIndependentTrials()), "task a\n"),
	Entry("And inside, second fails", support, HaveReward(And(BeNumerically(">", 0.5), BeNumerically(">", 0.9))), "to be > 0.9"),
	Entry("Or inside", support, HaveReward(Or(BeNumerically("<", 0.5), BeNumerically(">", 0.9))), "To satisfy at least one"),
	Entry("Not inside", support, HaveReward(Not(BeNumerically("<", 0.9))), "not to be < 0.9"),
)

var _ = DescribeTable("refusing what is undefined, for To and NotTo",
	func(from source, m types.GomegaMatcher, want string) {
		for _, m := range []types.GomegaMatcher{m, Not(m), And(m), Or(m)} {
			ok, err := m.Match(from())
			Expect(ok).To(BeFalse())
			Expect(err).To(MatchError(record.UndefinedPhrase + want))
			var u record.Undefined
			Expect(errors.As(err, &u)).To(BeTrue())
		}
		said := InterceptGomegaFailure(func() { Expect(from()).NotTo(m) })
		Expect(said).To(MatchError(ContainSubstring(want)))
	},
	Entry("reward of nothing scored", lost, HaveReward(0),
		"the reward of suite lost, split val, task t is undefined: 0 of 1 task scored, need 1; missing: runner 2; fix what made the trials missing and run them again"),
	Entry("reward of an empty split", empty, HaveReward(0),
		"the reward of suite none, split val is undefined: 0 tasks declared, need 1; declare a task in this split, or look at the split that ran"),
	Entry("coverage of an empty split", empty, HaveCoverage(1),
		"the coverage of suite none, split val is undefined: 0 tasks declared, need 1; declare a task in this split, or look at the split that ran"),
	Entry("cell coverage of an empty split", empty, HaveCellCoverage(1),
		"the cell coverage of suite none, split val is undefined: 0 tasks declared, need 1; declare a task in this split, or look at the split that ran"),
	Entry("missing of an empty split", empty, HaveMissing(0),
		"the number of missing cells of suite none, split val is undefined: 0 tasks declared, need 1; declare a task in this split, or look at the split that ran"),
	Entry("stderr of one task", lone, HaveStderr(0),
		"the stderr of suite smoke, split val, arm candidate, task hello is undefined: 1 scored task with 1 valid trial, need 2 tasks, or 2 valid trials for one task alone; add tasks or trials"),
	Entry("stderr of one task among two", func() record.SplitResult {
		r := lost()
		r.PerTask = append(r.PerTask, lone().PerTask...)
		r.NTasks, r.NScored = 2, 1
		return r
	}, HaveStderr(0),
		"the stderr of suite lost, split val is undefined: 1 scored task, need 2; add tasks, or ask about the task alone with ForTask"),
	Entry("pass^3 of tasks with 2 valid trials", support, HavePassHatK(3, 0),
		"the pass^3 of suite support, split val, arm candidate is undefined: the smallest number of valid trials is 2 (task b), need 3; run at least 3 trials a task, or ask for k <= 2"),
	Entry("pass@3 of the same", support, HavePassAtK(3, 1),
		"the pass@3 of suite support, split val, arm candidate is undefined: the smallest number of valid trials is 2 (task b), need 3; run at least 3 trials a task, or ask for k <= 2"),
	Entry("pass^1 of nothing scored", lost, HavePassHatK(1, 0),
		"the pass^1 of suite lost, split val, task t is undefined: 0 of 1 task scored, need 1; missing: runner 2; fix what made the trials missing and run them again"),
	Entry("task never scored", support, ForTask("d", HaveReward(0)),
		"the reward of suite support, split val, arm candidate, task d is undefined: 0 of 1 task scored, need 1; missing: rate_limit 2, setup 1; fix what made the trials missing and run them again"),
	Entry("task pass^3 with 2 valid trials", support, ForTask("b", HavePassHatK(3, 0)),
		"the pass^3 of suite support, split val, arm candidate, task b is undefined: the smallest number of valid trials is 2 (task b), need 3; run at least 3 trials a task, or ask for k <= 2"),
	Entry("task that a subset left out", func() record.SplitResult { r := support(); r.Subset = true; return r }, ForTask("z", HaveReward(0)),
		"task z of suite support, split val, arm candidate is undefined: the run is a subset that does not hold it; run the whole split"),
	Entry("independence of single trials", lone, HaveIndependentTrials(),
		"the independence of trials of suite smoke, split val, arm candidate, task hello is undefined: no task has 2 valid trials with an output digest; call t.Output in the tasks and run at least 2 trials a task"),
	Entry("an undefined estimate as the expectation", support, HaveReward(record.SplitResult{}.Reward),
		"the number given to HaveReward is undefined: it was never measured; compare with a number that was"),
)

var _ = DescribeTable("refusing misuse, for To and NotTo",
	func(actual any, m types.GomegaMatcher, want string) {
		for _, m := range []types.GomegaMatcher{m, Not(m)} {
			ok, err := m.Match(actual)
			Expect(ok).To(BeFalse())
			Expect(err).To(MatchError(want))
		}
	},
	Entry("nil", nil, HaveReward(1), "HaveReward: found nil, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("nil pointer", (*record.SplitResult)(nil), HaveCoverage(1), "HaveCoverage: found a nil *record.SplitResult, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("typed nil Summarizer", Summarizer((*holder)(nil)), HaveStderr(1), "HaveStderr: found a nil *matchers_test.holder, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("another type", 0.7, HaveMissing(0), "HaveMissing: found a float64, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("a slice", []record.SplitResult{{}}, HaveIndependentTrials(), "HaveIndependentTrials: found a []record.SplitResult, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("nil to ForTask", nil, ForTask("a", HaveReward(1)), "ForTask: found nil, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("nothing to apply", record.SplitResult{}, ForTask("a", nil), "ForTask: found nil as the matcher, need one such as HaveReward(1)"),
	Entry("unknown task", record.SplitResult{Suite: "s", Split: "val", PerTask: []record.TaskResult{{Task: "b"}, {Task: "a"}}}, ForTask("z", HaveReward(1)),
		"ForTask: suite s, split val has no task z; it has a, b"),
	Entry("no expectation", record.SplitResult{}, HaveReward(nil), "HaveReward: found <nil> as the expectation, need a number or a matcher"),
	Entry("a text as the expectation", record.SplitResult{}, HaveReward("0.5"), "HaveReward: found a string as the expectation, need a number or a matcher"),
	Entry("NaN as the expectation", record.SplitResult{}, HaveReward(math.NaN()), "HaveReward: found NaN as the expectation, need a number or a matcher"),
	Entry("k of 0", record.SplitResult{}, HavePassHatK(0, 1), "HavePassHatK: found k = 0, need at least 1"),
)

var _ = Describe("messages", func() {
	It("say what was measured, what was expected and what stands behind it", func() {
		m := HaveCellCoverage(BeNumerically(">=", 0.9))
		Expect(m.FailureMessage(support())).To(Equal(`Expected the cell coverage of suite support, split val, arm candidate
    0.6666666666666666
to be >= 0.9
    cells:    8 valid of 12 declared; missing: rate_limit 3, setup 1
    tasks:    3 scored of 4 declared
    reward:   0.5556, 95% interval 0.03..0.98 (wilson_t_neff), stderr 0.32
    agent:    expectation 2, agent_timeout 1
    worst:    c 0.1667 [0 0 0.5], b 0.5 [0 1 -]
    warning:  unequal_trials: scored tasks have 2 to 3 valid trials`))
	})

	It("warn about identical trials beside every figure of spread", func() {
		r := same()
		r.Subset = true
		Expect(HaveStderr(BeNumerically(">", 0.4)).NegatedFailureMessage(r)).To(Equal(`Expected the stderr of suite triage, split val, arm candidate
    0.5 (identical_trials: all outputs are byte-identical)
not to be > 0.4
    cells:    4 valid of 4 declared
    tasks:    2 scored of 2 declared
    reward:   0.5, stderr 0.5 (identical_trials, see the warning)
    worst:    b 0 [0 0]
    subset:   only a selection of the split ran, so this is not a result of the whole split
    warning:  identical_trials: all outputs are byte-identical`))
		// Coverage is no figure of spread.
		Expect(HaveCoverage(0).FailureMessage(r)).To(HavePrefix("Expected the coverage of suite triage, split val, arm candidate\n    1\nto be == 0\n"))
	})

	It("speak of one task alone inside ForTask, without the split's interval and warnings", func() {
		Expect(ForTask("b", HaveReward(1)).FailureMessage(support())).To(Equal(`Expected the reward of suite support, split val, arm candidate, task b
    0.5
to be == 1
    cells:    2 valid of 3 declared; missing: rate_limit 1
    tasks:    1 scored of 1 declared
    reward:   0.5, stderr 0.5
    agent:    expectation 1
    worst:    b 0.5 [0 1 -]`))
	})

	It("keep hostile ids and causes on their line", func() {
		r := support()
		r.PerTask[2].Task = "c\n    cells: 12 valid\x1b[2J\u202e"
		r.Warnings[0].Message = "one\ntwo"
		text := HaveReward(1).FailureMessage(r)
		Expect(text).To(ContainSubstring(`"c\n    cells: 12 valid\x1b[2J\u202e"`))
		Expect(text).To(ContainSubstring(`"one\ntwo"`))
		Expect(text).NotTo(ContainSubstring("\x1b"))
	})

	It("show the call in composites", func() {
		m := And(HaveReward(BeNumerically(">=", 0.6)), HavePassHatK(3, 1), ForTask("a", HaveIndependentTrials()))
		Expect(m.NegatedFailureMessage(1)).To(ContainSubstring(
			`[HaveReward(BeNumerically(">=", 0.6)) HavePassHatK(3, BeNumerically("==", 1)) ForTask("a", HaveIndependentTrials())]`))
		Expect(HaveEach(HaveReward(1)).FailureMessage([]int{1})).To(ContainSubstring(`HaveReward(BeNumerically("==", 1))`))
	})
})

var _ = Describe("composition", func() {
	It("works inside collections", func() {
		rs := []record.SplitResult{support(), same(), lone()}
		Expect(rs).To(ContainElement(HaveReward(1)))
		Expect(rs).To(HaveEach(HaveReward(BeNumerically(">=", 0.5))))
		Expect(rs).To(ContainElements(HaveCoverage(0.75), HaveCoverage(1)))
		Expect(map[string]record.SplitResult{"x": lone()}).To(HaveKeyWithValue("x", HaveReward(1)))
		Expect(rs).NotTo(ContainElement(HaveReward(0)))
	})

	It("works with Eventually, which waits out an undefined quantity", func() {
		calls := 0
		Eventually(func() record.SplitResult {
			if calls++; calls < 3 {
				return lost()
			}
			return lone()
		}).WithPolling(1).Should(HaveReward(1))
		Expect(calls).To(Equal(3))
	})

	It("can be used again for another result", func() {
		m := HaveReward(And(BeNumerically(">", 0.5), BeNumerically("<", 0.9)))
		Expect(support()).To(m)
		Expect(lone()).NotTo(m)
		Expect(m.FailureMessage(lone())).To(ContainSubstring("to be < 0.9"))
		Expect(m.FailureMessage(same())).To(ContainSubstring("to be > 0.5"))
	})
})

// No Ginkgo is needed.
func TestPlainGoTest(t *testing.T) {
	g := NewWithT(t)
	r := record.SplitResult{NTasks: 2, NCells: 4, NMissing: 1}
	g.Expect(r).To(HaveMissing(1))
	g.Expect(r).NotTo(HaveMissing(BeNumerically(">", 1)))
}
