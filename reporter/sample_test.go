package reporter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/capeval/capeval/stats"
)

// sample is a report of everything: a verdict of several suites with the results
// of both arms, a published score at its second look, and checks of every end.
func sample(t testing.TB) reporter.Input {
	t.Helper()
	v := verdict(t)
	in := reporter.Input{Results: results(t), Decisions: v.Suites, Verdict: v.Verdict, Finals: []record.Final{published(t)}}
	for _, arm := range []string{"baseline", "candidate"} {
		in.Results = append(in.Results, measured(t, "support", arm, "refund=110111", "cancel=010110", "greet=111111", "lost-parcel=-01---", "broken=------"))
	}
	in.Checks = []reporter.Check{
		{Suite: "support", Split: record.Val, Name: "reward floor", State: reporter.CheckFailed, Message: "reward of support val: 0.61, need at least 0.7"},
		{Suite: "support", Split: record.Val, Name: "coverage", State: reporter.CheckPassed},
		{Suite: "support", Split: record.Val, Name: "stderr", State: reporter.CheckUndefined, Message: "cannot say: stderr of support val is undefined: 1 task scored, need 2"},
	}
	in.Notes = []string{"old.jsonl: its last line was torn off, and the trial on it is missing"}
	return in
}

// published is a score at the second look, with a baseline.
func published(t testing.TB) record.Final {
	t.Helper()
	test := func(arm string, tasks ...string) record.SplitResult {
		r := measured(t, "held", arm, tasks...)
		r.Split = record.Test
		return r
	}
	base := test("baseline", "a=0101", "b=1111", "c=0000", "d=1110")
	id, result := "v1.3.0", "sha256:0123456789abcdef"
	return record.Final{
		Suite: "held", Test: test("candidate", "a=1101", "b=1111", "c=0110", "d=11-1"), TestBaseline: &base, BaselineID: &id,
		TestDelta: stats.Defined(0.25), Status: record.FinalComplete,
		Comparison: &record.FinalComparison{
			CI:      record.Interval{Level: 0.95, Method: "t_paired", Low: stats.Defined(-0.1), High: stats.Defined(0.6)},
			CILook:  record.Interval{Level: 1 - 0.05/6, Method: "t_paired", Low: stats.Defined(-0.2), High: stats.Defined(0.7)},
			NPaired: 4, PBetter: stats.Defined(0.14), PWorse: stats.Defined(0.97), PTwoSided: stats.Defined(0.27),
		},
		Seal: record.FinalSeal{Key: "held/sha256:f0/v1.4.0", Fingerprint: "sha256:f0", Release: "v1.4.0", Attempt: "a2",
			Look: record.Look{Number: 2, ByTask: record.TaskLooks{Fresh: 1, Reused: 3, Max: 1, Mean: 0.75}, Added: []string{"d"},
				Previous: []record.PastLook{{Suite: "held", Release: "v1.3.0", Attempt: "a1", Time: "2026-10-01T12:00:00Z", Number: 1, Seq: 4, Result: &result}}},
			Overrides: []record.Override{{Reason: "the first job lost its <disk>", Actor: "ann", RunURL: "https://forge.example/runs/7", ObservedBy: "a1"}}},
		Ledger:    record.FinalLedger{ID: "l1", Scope: "remote", Ref: "refs/heads/capeval-ledger", Genesis: "9f", Born: "2026-09-01T00:00:00Z", Seq: 7},
		Candidate: record.Source{Commit: "c0ffee", Digest: "sha256:ca"}, Baseline: &record.Source{Commit: "ba5e", Ref: "v1.3.0"},
	}
}

// many is a comparison of n tasks with trials trials in both arms. A task in ten
// has a missing trial, a task in fifty is missing altogether; ids are in several
// scripts.
func many(t testing.TB, n, trials int) reporter.Input {
	t.Helper()
	arm := func(name string, lift int) record.SplitResult {
		tasks := make([]string, n)
		for i := range tasks {
			cells := []byte(strings.Repeat("0", trials))
			for k := range cells {
				if (i*7+k*3+lift*i)%10 < 5+lift {
					cells[k] = '1'
				}
				if i%10 == 3 && k == 1 || i%50 == 7 {
					cells[k] = '-'
				}
			}
			tasks[i] = fmt.Sprintf("%s-%05d=%s", []string{"refund", "客户退款", "возврат", "🧾|[x]"}[i%4], i, cells)
		}
		return measured(t, "many", name, tasks...)
	}
	b, c := arm("baseline", 0), arm("candidate", 1)
	v, err := gate.DecideAll([]record.SplitResult{b}, []record.SplitResult{c}, gate.NoRegression(), "")
	if err != nil {
		t.Fatal(err)
	}
	return reporter.Input{Results: []record.SplitResult{b, c}, Decisions: v.Suites, Verdict: v.Verdict}
}

func TestHeadlinesStandAlone(t *testing.T) {
	d := reporter.Build(sample(t))
	if len(d.Headlines) != 1+len(d.Decisions)+1 {
		t.Fatalf("found %d headlines, need one a published score, one a verdict and one for the checks: %v", len(d.Headlines), d.Headlines)
	}
	want := "held-out 0.812 of held, release v1.4.0: 95% interval "
	if got := d.Headlines[0].Text; !strings.HasPrefix(got, want) || !strings.Contains(got, "(wilson_t_neff), 4 of 4 tasks scored, 15 of 16 cells valid, look 2; +0.250 against the baseline, exact p 0.27") {
		t.Errorf("got %q", got)
	}
	if got := d.Headlines[len(d.Headlines)-1].Text; got != "of 3 checks 1 failed and 1 cannot be told" {
		t.Errorf("got %q", got)
	}
	if many := reporter.Build(many(t, 200, 3)); len(many.Headlines) != 1 || len(many.Suites[0].Unscored) != 4 {
		t.Errorf("200 tasks, of which each 50th is missing, have headlines %v and %d unscored", many.Headlines, len(many.Suites[0].Unscored))
	}
}

func TestNoticesComeBeforeWhatTheySpeakOf(t *testing.T) {
	d := reporter.Build(sample(t))
	var codes []string
	for _, n := range d.Finals[0].Notices {
		codes = append(codes, n.Code)
	}
	if got := strings.Join(codes, " "); got != "override look" {
		t.Errorf("the published score has the notices %q, need its override and its look", got)
	}
	for _, s := range d.Suites {
		if s.Result.NMissing > 0 && !strings.Contains(fmt.Sprint(s.Notices), "cells are missing: ") {
			t.Errorf("suite %s hides %d missing cells: %v", s.Result.Suite, s.Result.NMissing, s.Notices)
		}
	}
}
