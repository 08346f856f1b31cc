package record_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

func finalOf(t *testing.T) record.Final {
	t.Helper()
	trials, err := record.ReadTrials(strings.NewReader(`{"suite":"s","split":"test","task":"a","trial":0,"reward":1}
{"suite":"s","split":"test","task":"b","trial":0,"reward":0.5}
`), "trials.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{AnyRun: true})
	if err != nil {
		t.Fatal(err)
	}
	return record.Final{Suite: "s", Test: r, Status: record.FinalComplete, Seal: record.FinalSeal{Look: record.Look{Number: 1}}}
}

func write(t *testing.T, f record.Final) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := record.WriteFinal(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFinalIsReadBack(t *testing.T) {
	f := finalOf(t)
	id := "v1"
	base := f.Test
	base.Arm = "baseline"
	f.TestBaseline, f.BaselineID, f.TestDelta = &base, &id, stats.Defined(0)
	f.Comparison, f.Baseline = &record.FinalComparison{NPaired: 2, PTwoSided: stats.Defined(1)}, &record.Source{Commit: "c0"}
	first := write(t, f)
	got, err := record.ReadFinal(bytes.NewReader(first), "final.json")
	if err != nil {
		t.Fatal(err)
	}
	if again := write(t, got); !bytes.Equal(first, again) {
		t.Errorf("written, read and written again, it differs:\n%s\n%s", first, again)
	}
	for _, want := range []string{`"look": 1`, `"previous": []`, `"overrides": []`, `"fp": ""`, `"schema": "capeval.final/v1"`, `"stderr_clustered": null`} {
		if !bytes.Contains(first, []byte(want)) {
			t.Errorf("final.json lacks %s", want)
		}
	}
	if f.Seal.Previous != nil || f.Test.PassAtK == nil && reflect.DeepEqual(f, got) {
		t.Error("WriteFinal changed what it was given")
	}
}

func TestFinalWithoutABaselineHasNulls(t *testing.T) {
	data := write(t, finalOf(t))
	for _, want := range []string{`"test_baseline": null`, `"baseline_id": null`, `"test_delta": null`, `"comparison": null`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("final.json lacks %s:\n%s", want, data)
		}
	}
}

func TestFinalRefusesContradictions(t *testing.T) {
	id := "v1"
	for _, c := range []struct {
		why    string
		change func(*record.Final)
	}{
		{"another split", func(f *record.Final) { f.Test.Split = record.Val }},
		{"another suite", func(f *record.Final) { f.Suite = "t" }},
		{"a reward that is not its tasks'", func(f *record.Final) { f.Test.Reward = stats.Defined(1) }},
		{"no status", func(f *record.Final) { f.Status = "" }},
		{"no look", func(f *record.Final) { f.Seal.Number = 0 }},
		{"a baseline without its result", func(f *record.Final) { f.BaselineID = &id }},
		{"a delta of nothing", func(f *record.Final) { f.TestDelta = stats.Defined(0) }},
	} {
		f := finalOf(t)
		c.change(&f)
		if err := record.WriteFinal(&bytes.Buffer{}, f); err == nil {
			t.Errorf("%s: written", c.why)
		}
	}
	if _, err := record.ReadFinal(strings.NewReader(`{"schema":"capeval.result/v1"}`), "x.json"); err == nil || !strings.Contains(err.Error(), "x.json") {
		t.Errorf("another schema: got %v, want a refusal that names the file", err)
	}
}
