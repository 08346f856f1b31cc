package matchers_test

import (
	"encoding/json"
	"testing"

	"github.com/capeval/capeval/record"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestMatchers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "matchers")
}

// result reads a result.json cut to what a test is about.
func result(text string) record.SplitResult {
	GinkgoHelper()
	var r record.SplitResult
	Expect(json.Unmarshal([]byte(text), &r)).To(Succeed())
	return r
}

// support is 4 tasks x 3 trials; 4 cells are missing, one task has none left.
// a: 1 1 1, b: 0 1 -, c: 0 0 0.5, d: - - -. Means 1, 1/2, 1/6.
func support() record.SplitResult {
	GinkgoHelper()
	return result(`{"suite":"support","split":"val","arm":"candidate",
	"reward":0.5555555555555556,"stderr":0.32,"ci":{"level":0.95,"method":"wilson_t_neff","low":0.03,"high":0.98},
	"n_tasks":4,"n_scored":3,"coverage":0.75,"n_cells":12,"n_missing":4,"cell_coverage":0.6666666666666666,
	"bounds":{"low":0.375,"high":0.7083333333333334},
	"pass_hat_k":{"1":0.5,"2":0.3333333333333333},"pass_at_k":{"1":0.5,"2":0.6666666666666666},"pass_threshold":1,
	"by_cause":{"rate_limit":3,"setup":1,"expectation":2,"agent_timeout":1},
	"warnings":[{"code":"unequal_trials","message":"scored tasks have 2 to 3 valid trials"}],
	"per_task":[
	{"task":"a","reward":1,"stderr":0,"n_trials":3,"n_valid":3,"trial_rewards":[1,1,1],"causes":["","",""],"output_digests":["x","y","z"]},
	{"task":"b","reward":0.5,"stderr":0.5,"n_trials":3,"n_valid":2,"trial_rewards":[0,1,null],"causes":["expectation","","rate_limit"],"output_digests":["x","y",""]},
	{"task":"c","reward":0.16666666666666666,"stderr":0.16666666666666666,"n_trials":3,"n_valid":3,"trial_rewards":[0,0,0.5],"causes":["expectation","agent_timeout",""],"output_digests":["x","x","x"]},
	{"task":"d","n_trials":3,"n_valid":0,"trial_rewards":[null,null,null],"causes":["rate_limit","rate_limit","setup"],"output_digests":["","",""]}]}`)
}

// same is 2 tasks x 2 trials whose outputs are all alike.
func same() record.SplitResult {
	GinkgoHelper()
	return result(`{"suite":"triage","split":"val","arm":"candidate","reward":0.5,"stderr":0.5,"n_tasks":2,"n_scored":2,"coverage":1,
	"n_cells":4,"cell_coverage":1,"pass_hat_k":{"1":0.5,"2":0.5},"pass_at_k":{"1":0.5,"2":0.5},"pass_threshold":1,
	"warnings":[{"code":"identical_trials","message":"all outputs are byte-identical"}],
	"per_task":[
	{"task":"a","reward":1,"stderr":0,"n_trials":2,"n_valid":2,"trial_rewards":[1,1],"output_digests":["x","x"]},
	{"task":"b","reward":0,"stderr":0,"n_trials":2,"n_valid":2,"trial_rewards":[0,0],"output_digests":["y","y"]}]}`)
}

// lone is one task with one trial: nothing is known about its spread.
func lone() record.SplitResult {
	GinkgoHelper()
	return result(`{"suite":"smoke","split":"val","arm":"candidate","reward":1,"n_tasks":1,"n_scored":1,"coverage":1,"n_cells":1,"cell_coverage":1,
	"pass_hat_k":{"1":1},"pass_at_k":{"1":1},"pass_threshold":1,
	"per_task":[{"task":"hello","reward":1,"n_trials":1,"n_valid":1,"trial_rewards":[1],"output_digests":["x"]}]}`)
}

// lost is a split of which every cell is missing.
func lost() record.SplitResult {
	GinkgoHelper()
	return result(`{"suite":"lost","split":"val","n_tasks":1,"coverage":0,"n_cells":2,"n_missing":2,"cell_coverage":0,"by_cause":{"runner":2},
	"per_task":[{"task":"t","n_trials":2,"trial_rewards":[null,null],"causes":["runner","runner"]}]}`)
}

func empty() record.SplitResult { return record.SplitResult{Suite: "none", Split: record.Val} }

// holder is a Summarizer by pointer, like a user's own collector.
type holder struct{ r record.SplitResult }

func (h *holder) Summary() record.SplitResult { return h.r }
