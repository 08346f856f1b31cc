package reporter_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/capeval/capeval/stats"
)

// real returns a file of real results, and skips the test where there are none.
func real(t *testing.T, into any, path ...string) {
	t.Helper()
	dir := os.Getenv("CAPEVAL_DATA")
	if dir == "" {
		t.Skip("CAPEVAL_DATA is not set: the real data are not at hand")
	}
	data, err := os.ReadFile(filepath.Join(append([]string{dir}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func summarized(t *testing.T, arm string, rewards map[string]float64) record.SplitResult {
	t.Helper()
	var trials []record.Trial
	for task, v := range rewards {
		trials = append(trials, record.Trial{Schema: record.TrialSchema, Suite: "real", Split: record.Val, Arm: arm, Task: task,
			Attempt: 1, Status: record.Scored, Reward: stats.Defined(v)})
	}
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Ids of 65 to 120 characters with the hashes of commits in them read whole, and
// nothing is made of the hashes.
func TestMarkdownOfLongRealIDs(t *testing.T) {
	arm := func(name, file string) record.SplitResult {
		var rows map[string]bool
		real(t, &rows, "swe-bench-pro", file+".eval_results.json")
		rewards := map[string]float64{}
		for id, passed := range rows {
			rewards[id] = 0
			if passed {
				rewards[id] = 1
			}
		}
		return summarized(t, name, rewards)
	}
	b, c := arm("baseline", "claude-sonnet-4-paper"), arm("candidate", "claude-45sonnet-10132025")
	d, err := gate.Compare(b, c, gate.NoRegression())
	if err != nil {
		t.Fatal(err)
	}
	doc := reporter.Build(reporter.Input{Results: []record.SplitResult{b, c}, Decisions: []gate.Decision{d}})
	for _, budget := range []int{reporter.CommentBudget, reporter.SummaryBudget} {
		md, ext := markdown(t, doc, reporter.MarkdownOptions{Budget: budget})
		checkRaw(t, md)
		got := column0(tablesWith(tables(mdPage(t, md)), "task", "change")[0])
		for i, id := range got {
			if id != doc.Decisions[0].Changed[i].Task {
				t.Fatalf("row %d reads %q, want %q", i, id, doc.Decisions[0].Changed[i].Task)
			}
		}
		if budget == reporter.SummaryBudget && (ext.Hidden != 0 || len(got) != len(doc.Decisions[0].Changed)) {
			t.Errorf("%d of %d tasks are shown, %d rows hidden", len(got), len(doc.Decisions[0].Changed), ext.Hidden)
		}
	}
}

// P25: the real id of brackets and pipes.
func TestMarkdownOfARealIDWithPipes(t *testing.T) {
	var file struct {
		Simulations []struct {
			TaskID string `json:"task_id"`
			Reward struct {
				Reward float64 `json:"reward"`
			} `json:"reward_info"`
		} `json:"simulations"`
	}
	real(t, &file, "activegraph-tau2", "20260601-041221-091109.results.json")
	rewards := map[string]float64{}
	for _, s := range file.Simulations {
		rewards[s.TaskID] = s.Reward.Reward
	}
	md, _ := markdown(t, reporter.Build(reporter.Input{Results: []record.SplitResult{summarized(t, "candidate", rewards)}}), reporter.MarkdownOptions{})
	checkRaw(t, md)
	ids := column0(tablesWith(tables(mdPage(t, md)), "task", "reward")[0])
	if !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(id, "]") && strings.Contains(id, "|") }) {
		t.Errorf("no id of brackets and pipes among %q", ids)
	}
	for _, id := range ids {
		if _, ok := rewards[id]; !ok {
			t.Errorf("%q is no id of the file", id)
		}
	}
}
