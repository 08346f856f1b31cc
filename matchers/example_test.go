package matchers_test

import (
	"encoding/json"
	"fmt"

	"github.com/capeval/capeval/gate"
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

func ExampleNotRegressFrom() {
	// A baseline and a candidate of one task with three trials each.
	const file = `{"suite":"refunds","split":"val","n_tasks":1,"n_scored":1,"coverage":1,"n_cells":3,"cell_coverage":1,"scorer_digest":"sha256:1",
		"per_task":[{"task":"late-delivery","reward":%d,"n_trials":3,"n_valid":3,"trial_rewards":[%[1]d,%[1]d,%[1]d],"output_digests":["x","y","z"]}]}`
	var baseline, candidate record.SplitResult
	for reward, r := range []*record.SplitResult{&candidate, &baseline} {
		if err := json.Unmarshal(fmt.Appendf(nil, file, reward), r); err != nil {
			fmt.Println(err)
			return
		}
	}
	g := gomega.NewGomega(func(message string, _ ...int) { fmt.Println(message) })

	g.Expect(candidate).To(matchers.NotRegressFrom(baseline, gate.NoRegression()))
	g.Expect(candidate).NotTo(matchers.BeAcceptedOver(baseline, gate.Improve()))

	d, err := gate.Decide(baseline, candidate, gate.NoRegression())
	g.Expect(err).NotTo(gomega.HaveOccurred())
	g.Expect(d).To(matchers.HaveVerdictCode(gate.CodeRegression))
	// Output:
	// Expected the verdict on suite refunds, split val
	//     rejected, regression
	// to be accepted
	//     verdict:  rejected, regression: worse: -1.000 (95% CI -1.000..-0.360), exact p=0.05, 1 paired task, 6 trials; no single task is shown to be worse by itself
	//     about:    suite refunds, split val; rule no-regression, scope suite, alpha 0.05
	//     delta:    -1, 95% interval -1..-0.3599 (two_pseudo_trials)
	//     p:        better 1, worse 0.05, two-sided 0.1 (exact)
	//     tasks:    1 paired of 1 declared (coverage 1); 0 improved, 1 regressed, 0 unchanged
	//     cells:    valid 1 of the baseline's, 1 of the candidate's
	//     worst:    late-delivery -1 (1 to 0)
}
