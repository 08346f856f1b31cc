// Package record holds what was measured: the plan of a run, its trials, their
// JSON forms, and the summary of one split.
//
// A journal of trials becomes a result in one call:
//
//	trials, err := record.ReadTrials(file, "trials.jsonl")
//	result, err := record.Summarize(run, trials, record.Options{})
//	fmt.Println(result) // refund-agent val: reward 0.612 (95% 0.41..0.78, wilson_t_neff), 12/12 tasks, 58/60 cells
//
// Where there is no plan, PlanOf(trials) makes one of the rows. A [Summarizer]
// does the same for files that are too large to hold.
//
// A foreign writer needs only task and reward, or task and "status":"missing".
// What a line leaves open takes a default: suite "default", split "val", arm
// "candidate", the next trial of its task (on every line of a file or on none),
// attempt 1, seed = trial; a reward of null is missing, and a missing trial
// without a cause has cause "runner". A task may be a whole number, which is
// taken as its text. Keys that the form does not know are kept and written
// back. Anything else that is wrong is refused as file:line, what was found,
// what is needed.
//
// The package promises that the same records give the same bytes, in whatever
// order they come; that a cell without a measurement is missing and never 0;
// and that a number which does not exist is null. It decides nothing, opens no
// file and reads no clock.
package record
