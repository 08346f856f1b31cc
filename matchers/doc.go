// Package matchers lets a Gomega assertion speak about a measured split.
//
//	Expect(result).To(HaveCoverage(BeNumerically(">=", 0.9)))
//	Expect(result).To(HavePassHatK(3, BeNumerically(">=", 0.6)))
//	Expect(result).To(ForTask("late-delivery", HaveReward(1)))
//
// Every matcher takes a record.SplitResult, a pointer to one, or a
// [Summarizer], and hands one quantity of it to a matcher of yours; a bare
// number stands for BeNumerically("==", number).
//
// It promises that a quantity which does not exist is an error, which fails
// both To and NotTo: a suite of which nothing is known neither meets an
// expectation nor breaks it. The text of that error begins with
// record.UndefinedPhrase. A failure says what was measured, how much of the
// declared split it rests on, and which tasks to look at first.
//
// Other matchers speak about a decision of package gate, or make it on the spot
// from a baseline:
//
//	Expect(result).To(NotRegressFrom(Baseline("testdata/baseline"), gate.NoRegression()))
//
// An indecisive decision is an error as well, for To and for NotTo, whose text
// says that it is not a failure of the change; BeIndecisive asks for it.
//
// It computes no statistic itself and needs no test framework besides Gomega: it works
// in plain go test with gomega.NewWithT.
package matchers
