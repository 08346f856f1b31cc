// Package merge makes the one run of the shards of it.
//
//	m, err := merge.Read([]string{"shards"}, merge.Options{})
//	stage, err := merge.NewStage("merged")
//	err = m.Write(stage.Dir)
//	err = stage.Commit()
//
// Every shard must be of the same plan, commit, split and arm, and together they
// must hold every cell of the plan, each once and each ended. Of one shard that
// was run twice the newest attempt counts. What does not fit is refused with
// both sides named, and then nothing is written.
//
// A merged run is what the unsharded one would have been: suite by suite the
// same plan, trials and result. Only what describes the execution may differ:
// of run.json and result.json the run's id, start and end, and the number of
// processes and workers where the shards disagree; of a trial its run, its start
// and its seconds, and so the total of the seconds. Where these agree, the bytes
// are equal.
//
// The package changes nothing in the shards and runs nothing. It reads no clock:
// the same shards give the same bytes, in whatever order they are named.
package merge
