package reporter_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// rows reads rows of {task, reward} as the record package reads foreign files.
func rows(t *testing.T, suite, arm string, list []map[string]any) record.SplitResult {
	t.Helper()
	var b strings.Builder
	for _, row := range list {
		row["suite"], row["arm"] = suite, arm
		line, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	trials, err := record.ReadTrials(strings.NewReader(b.String()), suite)
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func realFile(t *testing.T, v any, parts ...string) {
	t.Helper()
	dir := os.Getenv("CAPEVAL_DATA")
	if dir == "" {
		t.Skip("CAPEVAL_DATA is not set: the real data are not at hand")
	}
	b, err := os.ReadFile(filepath.Join(append([]string{dir}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}

// Ids of up to 120 characters that differ at their ends are names as they are.
func TestJUnitRealLongIDs(t *testing.T) {
	var file map[string]bool
	realFile(t, &file, "swe-bench-pro", "claude-45sonnet-10132025.eval_results.json")
	var list []map[string]any
	for id, passed := range file {
		list = append(list, map[string]any{"task": id, "reward": map[bool]int{false: 0, true: 1}[passed]})
	}
	r := rows(t, "swe", "candidate", list)
	for _, opts := range []reporter.JUnitOptions{{}, {PerTrial: true}} {
		ts, _, _ := junitOf(t, only(r), opts)
		s := suiteOf(t, ts, "swe.val")
		if len(s.Testcases) != len(file) || len(file) < 500 {
			t.Fatalf("%d cases of %d ids", len(s.Testcases), len(file))
		}
		for _, c := range s.Testcases {
			id, _, _ := strings.Cut(c.Name, " [")
			if _, ok := file[id]; !ok {
				t.Errorf("no task is called %q", c.Name)
			}
		}
	}
}

// An id with brackets and pipes, and one that is a number.
func TestJUnitRealOddIDs(t *testing.T) {
	found := 0
	for _, name := range []string{"20260531-184109-726391", "20260601-033543-612139", "20260601-041221-091109"} {
		var file struct {
			Simulations []struct {
				TaskID string `json:"task_id"`
				Trial  int
				Seed   int64
				Reward struct{ Reward *float64 } `json:"reward_info"`
			}
		}
		realFile(t, &file, "activegraph-tau2", name+".results.json")
		var list []map[string]any
		ids := map[string]bool{}
		for _, s := range file.Simulations {
			row := map[string]any{"task": s.TaskID, "trial": s.Trial, "seed": s.Seed, "status": "missing"}
			if s.Reward.Reward != nil {
				row["status"], row["reward"] = "scored", *s.Reward.Reward
			}
			ids[s.TaskID] = true
			list = append(list, row)
		}
		ts, _, _ := junitOf(t, only(rows(t, "tau2", "candidate", list)), reporter.JUnitOptions{})
		s := suiteOf(t, ts, "tau2.val")
		if len(s.Testcases) != len(ids) {
			t.Errorf("%s: %d cases of %d tasks", name, len(s.Testcases), len(ids))
		}
		for _, c := range s.Testcases {
			if !ids[c.Name] {
				t.Errorf("%s: no task is called %q", name, c.Name)
			}
			if strings.Contains(c.Name, "[") && strings.Contains(c.Name, "|") {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no id with brackets and pipes was seen")
	}
}

// Six arms of one suite, with feedback as a scorer wrote it.
func TestJUnitRealArms(t *testing.T) {
	var file map[string]map[string]struct {
		Feedback string
		Trials   []float64
	}
	realFile(t, &file, "cap-evolve", "tau2_airline_v4.val_per_task.json")
	var in reporter.Input
	for arm, tasks := range file {
		var list []map[string]any
		for task, x := range tasks {
			for k, v := range x.Trials {
				list = append(list, map[string]any{"task": task, "trial": k, "reward": v, "feedback": x.Feedback})
			}
		}
		in.Results = append(in.Results, rows(t, "airline", arm, list))
	}
	ts, _, _ := junitOf(t, in, reporter.JUnitOptions{})
	if len(ts.Suites) != len(file) {
		t.Errorf("%d suites of %d arms", len(ts.Suites), len(file))
	}
	for arm, tasks := range file {
		s := suiteOf(t, ts, "airline.val."+arm)
		if len(s.Testcases) != len(tasks) {
			t.Errorf("%s: %d cases of %d tasks", arm, len(s.Testcases), len(tasks))
		}
		for task, x := range tasks {
			if c := caseOf(t, s, task); !strings.Contains(c.SystemOut.Data, x.Feedback) {
				t.Errorf("%s, task %s: the feedback is not there: %s", arm, task, fmt.Sprintf("%.200q", c.SystemOut.Data))
			}
		}
	}
}
