package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

func TestVerdictIsReadBack(t *testing.T) {
	v, err := gate.DecideAll(
		[]record.SplitResult{result(t, "s", "a", 1, 0, 1), result(t, "u", "a", 1)},
		[]record.SplitResult{result(t, "s", "a", 1, 1, 1)}, gate.NoRegression(), "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := gate.ParseVerdict(data, "verdict.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(v, got, cmp.Comparer(func(a, b stats.Estimate) bool { return a == b })); d != "" {
		t.Error(d)
	}
	for spoil, with := range map[string]string{
		`"verdict":"indecisive","suites"`: `"verdict":"accepted","suites"`, // the whole hides a suite
		`"capeval.verdict/v1"`:            `"capeval.result/v1"`,
		`"verdict":"accepted","code"`:     `"verdict":"fine","code"`,
		`"suite":"u"`:                     `"suite":""`,
	} {
		bad := strings.Replace(string(data), spoil, with, 1)
		if bad == string(data) {
			t.Fatalf("the verdict lacks %s: %s", spoil, data)
		}
		if _, err := gate.ParseVerdict([]byte(bad), "verdict.json"); err == nil || !strings.HasPrefix(err.Error(), "verdict.json: ") {
			t.Errorf("%s: got %v, want a refusal that names the file", with, err)
		}
	}
}

// The trials of the arms are drawn apart, so their variances add up: rewards 1 0
// have a mean with variance 1/4, and twice that is 1/2.
func TestTaskStderr(t *testing.T) {
	d, err := gate.Decide(result(t, "s", "a", 1, 0), result(t, "s", "a", 0, 1), gate.NoRegression())
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := d.PerTask[0].Stderr.Value(); got < 0.70710 || got > 0.70711 {
		t.Errorf("stderr of the delta is %v, want sqrt(1/2)", got)
	}
	d, err = gate.Decide(result(t, "s", "a", 1), result(t, "s", "a", 0, 1), gate.NoRegression())
	if err != nil {
		t.Fatal(err)
	}
	if d.PerTask[0].Stderr.Defined() {
		t.Error("one trial says nothing about spread")
	}
}

// result is a suite of one task.
func result(t *testing.T, suite, task string, rewards ...float64) record.SplitResult {
	t.Helper()
	var trials []record.Trial
	for i, r := range rewards {
		trials = append(trials, record.Trial{Suite: suite, Split: record.Val, Arm: "candidate", Task: task, Trial: i, Attempt: 1, Reward: stats.Defined(r), Status: record.Scored})
	}
	res, err := record.Summarize(record.PlanOf(trials), trials, record.Options{AnyRun: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
