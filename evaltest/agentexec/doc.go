// Package agentexec runs any command as the agent under test, so that an agent
// that is not written in Go is measured like one that is.
//
//	var agent = agentexec.Command{Path: "claude", Args: []string{"-p"}}
//
//	var _ = Task("late-delivery", Val, func(ctx SpecContext, t *Trial) {
//		res := agent.Run(ctx, t, "my parcel is two weeks late")
//		t.Output(res.Stdout)
//		Expect(res.Stdout).To(ContainSubstring("refund"))
//	}, TimeLimit(2*time.Minute))
//
// It promises three things. The command learns its trial from CAPEVAL_SEED,
// CAPEVAL_TASK and CAPEVAL_TRIAL and nothing else of the harness: every other
// CAPEVAL_ name is taken out of its environment. Nothing of it outlives the
// trial: on Unix it runs in its own process group, which is killed when the
// command exits, when the trial's limit passes and when the run is interrupted.
// And what a failure means follows from who is at fault:
//
//   - exit 0: an answer, and the body goes on;
//   - a command that cannot be started, or exit 75 (EX_TEMPFAIL, by which a
//     command says that a service it needs was not there): missing, runner;
//   - the end of the trial's time: agent_timeout, a reward of 0;
//   - an interrupted run: missing, interrupted;
//   - any other exit code, or death by a signal: agent_error, a reward of 0.
//
// A shell in between hides a missing program: sh -c answers exit 127, which is
// the agent's own failure. Name the program itself where you can.
//
// It will not sandbox the command: a process that starts a session of its own
// (setsid) leaves the group and survives, although it cannot hold up the trial.
// On systems other than Unix only the command itself is killed.
package agentexec
