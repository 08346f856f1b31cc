// Package evaltest declares what an AI agent should be able to do as Ginkgo
// specs, runs each task repeatedly under its own seeds, and records honestly
// what happened.
//
//	func TestRefundAgent(t *testing.T) {
//		RunEvals(t, "refund-agent", Trials(4), BaseSeed(7))
//	}
//
//	var _ = Task("late-delivery", Val, func(ctx SpecContext, t *Trial) {
//		reply, err := agent.Run(ctx, "my parcel is two weeks late", t.Seed())
//		t.Missing(err)                               // nothing was measured: never a 0
//		t.Output(reply)                              // kept, and digested for the seed check
//		Expect(reply).To(ContainSubstring("refund")) // the agent's failure: reward 0
//		t.Score(rubric(reply), "polite and complete")
//	}, TimeLimit(2*time.Minute))
//
//	var _ = AfterSplit(Val, func(r record.SplitResult) {
//		Expect(r).To(HaveCoverage(BeNumerically(">=", 0.9)))
//	})
//
// It promises that the denominator is what was declared before anything ran;
// that a trial which produced no measurement is missing, with a cause from a
// closed list, and never 0, never a failure and never dropped; that trial k has
// seed base seed + k whatever the order, process, shard, focus or retry; that a
// body which outlives its time cannot touch another trial; and that the records
// of everything that ended survive the death of the process. It holds under
// RunEvals and under a plain RunSpecs, serially and with `ginkgo -p`.
//
// A trial is one spec: container text the task's id, leaf text "[trial k]",
// labels capeval, split:val and task:ID. A reward of 0 is a passed spec and a
// missing trial a skipped one, because the assertions about the split decide.
// Ginkgo's own Fail, and GinkgoT().Fatal, make the suite red besides recording
// the 0: that cannot be undone.
//
// It does not judge (package matchers and the command do), it does not call
// models, and it never runs a task of the test split outside the sealed finalize
// job: without a living grant of that job they are not built.
//
// A file that declares its own Task, Trial or func Test imports this package by
// name instead of with a dot.
//
// # Trials that run ahead
//
// CAPEVAL_WORKERS (or --workers of the command) lets the rollouts of
// [RolloutTask] run ahead in one process while scoring stays serial and in
// order. A rollout therefore never sees what a BeforeEach made, with one worker
// either, and must not call AddReportEntry, By, DeferCleanup or GinkgoWriter,
// which belong to whatever spec is running. Gomega's Expect is fine anywhere.
//
// # Settings
//
// From weakest to strongest: decorators and options in code, capeval.yaml, the
// environment (CAPEVAL_SPLIT, CAPEVAL_TRIALS, CAPEVAL_BASE_SEED, CAPEVAL_WORKERS,
// CAPEVAL_SHARD, CAPEVAL_ARM, CAPEVAL_RUN_DIR), and the command's flags.
package evaltest
