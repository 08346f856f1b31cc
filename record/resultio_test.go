package record_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

func TestReadResultRefuses(t *testing.T) {
	run, trials := sample()
	var b bytes.Buffer
	if err := record.WriteResult(&b, summarize(t, run, trials...)); err != nil {
		t.Fatal(err)
	}
	check := func(want string, change func(r, a map[string]any)) {
		t.Helper()
		var r map[string]any
		if err := json.Unmarshal(b.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		change(r, r["per_task"].([]any)[0].(map[string]any))
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = record.ReadResult(bytes.NewReader(text), "r.json")
		if got := errorText(err); got != "r.json: "+want {
			t.Errorf("got  %s\nwant r.json: %s", got, want)
		}
	}
	check(`found schema "capeval.result/v2", need "capeval.result/v1": another kind of file, or written by another version`, func(r, _ map[string]any) { r["schema"] = "capeval.result/v2" })
	check(`found an empty suite, need its name`, func(r, _ map[string]any) { r["suite"] = "" })
	check(`found split "dev", need train, val or test`, func(r, _ map[string]any) { r["split"] = "dev" })
	check(`found an empty arm, need its name`, func(r, _ map[string]any) { delete(r, "arm") })
	check(`found pass_threshold 2, need a number from 0 to 1`, func(r, _ map[string]any) { r["pass_threshold"] = 2 })
	check(`found ci.level 0, need a number between 0 and 1`, func(r, _ map[string]any) { r["ci"].(map[string]any)["level"] = 0 })
	check(`found ci.low null with ci.high 0.9988448, need both or neither`, func(r, _ map[string]any) {
		r["ci"] = map[string]any{"level": 0.95, "low": nil, "high": 0.9988448}
	})
	check(`found reward 0.9, need 0.6944444444444444 as per_task has it`, func(r, _ map[string]any) { r["reward"] = 0.9 })
	check(`found reward null, need 0.6944444444444444 as per_task has it`, func(r, _ map[string]any) { r["reward"] = nil })
	check(`found coverage 1, need 0.75 as per_task has it`, func(r, _ map[string]any) { r["coverage"] = 1 })
	check(`found bounds.low 0.5, need 0.4791666666666667 as per_task has it`, func(r, _ map[string]any) { r["bounds"].(map[string]any)["low"] = 0.5 })
	check(`found n_tasks 5, need 4 as per_task has it`, func(r, _ map[string]any) { r["n_tasks"] = 5 })
	check(`found n_cells 9, need 10 as per_task has it`, func(r, _ map[string]any) { r["n_cells"] = 9 })
	check(`found n_missing 0, need 4 as per_task has it`, func(r, _ map[string]any) { r["n_missing"] = 0 })
	check(`found by_cause setup 1, need 2 as per_task has it`, func(r, _ map[string]any) { r["by_cause"].(map[string]any)["setup"] = 1 })
	check(`found 5 causes in by_cause, need the 4 of per_task`, func(r, _ map[string]any) { r["by_cause"].(map[string]any)["gremlins"] = 1 })
	check(`per_task[1]: found task "b" after "z", need every task once, sorted`, func(_, a map[string]any) { a["task"] = "z" })
	check(`per_task[1]: found task "b" after "b", need every task once, sorted`, func(_, a map[string]any) { a["task"] = "b" })
	check(`per_task[0], task "a": found 2 entries in trial_rewards, need 3 as n_trials says`, func(_, a map[string]any) { a["trial_rewards"] = []any{1, 1} })
	check(`per_task[0], task "a": found 0 entries in seeds, need 3 as n_trials says`, func(_, a map[string]any) { delete(a, "seeds") })
	check(`per_task[0], task "a": found n_valid 2, need 3 as trial_rewards has it`, func(_, a map[string]any) { a["n_valid"] = 2 })
	check(`per_task[0], task "a": found trial_rewards[0] 1.5, need a number from 0 to 1`, func(_, a map[string]any) { a["trial_rewards"] = []any{1.5, 0.5, 0.25} })
	check(`per_task[0], task "a": found causes[0] "" without a reward, need one of setup, runner, rate_limit, scorer, scorer_timeout, invalid_score, panic, interrupted, skipped, not_started`,
		func(_, a map[string]any) { a["trial_rewards"] = []any{nil, 0.5, 0.25} })
	check(`per_task[0], task "a": found causes[0] "panic" with a reward, need none or one of expectation, agent_error, agent_timeout, agent_limit`,
		func(_, a map[string]any) { a["causes"] = []any{"panic", "", ""} })
	check(`per_task[0], task "a": found reward 0.5, need 0.5833333333333334 as its trials have it`, func(_, a map[string]any) { a["reward"] = 0.5 })
	check(`per_task[0], task "a": found n_trials 0, need 1 or more`, func(_, a map[string]any) { a["n_trials"] = 0 })

	for text, want := range map[string]string{
		"{\n\"schema\": \"capeval.result/v1\",\n}": "r.json:3: found no capeval.result/v1 (invalid character '}' looking for beginning of object key string), need one JSON object of this form",
		b.String() + "{}":                          "after top-level value",
		"":                                         "r.json:1: found no capeval.result/v1 (unexpected end of JSON input), need one JSON object of this form",
		"{\"schema\":\"capeval.result/v1\",\n\"n_tasks\":\"x\"}": "r.json:2: found no capeval.result/v1",
	} {
		if _, err := record.ReadResult(strings.NewReader(text), "r.json"); !strings.Contains(errorText(err), want) {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

func TestRunRoundTrip(t *testing.T) {
	want, _ := sample()
	want.Shard = &record.Shard{Index: 1, Count: 2}
	want.Sealed = 3
	var b bytes.Buffer
	if err := record.WriteRun(&b, want); err != nil {
		t.Fatal(err)
	}
	got, err := record.ReadRun(&b, "run.json")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestRunRefuses(t *testing.T) {
	check := func(want string, change func(*record.Run)) {
		t.Helper()
		r := plan(2, "a", "b")
		change(&r)
		var b bytes.Buffer
		err := record.WriteRun(&b, r)
		if got := errorText(err); got != "record: run: "+want || b.Len() > 0 {
			t.Errorf("got  %s\nwant record: run: %s", got, want)
		}
	}
	check(`found an empty suite, need its name`, func(r *record.Run) { r.Suite = "" })
	check(`found split "", need train, val or test`, func(r *record.Run) { r.Split = "" })
	check(`found an empty arm, need its name`, func(r *record.Run) { r.Arm = "" })
	check(`found pass_threshold -1, need a number from 0 to 1`, func(r *record.Run) { r.PassThreshold = -1 })
	check(`found shard 3 of 2, need a shard from 1 to their count`, func(r *record.Run) { r.Shard = &record.Shard{Index: 3, Count: 2} })
	check(`plan[1]: found task "a" twice, need it once`, func(r *record.Run) { r.Plan[1].Task = "a" })
	check(`plan[0]: found an empty task, need its id`, func(r *record.Run) { r.Plan[0].Task = "" })
	check(`plan[0], task "a": found 0 trials, need 1 to 1000000`, func(r *record.Run) { r.Plan[0].Trials = 0 })
	check(`plan[0], task "a": found trial 2 in deselected, need trials from 0 to 1, ascending`, func(r *record.Run) { r.Plan[0].Deselected = []int{2} })
	check(`plan[0], task "a": found trial 0 in elsewhere, need trials from 0 to 1, ascending`, func(r *record.Run) { r.Plan[0].Elsewhere = []int{1, 0} })
	if _, err := record.ReadRun(strings.NewReader(`{"schema":"capeval.result/v1"}`), "run.json"); errorText(err) != `run.json: found schema "capeval.result/v1", need "capeval.run/v1": another kind of file, or written by another version` {
		t.Error(err)
	}
}

func TestEmptyListsAreNotNull(t *testing.T) {
	var b strings.Builder
	r := record.SplitResult{Suite: "s", Split: record.Val, Arm: "a", CI: record.Interval{Level: 0.95}}
	if err := record.WriteResult(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"warnings": []`, `"per_task": []`, `"by_cause": {}`, `"pass_hat_k": {}`, `"reward": null`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

func TestHeadline(t *testing.T) {
	check := func(want string, r record.SplitResult) {
		t.Helper()
		if got := r.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	run, trials := sample()
	r := summarize(t, run, trials...)
	r.Arm = "baseline"
	check("s val (baseline): reward 0.694 (95% 0.12..0.97, wilson_t_neff), 3/4 tasks, 6/10 cells, a subset", r)
	check("s val: reward - (no interval below 2 scored tasks), 0/1 tasks, 0/2 cells", summarize(t, plan(2, "a")))
}
