package evaltest_test

import (
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

func TestTasksFrom(t *testing.T) {
	rows := "\ufeff" + strings.Join([]string{
		`{"id":"plain","split":"val","question":"why?","points":2.5,"tags":["a","b"]}`,
		"",
		`{"split":"val","trials":3,"cluster":"family","id":7,"question":"ünï"}`,
		`{"id":"12345678901234567890","split":"val"}`,
		`{"id":"of-train","split":"train","question":"other"}`,
		`   {"id": "spaced" , "split": "val", "unknown": {"deep": [1, 2]}}   `,
	}, "\r\n") // no line end at the end
	tasks := file(t, "tasks.jsonl", rows)
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("rows", "TASKS="+tasks, "CAPEVAL_BASE_SEED=7").run(t)
		r.exits(t, !red)
		want := []string{
			`plain 0: "why?" 2.5 ["a" "b"]`, `7 0: "ünï" 0 []`, `7 1: "ünï" 0 []`, `7 2: "ünï" 0 []`,
			`12345678901234567890 0: "" 0 []`, `spaced 0: "" 0 []`,
		}
		if how.env == nil { // RunEvals says two trials where the row says nothing
			want = append(want, `plain 1: "why?" 2.5 ["a" "b"]`, `12345678901234567890 1: "" 0 []`, `spaced 1: "" 0 []`)
		}
		r.did(t, want...)
		for _, trial := range r.trials(t, "7") {
			if trial.Cluster != "family" || trial.Seed != 7+int64(trial.Trial) {
				t.Errorf("record %+v", trial)
			}
		}
		for _, p := range r.plan(t).Plan {
			if !strings.HasPrefix(p.ContentDigest, "sha256:") || !strings.Contains(p.Location, "tasks.jsonl:") {
				t.Errorf("plan %+v", p)
			}
			if p.Task == "7" && (p.Trials != 3 || p.Cluster != "family" || !strings.HasSuffix(p.Location, ":3")) {
				t.Errorf("plan %+v", p)
			}
		}
	})
}

// The content of a row is its fields but id and split, as JSON means them.
func TestContentDigestsOfRows(t *testing.T) {
	digests := func(rows ...string) map[string]string {
		t.Helper()
		r := suiteRun{}.on("raw-rows", "TASKS="+file(t, "tasks.jsonl", strings.Join(rows, "\n"))).run(t)
		r.exits(t, !red)
		out := map[string]string{}
		for _, p := range r.plan(t).Plan {
			out[p.Task] = p.ContentDigest
		}
		return out
	}
	d := digests(
		`{"id":"a","split":"val","q":"one","n":{"x":1,"y":2}}`,
		`{"q":"one","n":{"y":2.0,"x":1e0},"split":"val","id":"renamed"}`,
		`{"id":"escaped","split":"val","q":"\u006fne","n":{"x":1,"y":2}}`,
		`{"id":"other","split":"val","q":"two","n":{"x":1,"y":2}}`,
		`{"id":"more","split":"val","q":"one","n":{"x":1,"y":2},"extra":null}`,
		`{"id":"big","split":"val","n":9007199254740993}`,
		`{"id":"bigger","split":"val","n":9007199254740992}`,
		`{"id":"html","split":"val","q":"<&>"}`,
	)
	if d["a"] != d["renamed"] || d["a"] != d["escaped"] {
		t.Errorf("a new id, another order of keys, another way to write: %v", d)
	}
	for _, pair := range [][2]string{{"a", "other"}, {"a", "more"}, {"big", "bigger"}} {
		if d[pair[0]] == d[pair[1]] {
			t.Errorf("%s and %s have one digest", pair[0], pair[1])
		}
	}
	// What two runs are compared by stays as it is: SHA-256 of {"q":"<&>"}.
	if want := "sha256:46e52e41550512191aca23a8446a464ca132b58d8a8be24ec0837974de04a35a"; d["html"] != want {
		t.Errorf("digest of html is %s, want %s", d["html"], want)
	}
}

func TestSplitOfRowsFromCode(t *testing.T) {
	tasks := file(t, "tasks.jsonl", `{"id":"a"}`+"\n"+`{"id":"b","split":"val"}`)
	everyWay(t, func(t *testing.T, how suiteRun) {
		r := how.on("rows-of-val", "TASKS="+tasks, "CAPEVAL_TRIALS=1").run(t)
		r.exits(t, !red)
		r.did(t, "a", "b", "ordinary")
	})
	// A row that says another split contradicts the code, and nothing runs.
	other := file(t, "tasks.jsonl", `{"id":"a","split":"train"}`)
	r := suiteRun{}.on("rows-of-val", "TASKS="+other).run(t)
	r.refused(t, 2, "two_splits", `task "a" is val and, by another decorator`)
}

func TestRecordsOfRowsCarryTheirContent(t *testing.T) {
	r := suiteRun{}.on("rows", "TASKS="+file(t, "tasks.jsonl", `{"id":"a","split":"val","question":"q"}`)).run(t)
	plan := r.plan(t).Plan[0]
	for _, trial := range r.trials(t, "a") {
		if trial.ContentDigest != plan.ContentDigest || trial.Status != record.Scored {
			t.Errorf("record %+v", trial)
		}
	}
}
