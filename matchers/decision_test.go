package matchers_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/capeval/capeval/gate"
	. "github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
)

// runOf is a result of one word a task, one digit a trial, named a, b, c, ...; a
// dash is missing.
func runOf(arm, cells string) record.SplitResult {
	GinkgoHelper()
	var rows strings.Builder
	for i, word := range strings.Fields(cells) {
		for k, c := range word {
			what := `"reward":` + string(c) + fmt.Sprintf(`,"output_digest":"%s%d"`, arm, k)
			if c == '-' {
				what = `"status":"missing"`
			}
			fmt.Fprintf(&rows, `{"suite":"support","split":"val","arm":%q,"task":%q,"trial":%d,%s}`+"\n", arm, string(rune('a'+i)), k, what)
		}
	}
	trials, err := record.ReadTrials(strings.NewReader(rows.String()), "rows")
	Expect(err).NotTo(HaveOccurred())
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	Expect(err).NotTo(HaveOccurred())
	r.ScorerDigest = "sha256:5c"
	return r
}

const (
	low    = "00000 0101 11" // the baseline of an improvement
	high   = "11111 0101 11"
	little = "0 1" // one trial each: no outcome reaches 0.05
)

func decided(b, c string, r gate.Rule) gate.Decision {
	GinkgoHelper()
	d, err := gate.Decide(runOf("baseline", b), runOf("candidate", c), r)
	Expect(err).NotTo(HaveOccurred())
	return d
}

type decision = func() gate.Decision

func better() gate.Decision    { return decided(low, high, gate.Improve()) }
func regressed() gate.Decision { return decided(high, low, gate.NoRegression()) }
func unclear() gate.Decision   { return decided(little, little, gate.NoRegression()) }

// bench is a Decider by pointer.
type bench struct{ d gate.Decision }

func (b *bench) Decision() gate.Decision { return b.d }

func several(ds ...gate.Decision) gate.Verdict {
	v := gate.Verdict{Suites: ds}
	v.Settle()
	return v
}

var _ = DescribeTable("a decision matches",
	func(from decision, m types.GomegaMatcher) {
		d := from()
		v := several(d)
		for _, actual := range []any{d, &d, &bench{d}, v, &v} {
			Expect(actual).To(m)
			Expect(actual).NotTo(Not(m))
		}
	},
	Entry("accepted", better, BeAccepted()),
	Entry("accepted is not rejected", better, Not(BeRejected())),
	Entry("rejected", regressed, BeRejected()),
	Entry("rejected is not accepted", regressed, Not(BeAccepted())),
	Entry("indecisive", unclear, BeIndecisive()),
	Entry("accepted is not indecisive", better, Not(BeIndecisive())),
	Entry("rejected is not indecisive", regressed, Not(BeIndecisive())),
	Entry("a code", regressed, HaveVerdictCode(gate.CodeRegression)),
	Entry("a code, by matcher", better, HaveVerdictCode(HavePrefix("bet"))),
	Entry("another code", better, Not(HaveVerdictCode(gate.CodeWorse))),
	Entry("the code of an indecisive one", unclear, HaveVerdictCode(gate.CodeDesignTooSmall)),
	Entry("not that code of an indecisive one", unclear, Not(HaveVerdictCode("better"))),
)

var _ = DescribeTable("a result against its baseline",
	func(b, c string, m func(any) types.GomegaMatcher, matches bool) {
		base, cand := runOf("baseline", b), runOf("candidate", c)
		for _, baseline := range []any{base, &base, &holder{base}} {
			for _, candidate := range []any{cand, &cand, &holder{cand}} {
				if matches {
					Expect(candidate).To(m(baseline))
				} else {
					Expect(candidate).NotTo(m(baseline))
					Expect(candidate).To(Not(m(baseline)))
				}
			}
		}
	},
	Entry("improved", low, high, over(gate.Improve()), true),
	Entry("did not improve", high, high, over(gate.Improve()), false),
	Entry("got worse", high, low, over(gate.Improve()), false),
	Entry("a compatibility rule is met", low, high, over(gate.Strict()), true),
	Entry("a compatibility rule is not met", low, low, over(gate.PairedSE("1")), false), // no gain at all
	Entry("did not regress", high, high, from(gate.NoRegression()), true),
	Entry("improved, so did not regress", low, high, from(gate.NoRegression()), true),
	Entry("regressed", high, low, from(gate.NoRegression()), false),
	Entry("not inferior", strings.Repeat("1111111111 ", 10), strings.Repeat("1111111111 ", 10), from(gate.NonInferior("0.1")), true),
	Entry("inferior", high, low, from(gate.NonInferior("0.1")), false),
)

func over(r gate.Rule) func(any) types.GomegaMatcher {
	return func(b any) types.GomegaMatcher { return BeAcceptedOver(b, r) }
}

func from(r gate.Rule) func(any) types.GomegaMatcher {
	return func(b any) types.GomegaMatcher { return NotRegressFrom(b, r) }
}

var _ = DescribeTable("an indecisive decision is an error, for To and NotTo",
	func(actual func() any, m func() types.GomegaMatcher, code string) {
		for _, m := range []types.GomegaMatcher{m(), Not(m()), And(m()), Or(m())} {
			ok, err := m.Match(actual())
			Expect(ok).To(BeFalse())
			Expect(err).To(MatchError(HavePrefix(record.UndefinedPhrase + "this is not a failure of the change, the data cannot tell\n    verdict:  indecisive, " + code + ": ")))
			var u record.Undefined
			Expect(errors.As(err, &u)).To(BeTrue())
		}
		for _, fails := range []func(){
			func() { Expect(actual()).To(m()) },
			func() { Expect(actual()).NotTo(m()) },
		} {
			Expect(InterceptGomegaFailure(fails)).To(MatchError(ContainSubstring(record.UndefinedPhrase)))
		}
	},
	Entry("accepted?", func() any { return unclear() }, BeAccepted, gate.CodeDesignTooSmall),
	Entry("rejected?", func() any { return unclear() }, BeRejected, gate.CodeDesignTooSmall),
	Entry("a verdict", func() any { return several(unclear(), better()) }, BeAccepted, gate.CodeDesignTooSmall),
	Entry("a result that is too small", func() any { return runOf("candidate", little) },
		func() types.GomegaMatcher { return NotRegressFrom(runOf("baseline", little), gate.NoRegression()) }, gate.CodeDesignTooSmall),
	Entry("a result with too much missing", func() any { return runOf("candidate", "11111 - -") },
		func() types.GomegaMatcher { return BeAcceptedOver(runOf("baseline", "00000 0 0"), gate.Improve()) }, gate.CodeLowCoverage),
	Entry("a result of something else", func() any { r := runOf("candidate", high); r.Suite = "other"; return r },
		func() types.GomegaMatcher { return BeAcceptedOver(runOf("baseline", low), gate.Improve()) }, gate.CodeNotComparable),
	Entry("a result of the test split", func() any { r := runOf("candidate", high); r.Split = record.Test; return r },
		func() types.GomegaMatcher { return BeAcceptedOver(runOf("baseline", low), gate.Improve()) }, gate.CodeTestSplit),
)

var _ = DescribeTable("refusing misuse of decisions, for To and NotTo",
	func(actual any, m types.GomegaMatcher, want string) {
		for _, m := range []types.GomegaMatcher{m, Not(m)} {
			ok, err := m.Match(actual)
			Expect(ok).To(BeFalse())
			Expect(err).To(MatchError(want))
		}
		Expect(m.FailureMessage(actual)).To(Equal(want))
		Expect(m.NegatedFailureMessage(actual)).To(Equal(want))
	},
	Entry("nil", nil, BeAccepted(), "BeAccepted: found nil, need a gate.Decision, a pointer to one, a gate.Verdict, or a matchers.Decider"),
	Entry("nil pointer", (*gate.Decision)(nil), BeRejected(), "BeRejected: found a nil *gate.Decision, need a gate.Decision, a pointer to one, a gate.Verdict, or a matchers.Decider"),
	Entry("typed nil Decider", Decider((*bench)(nil)), BeIndecisive(), "BeIndecisive: found a nil *matchers_test.bench, need a gate.Decision, a pointer to one, a gate.Verdict, or a matchers.Decider"),
	Entry("another type", 1, HaveVerdictCode("x"), "HaveVerdictCode: found a int, need a gate.Decision, a pointer to one, a gate.Verdict, or a matchers.Decider"),
	Entry("a result is no decision", record.SplitResult{}, BeAccepted(), "BeAccepted: found a record.SplitResult, need a gate.Decision, a pointer to one, a gate.Verdict, or a matchers.Decider"),
	Entry("never judged", gate.Decision{}, BeIndecisive(), "BeIndecisive: found numbers that nobody judged, as gate.Compare returns them; need those of gate.Decide"),
	Entry("not one of three", gate.Decision{Verdict: "maybe so"}, BeAccepted(), `BeAccepted: found verdict "maybe so", need accepted, rejected or indecisive`),
	Entry("no code", gate.Decision{Verdict: gate.Accepted}, HaveVerdictCode(nil), "HaveVerdictCode: found a <nil> as the expectation, need a code or a matcher"),
	Entry("a number as the code", gate.Decision{Verdict: gate.Accepted}, HaveVerdictCode(1), "HaveVerdictCode: found a int as the expectation, need a code or a matcher"),
	Entry("the code of several", several(gate.Decision{Verdict: gate.Accepted}, gate.Decision{Verdict: gate.Accepted}), HaveVerdictCode("better"),
		"HaveVerdictCode: found a verdict on 2 suites, need one; ask one of its Suites"),
	Entry("no baseline", record.SplitResult{}, NotRegressFrom(nil, gate.NoRegression()),
		"NotRegressFrom: the baseline: found nil, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("no candidate", nil, NotRegressFrom(record.SplitResult{}, gate.NoRegression()),
		"NotRegressFrom: found nil, need a record.SplitResult, a pointer to one, or a matchers.Summarizer"),
	Entry("improve is not for NotRegressFrom", record.SplitResult{}, NotRegressFrom(record.SplitResult{}, gate.Improve()),
		"NotRegressFrom: found rule improve, need no-regression or non-inferior; BeAcceptedOver takes the others"),
	Entry("no-regression is not for BeAcceptedOver", record.SplitResult{}, BeAcceptedOver(record.SplitResult{}, gate.NoRegression()),
		"BeAcceptedOver: found rule no-regression, need improve or a compatibility rule; NotRegressFrom takes the others"),
	Entry("non-inferior is not for BeAcceptedOver", record.SplitResult{}, BeAcceptedOver(record.SplitResult{}, gate.NonInferior("0.1")),
		"BeAcceptedOver: found rule non-inferior, need improve or a compatibility rule; NotRegressFrom takes the others"),
	Entry("a rule that cannot be read", record.SplitResult{}, NotRegressFrom(record.SplitResult{}, gate.NonInferior("")),
		`NotRegressFrom: gate: margin "": non-inferior needs the drop that it must exclude, a decimal above 0 such as 0.05`),
)

var _ = Describe("messages about decisions", func() {
	It("show the verdict, the numbers behind it and the worst tasks", func() {
		m := NotRegressFrom(runOf("baseline", "11111 0101 11 1111"), gate.NoRegression())
		Expect(m.FailureMessage(runOf("candidate", "00000 0111 11 110-"))).To(Equal(`Expected the verdict on suite support, split val
    rejected, regression
to be accepted
    verdict:  rejected, regression: worse: -0.271 (95% CI -0.606..+0.065), exact p=0.039, 4 paired tasks, 29 trials; shown to be worse by themselves: a
    about:    suite support, split val; rule no-regression, scope suite, alpha 0.05
    delta:    -0.2708, 95% interval -0.6065..+0.06482 (two_pseudo_trials)
    p:        better 0.9615, worse 0.0392, two-sided 0.07839 (exact)
    tasks:    4 paired of 4 declared (coverage 1); 1 improved, 2 regressed, 1 unchanged
    cells:    valid 1 of the baseline's, 0.9333 of the candidate's
    worst:    a -1 (1 to 0, shown by itself), d -0.3333 (1 to 0.6667), c 0 (1 to 1)
    warning:  missing: cells are missing (baseline 0 of 15, candidate 1 of 15); were each 0 or 1, the delta would lie in -0.312..-0.250`))
	})

	It("say what an indecisive decision needs", func() {
		_, err := BeAccepted().Match(unclear())
		Expect(err).To(MatchError(`cannot say: this is not a failure of the change, the data cannot tell
    verdict:  indecisive, design_too_small: even a perfect result could only reach p=0.25 (alpha 0.05): need at least 5 tasks at 1 trial in each arm, or 2 trials in each arm on 2 tasks
    about:    suite support, split val; rule no-regression, scope suite, alpha 0.05
    delta:    0, 95% interval -0.9239..+0.9239 (two_pseudo_trials)
    p:        better 1, worse 1, two-sided 1 (exact)
    tasks:    2 paired of 2 declared (coverage 1); 0 improved, 0 regressed, 2 unchanged
    cells:    valid 1 of the baseline's, 1 of the candidate's
    worst:    a 0 (0 to 0), b 0 (1 to 1)`))
	})

	It("show each suite of a verdict", func() {
		d := regressed()
		d.Suite = "billing"
		text := BeAccepted().FailureMessage(several(d, better()))
		Expect(text).To(HavePrefix("Expected the verdict on 2 suites\n    rejected\nto be accepted\n    verdict:  rejected, regression: worse: "))
		Expect(text).To(ContainSubstring("\n    about:    suite billing, split val; rule no-regression"))
		Expect(text).To(ContainSubstring("\n    verdict:  accepted, better: better: "))
		Expect(text).To(ContainSubstring("\n    about:    suite support, split val; rule improve"))
		Expect(BeRejected().NegatedFailureMessage(d)).To(HavePrefix("Expected the verdict on suite billing, split val\n    rejected, regression\nnot to be rejected\n"))
	})

	It("word a code", func() {
		Expect(HaveVerdictCode("worse").FailureMessage(better())).To(HavePrefix("Expected the verdict on suite support, split val\n    accepted, better\nto equal worse\n    verdict:  accepted, better: "))
		Expect(HaveVerdictCode(Or(Equal("a"), Equal("b"))).FailureMessage(better())).To(ContainSubstring("To satisfy at least one"))
		Expect(HaveVerdictCode("better").NegatedFailureMessage(better())).To(ContainSubstring("not to equal better"))
	})

	It("show limits on metrics", func() {
		d, err := better().Limited([]gate.Limit{{Metric: "cost_usd", Max: "10", Percent: true}},
			gate.Metrics{"cost_usd": {"a": {1}, "b": {2}}}, gate.Metrics{"cost_usd": {"a": {2}, "b": {4}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(d).To(And(BeRejected(), HaveVerdictCode(gate.CodeGuard)))
		Expect(BeAccepted().FailureMessage(d)).To(ContainSubstring("\n    guard:    cost_usd<=+10%: rejected, changed by 1 (1..1)"))
	})

	It("keep hostile ids on their line", func() {
		d := regressed()
		d.Suite, d.PerTask[0].Task, d.Message = "s\nverdict: accepted", "a\x1b[2J\n", "one\n\x1b[2Jtwo"
		text := BeAccepted().FailureMessage(d)
		Expect(text).NotTo(ContainSubstring("\x1b"))
		Expect(strings.Count(text, "\n")).To(Equal(strings.Count(BeAccepted().FailureMessage(regressed()), "\n")))
	})

	It("show the call in composites", func() {
		m := And(BeAccepted(), BeRejected(), BeIndecisive(), HaveVerdictCode("better"), HaveVerdictCode(BeNumerically(">", 1)),
			BeAcceptedOver(record.SplitResult{}, gate.Improve()), NotRegressFrom(record.SplitResult{}, gate.NonInferior("0.1")))
		Expect(m.NegatedFailureMessage(1)).To(ContainSubstring(
			`[BeAccepted() BeRejected() BeIndecisive() HaveVerdictCode("better") HaveVerdictCode(BeNumerically(">", 1)) BeAcceptedOver(improve) NotRegressFrom(non-inferior)]`))
	})

	It("do not hang on the last Match", func() {
		m := NotRegressFrom(runOf("baseline", high), gate.NoRegression())
		Expect(runOf("candidate", high)).To(m)
		Expect(m.FailureMessage(runOf("candidate", low))).To(ContainSubstring("rejected, regression"))
	})
})
