package reporter_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

func Example() {
	// What a run writes to result.json, cut to the keys that matter here.
	const file = `{"suite":"refunds","split":"val","arm":"candidate",
		"reward":0.5,"n_tasks":2,"n_scored":1,"coverage":0.5,"n_cells":4,"n_missing":2,"cell_coverage":0.5,
		"bounds":{"low":0.25,"high":0.75},"pass_hat_k":{"1":0.5,"2":0},"pass_threshold":1,
		"by_cause":{"rate_limit":2,"expectation":1},
		"run":{"id":"r1","base_seed":7,"trials":2,"workers":1,"procs":1},"totals":{"seconds":4.2},
		"per_task":[
			{"task":"late-delivery","reward":0.5,"stderr":0.5,"n_trials":2,"n_valid":2,"trial_rewards":[1,0],"causes":["","expectation"]},
			{"task":"lost-parcel","n_trials":2,"trial_rewards":[null,null],"causes":["rate_limit","rate_limit"]}]}`
	var r record.SplitResult
	if err := json.Unmarshal([]byte(file), &r); err != nil {
		fmt.Println(err)
		return
	}
	doc := reporter.Build(reporter.Input{Results: []record.SplitResult{r}})
	if err := reporter.WriteText(os.Stdout, doc, reporter.TextOptions{Width: 80}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// suite    split  reward  interval  stderr  tasks  cells  pass^1  pass^2  missing
	// refunds  val     0.500         -       -    1/2    2/4   0.500   0.000        2
	//
	// refunds, split val, arm candidate
	//   reward       0.500, interval -
	//   stderr       - (tasks scored: 1, need 2)
	//   coverage     1 of 2 tasks scored (0.500), 2 of 4 cells valid (0.500)
	//   pass^k       k=1 0.500, k=2 0.000 (a trial passes at reward >= 1)
	//   missing      2 of 4 cells: rate_limit 2
	//   bounds       0.250..0.750: the reward if every missing cell were 0 / were 1
	//   agent's own  expectation 1 (measured: reward 0)
	//   worst tasks  all with a reward below 1
	//     reward  trials  task           why
	//      0.500  1 0     late-delivery  expectation
	//   unscored     1 of 2 tasks have no valid trial: lost-parcel
	//   time         trials took 4.2s
	//   cost         not reported
	//   run          r1, base seed 7, trials 2, workers 1, procs 1
}
