package matchers_test

import (
	"encoding/json"
	"fmt"

	"github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
	"github.com/onsi/gomega"
)

func Example() {
	// What a run writes to result.json, cut to the keys that matter here.
	const file = `{"suite":"refunds","split":"val","reward":0.5,"n_tasks":2,"n_scored":1,"coverage":0.5,
		"n_cells":4,"n_missing":2,"cell_coverage":0.5,"by_cause":{"rate_limit":2},
		"per_task":[{"task":"late-delivery","reward":0.5,"n_trials":2,"n_valid":2,"trial_rewards":[1,0]},
			{"task":"lost-parcel","n_trials":2,"trial_rewards":[null,null]}]}`
	var r record.SplitResult
	if err := json.Unmarshal([]byte(file), &r); err != nil {
		fmt.Println(err)
		return
	}
	// In a test this is NewWithT(t), or Ginkgo's fail handler.
	g := gomega.NewGomega(func(message string, _ ...int) { fmt.Println(message) })

	g.Expect(r).To(matchers.ForTask("late-delivery", matchers.HaveReward(0.5)))
	g.Expect(r).To(matchers.HaveCoverage(gomega.BeNumerically(">=", 0.9)))
	g.Expect(r).NotTo(matchers.HaveStderr(gomega.BeNumerically(">", 0.1)))
	// Output:
	// Expected the coverage of suite refunds, split val
	//     0.5
	// to be >= 0.9
	//     cells:    2 valid of 4 declared; missing: rate_limit 2
	//     tasks:    1 scored of 2 declared
	//     reward:   0.5
	//     worst:    late-delivery 0.5 [1 0]
	// cannot say: the stderr of suite refunds, split val is undefined: 1 scored task, need 2; add tasks, or ask about the task alone with ForTask
}
