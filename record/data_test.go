package record_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

// The published numbers of tau-bench's airline run of gpt-4o: 50 tasks x 4.
func TestTauBench(t *testing.T) {
	dir := os.Getenv("CAPEVAL_DATA")
	if dir == "" {
		t.Skip("CAPEVAL_DATA is not set: no real results to read")
	}
	b, err := os.ReadFile(filepath.Join(dir, "tau-bench", "gpt-4o-airline.trimmed.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Task   json.Number `json:"task_id"`
		Trial  int         `json:"trial"`
		Reward float64     `json:"reward"`
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&lines, `{"task":%s,"trial":%d,"reward":%v}`+"\n", r.Task, r.Trial, r.Reward)
	}
	trials, err := record.ReadTrials(strings.NewReader(lines.String()), "tau-bench.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r := summarize(t, record.PlanOf(trials), trials...)
	got := fmt.Sprintf("%d x %d: %s ^ %s %s %s %s +- %s", r.NTasks, r.Run.Trials, r.Reward.Format(2),
		r.PassHatK[1].Format(2), r.PassHatK[2].Format(3), r.PassHatK[3].Format(2), r.PassHatK[4].Format(2), r.StderrBetween.Format(3))
	if want := "50 x 4: 0.42 ^ 0.42 0.273 0.22 0.20 +- 0.052"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(r.PassHatK) != 4 {
		t.Errorf("got %d k, want 4: no task has a fifth trial", len(r.PassHatK))
	}
}
