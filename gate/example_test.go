package gate_test

import (
	"fmt"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

// measured summarizes rows as another harness writes them.
func measured(rows string) record.SplitResult {
	trials, err := record.ReadTrials(strings.NewReader(rows), "trials.jsonl")
	if err != nil {
		panic(err)
	}
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	if err != nil {
		panic(err)
	}
	return r
}

func Example() {
	row := func(task string, rewards ...int) (rows string) {
		for k, r := range rewards {
			rows += fmt.Sprintf("{\"task\":%q,\"reward\":%d,\"output_digest\":\"%d\"}\n", task, r, k)
		}
		return rows
	}
	baseline := measured(row("refund", 1, 1, 1, 1) + row("cancel", 0, 0, 0, 0) + row("greet", 1, 1, 1, 1))
	candidate := measured(row("refund", 0, 0, 0, 0) + row("cancel", 0, 0, 0, 0) + row("greet", 1, 1, 1, 1))

	rule := gate.NoRegression()
	rule.MinCoverage = "0.9" // a decimal, kept exact; "0" turns the guard off
	d, err := gate.Decide(baseline, candidate, rule)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Verdict, d.Code)
	fmt.Println(d.Message)

	// The other question, of the same results: is it better?
	d, err = gate.Decide(baseline, candidate, gate.Improve())
	fmt.Println(d.Verdict, d.Code, err)

	// One trial of one task can say nothing, and says what would.
	d, err = gate.Decide(measured(row("refund", 1)), measured(row("refund", 0)), gate.NoRegression())
	fmt.Println(d.Verdict, d.Code, err)
	fmt.Println(d.Message)
	// Output:
	// rejected regression
	// worse: -0.333 (95% CI -0.632..-0.035), exact p=0.014, 3 paired tasks, 24 trials; no single task is shown to be worse by itself
	// rejected worse <nil>
	// indecisive design_too_small <nil>
	// even a perfect result could only reach p=0.50 (alpha 0.05): need at least 5 tasks at 1 trial in each arm, or 3 trials in each arm on 1 task
}

func ExampleDecision_Limited() {
	baseline := measured(`{"task":"refund","reward":1,"metrics":{"cost_usd":0.010}}` + "\n" + `{"task":"greet","reward":1,"metrics":{"cost_usd":0.020}}`)
	d, err := gate.Decide(baseline, baseline, gate.NoRegression()) // of two trials: indecisive
	if err != nil {
		fmt.Println(err)
		return
	}
	limit, err := gate.ParseLimit("cost_usd<=+10%")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err = d.Limited([]gate.Limit{limit},
		gate.Metrics{"cost_usd": {"refund": {0.010}, "greet": {0.020}}},
		gate.Metrics{"cost_usd": {"refund": {0.020}, "greet": {0.040}}})
	fmt.Println(d.Verdict, d.Code, err)
	fmt.Println(d.Guards[0].Verdict, d.Guards[0].Change, d.Guards[0].Limit)
	// Output:
	// rejected guard <nil>
	// rejected 1 cost_usd<=+10%
}
