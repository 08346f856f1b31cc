package seal

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

func TestResults(t *testing.T) {
	s := start(t, plan(3, 2), nil)
	c := NewClient(s.grant)
	receipts := map[string]string{}
	for _, task := range []string{"task-00", "task-01"} {
		for k := range 2 {
			receipt, err := c.Ask(t.Context(), task, k)
			if err != nil {
				t.Fatal(err)
			}
			receipts[fmt.Sprint(task, k)] = receipt
		}
	}
	s.Close()
	g := s.proven(t)

	trial := func(task string, k int, receipt string, change func(*record.Trial)) record.Trial {
		tr := record.Trial{Suite: "refund-agent", Split: record.Test, Arm: "candidate", Task: task, Trial: k, Attempt: 1, Status: record.Scored, Reward: stats.Defined(1)}
		if receipt != "" {
			data, err := json.Marshal(receipt)
			if err != nil {
				t.Fatal(err)
			}
			tr.Extra = map[string]json.RawMessage{ReceiptKey: data}
		}
		if change != nil {
			change(&tr)
		}
		return tr
	}
	missing := func(tr *record.Trial) {
		tr.Status, tr.Reward, tr.Cause = record.Missing, stats.Undefined(), record.CauseNotStarted
	}
	r := g.Results(Candidate, "refund-agent", []record.Trial{
		trial("task-00", 0, receipts["task-000"], nil),
		trial("task-00", 1, receipts["task-001"], missing), // granted, and lost to a runner
		trial("task-01", 0, "", missing),                   // killed before its record: no receipt
		trial("task-02", 0, "", missing),                   // never asked
		// And what counts for nothing:
		trial("task-00", 0, receipts["task-000"], nil), // a copy
		trial("task-01", 1, "", nil),                   // no receipt
		trial("task-01", 1, receipts["task-000"], nil), // another's
		trial("task-02", 1, receipts["task-000"], nil), // never granted
		trial("task-01", 1, receipts["task-011"], func(tr *record.Trial) { tr.Arm = "baseline" }),
		trial("task-01", 1, receipts["task-011"], func(tr *record.Trial) { tr.Suite = "other" }),
		trial("task-01", 1, receipts["task-011"], func(tr *record.Trial) { tr.Split = record.Val }),
		trial("task-01", 1, "", func(tr *record.Trial) {
			tr.Extra = map[string]json.RawMessage{ReceiptKey: json.RawMessage(`{"a":1}`)}
		}),
	})
	if len(r.Kept) != 4 || len(r.Unproven) != 8 {
		t.Errorf("%d kept, %d unproven, want 4 and 8", len(r.Kept), len(r.Unproven))
	}
	if got := fmt.Sprint(r.Lost); got != "[candidate/refund-agent/task-01/0 candidate/refund-agent/task-01/1]" {
		t.Errorf("lost %s", got)
	}
	if r := g.Results(Baseline, "refund-agent", nil); len(r.Lost)+len(r.Kept) != 0 {
		t.Errorf("the other role: %+v", r)
	}
}
