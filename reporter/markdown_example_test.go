package reporter_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

func ExampleWriteMarkdown() {
	const file = `{"suite":"refunds","split":"val","arm":"candidate",
		"reward":0.5,"n_tasks":2,"n_scored":1,"n_cells":2,"n_missing":1,"by_cause":{"rate_limit":1},
		"per_task":[
			{"task":"late|delivery","reward":0.5,"n_trials":1,"n_valid":1,"trial_rewards":[0.5],"feedback":["@ann: too <late>"]},
			{"task":"lost-parcel","n_trials":1,"trial_rewards":[null],"causes":["rate_limit"]}]}`
	var r record.SplitResult
	if err := json.Unmarshal([]byte(file), &r); err != nil {
		fmt.Println(err)
		return
	}
	doc := reporter.Build(reporter.Input{Results: []record.SplitResult{r}})
	const marker = "<!-- capeval -->\n" // what the caller puts before the report counts as well
	fmt.Print(marker)
	if _, err := reporter.WriteMarkdown(os.Stdout, doc, reporter.MarkdownOptions{Budget: 1150, Taken: len(marker)}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <!-- capeval -->
	// measured: refunds (val): reward 0.500, no interval (fewer than 2 tasks scored), 1 of 2 tasks scored, 1 of 2 cells valid
	//
	// **Before you trust the numbers**
	//
	// - refunds (val, candidate): 1 of 2 cells are missing: rate\_limit 1
	// - refunds (val, candidate): 1 of 2 tasks have no valid trial and are in no mean
	//
	// ### Results
	//
	// | suite | split | arm | reward | interval | stderr | tasks | cells | missing | method |
	// |:---|:---|:---|---:|---:|---:|---:|---:|---:|:---|
	// | `refunds` | `val` | `candidate` | 0.500 | - | - | 1/2 | 1/2 | 1 | - |
	//
	// <details>
	// <summary>Rewards of refunds (val, candidate), tasks: 2 (· is a missing trial, not a 0)</summary>
	//
	// | task | reward | stderr | valid | trials | why |
	// |:---|---:|---:|---:|:---|:---|
	// | `late\|delivery` | 0.500 | - | 1/1 | 0.5 | @​ann: too &lt;late&gt; |
	// | `lost-parcel` | missing | - | 0/1 | · | missing: rate\_limit 1 |
	//
	// </details>
	//
	// <details>
	// <summary>Run of refunds (val, candidate)</summary>
	//
	// ```text
	//   reward       0.500, interval -
	//   stderr       - (tasks scored: 1, need 2)
	// ```
	//
	// 5 of 7 rows not shown
	//
	// </details>
	//
	// This report was cut to its budget: 5 of 12 rows not shown.
}
