package record_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/capeval/capeval/record"
)

// Another harness needs to write only a task and a reward.
func Example() {
	const file = `{"task":"late-delivery","reward":1}
{"task":"late-delivery","reward":0}
{"task":"cancel-twice","reward":1}
{"task":"cancel-twice","status":"missing","cause":"rate_limit"}
`
	trials, err := record.ReadTrials(strings.NewReader(file), "trials.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Reward, r.Bounds.Low, r.Bounds.High) // a missing trial is not a 0
	fmt.Println(r.NMissing, "of", r.NCells, "cells missing:", r.ByCause)
	// Output:
	// 0.75 0.5 0.75
	// 1 of 4 cells missing: map[rate_limit:1]
}

// A wrong line is refused with its place.
func ExampleReadTrials() {
	const file = `{"task":"late-delivery","reward":1}
{"task":"cancel-twice","reward":7}
`
	_, err := record.ReadTrials(strings.NewReader(file), "trials.jsonl")
	fmt.Println(err)
	// Output: trials.jsonl:2: found reward 7, need a number from 0 to 1
}

// The plan is the denominator: what has no record was not measured.
func ExampleSummarize() {
	run := record.Run{Suite: "refund-agent", Split: record.Val, Arm: "candidate", Plan: []record.PlanTask{
		{Task: "cancel-twice", Trials: 2}, {Task: "late-delivery", Trials: 2},
	}}
	var trials []record.Trial
	for k := range 2 {
		trials = append(trials, record.Trial{Suite: "refund-agent", Split: record.Val, Arm: "candidate",
			Task: "late-delivery", Trial: k, Attempt: 1, Status: record.Scored, Reward: reward(1)})
	}
	r, err := record.Summarize(run, trials, record.Options{})
	fmt.Println(r, err)
	fmt.Println(r.ByCause)
	// Output:
	// refund-agent val: reward 1.000 (no interval below 2 scored tasks), 1/2 tasks, 2/4 cells <nil>
	// map[not_started:2]
}

func ExampleWriteTrial() {
	_ = record.WriteTrial(os.Stdout, record.Trial{Suite: "s", Split: record.Val, Arm: "candidate", Task: "a", Attempt: 1,
		Status: record.Missing, Cause: record.CauseScorer, Message: "judge answered nothing"})
	// Output: {"schema":"capeval.trial/v1","run":"","suite":"s","split":"val","arm":"candidate","task":"a","trial":0,"attempt":1,"seed":0,"reward":null,"status":"missing","cause":"scorer","message":"judge answered nothing","feedback":"","cluster":"","content_digest":"","output_digest":"","cached":false,"metrics":{},"started":"","seconds":0}
}

func ExampleUndefined() {
	fmt.Println(record.Undefined{What: "stderr of refund-agent val", Why: "1 task scored, need 2"})
	// Output: cannot say: stderr of refund-agent val is undefined: 1 task scored, need 2
}
