// Package rundir is the folder that a run leaves behind.
//
//	root, err := rundir.Create(".capeval/runs/" + rundir.NewID(time.Now(), entropy))
//	d := rundir.Suite(root, "refund-agent")
//	err = d.Claim("example.org/evals")   // two packages with one suite name are refused
//	err = d.WriteRun(run)                // the plan, before the first trial
//	j, err := d.OpenJournal("p1")        // one a process
//	err = j.Start(start); err = j.End(trial)
//	err = d.Finish()                     // when no process writes any more
//	result, err := d.Result(record.Options{})
//
// A run directory holds one folder a suite, and each of these
//
//	suite.json       whose folder it is
//	run.json         the plan
//	journal/*.jsonl  what the processes of a running or killed run have written
//	trials.jsonl     every attempt, whole and sorted, after Finish
//	rollouts/        what the agent did, a file a trial
//	result.json      the summary
//	todo.json        the cells that a further pass is to run
//	outcome.json     what the specs asserted
//	refused.json     why the suite would not run
//
// It can be read at every instant, however the writers died: a trial whose
// [Journal.End] returned is there. The result is the plan less the journal, so
// that a killed run loses nothing but the trials in flight. The package decides
// nothing about rewards, runs nothing, and reads no clock.
package rundir
