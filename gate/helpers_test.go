package gate_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

type failer interface {
	Helper()
	Fatal(...any)
}

// arm makes a result from one word a task and one character a trial: 1 and 0 are
// rewards, h is a half, - is missing, and a lone . is a task that the arm does
// not declare. Every trial has a digest of its own, so that none looks like a
// copy, and what scored it is known. Tasks are named a, b, c, ...
func arm(t failer, name, cells string) record.SplitResult {
	t.Helper()
	var trials []record.Trial
	run := record.Run{Schema: record.RunSchema, Suite: "s", Split: record.Val, Arm: name, Trials: 1, PassThreshold: 1, ScorerDigest: "sha256:5c"}
	for i, word := range strings.Fields(cells) {
		id := string(rune('a' + i))
		if i >= 26 {
			id = "z" + strconv.Itoa(i)
		}
		if word == "." {
			continue
		}
		run.Plan = append(run.Plan, record.PlanTask{Task: id, Trials: len(word)})
		for k, c := range word {
			trial := record.Trial{Schema: record.TrialSchema, Suite: "s", Split: record.Val, Arm: name, Task: id, Trial: k, Attempt: 1, Seed: int64(k), Status: record.Scored}
			switch c {
			case '-':
				trial.Status, trial.Cause = record.Missing, record.CauseRunner
			case 'h':
				trial.Reward = stats.Defined(0.5)
			default:
				trial.Reward = stats.Defined(float64(c - '0'))
			}
			if trial.Status == record.Scored {
				trial.OutputDigest = fmt.Sprintf("sha256:%d.%d.%s", i, k, name)
			}
			trials = append(trials, trial)
		}
	}
	r, err := record.Summarize(run, trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// copies is arm without digests: equal trials look like copies.
func copies(t failer, name, cells string) record.SplitResult {
	t.Helper()
	r := arm(t, name, cells)
	for i := range r.PerTask {
		for k := range r.PerTask[i].OutputDigests {
			r.PerTask[i].OutputDigests[k] = ""
		}
	}
	return r
}

func decide(t failer, b, c record.SplitResult, rule gate.Rule) gate.Decision {
	t.Helper()
	d, err := gate.Decide(b, c, rule)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func asJSON(t failer, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// rule returns r with changes.
func rule(r gate.Rule, changes ...func(*gate.Rule)) gate.Rule {
	for _, change := range changes {
		change(&r)
	}
	return r
}

func alpha(a string) func(*gate.Rule)  { return func(r *gate.Rule) { r.Alpha = a } }
func margin(m string) func(*gate.Rule) { return func(r *gate.Rule) { r.Margin = m } }
func population(r *gate.Rule)          { r.Scope = gate.ScopePopulation }
func independent(r *gate.Rule)         { r.TrialsAre = "independent" }

func has(d gate.Decision, code string) bool {
	for _, w := range d.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func warning(t *testing.T, d gate.Decision, code string) string {
	t.Helper()
	for _, w := range d.Warnings {
		if w.Code == code {
			return w.Message
		}
	}
	t.Errorf("no warning %s, only %v", code, d.Warnings)
	return ""
}
