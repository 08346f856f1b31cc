package record_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/capeval/capeval/record"
)

func TestReadTrialsRefuses(t *testing.T) {
	check := func(lines, want string) {
		t.Helper()
		trials, err := record.ReadTrials(strings.NewReader(lines+"\n"), "f.jsonl")
		if err == nil || err.Error() != "f.jsonl:"+want {
			t.Errorf("%.80s\n got %v\nwant f.jsonl:%s", lines, err, want)
		}
		if trials != nil {
			t.Errorf("%.80s: got trials beside an error", lines)
		}
	}
	const one = `{"task":"a","reward":1}`
	// Rewards and status.
	check(`{"task":"a","reward":1.5}`, `1: found reward 1.5, need a number from 0 to 1`)
	check(`{"task":"a","reward":-0.1}`, `1: found reward -0.1, need a number from 0 to 1`)
	check(`{"task":"a","reward":"1"}`, `1: found the string "1" in reward, need a number`)
	check(`{"task":"a","reward":true}`, `1: found true in reward, need a number`)
	check(`{"task":"a","reward":1e999}`, `1: found 1e999 in reward, need a number that a float64 can hold`)
	check(`{"task":"a"}`, `1: found neither reward nor status, need "reward" from 0 to 1 or "status":"missing"`)
	check(`{"task":"a","reward":null,"status":"scored"}`, `1: found status scored with reward null, need a reward from 0 to 1 or status missing`)
	check(`{"task":"a","status":"scored"}`, `1: found status scored with no reward, need a reward from 0 to 1 or status missing`)
	check(`{"task":"a","reward":0,"status":"missing"}`, `1: found status missing with reward 0, need reward null: a missing trial has no reward`)
	check(`{"task":"a","reward":1,"status":"ok"}`, `1: found status "ok", need scored or missing`)
	// Causes.
	check(`{"task":"a","reward":0,"cause":"runner"}`, `1: found cause "runner" with status scored, need none or one of expectation, agent_error, agent_timeout, agent_limit`)
	check(`{"task":"a","reward":0,"cause":"bad luck"}`, `1: found cause "bad luck" with status scored, need none or one of expectation, agent_error, agent_timeout, agent_limit`)
	check(`{"task":"a","reward":0.5,"cause":"agent_error"}`, `1: found cause "agent_error" with reward 0.5, need reward 0: the agent's own failure scores nothing`)
	check(`{"task":"a","status":"missing","cause":"agent_error"}`, `1: found cause "agent_error" with status missing, need one of setup, runner, rate_limit, scorer, scorer_timeout, invalid_score, panic, interrupted, skipped, not_started`)
	// Names and numbers.
	check(`{"reward":1}`, `1: found no task, need "task" with its id`)
	check(`{"task":" ","reward":1}`, `1: found an empty task, need its id`)
	check(`{"task":1.5,"reward":1}`, `1: found task 1.5, need a string or a whole number`)
	check(`{"task":[1],"reward":1}`, `1: found a list in task, need a string`)
	check(`{"task":"a","reward":1,"split":"dev"}`, `1: found split "dev", need train, val or test`)
	check(`{"task":"a","reward":1,"trial":-1}`, `1: found trial -1, need a number from 0 to 999999`)
	check(`{"task":"a","reward":1,"trial":1000000}`, `1: found trial 1000000, need a number from 0 to 999999`)
	check(`{"task":"a","reward":1,"trial":2.0}`, `1: found 2.0 in trial, need a whole number`)
	check(`{"task":"a","reward":1,"trial":0,"attempt":0}`, `1: found status scored with attempt 0, need 1 or more: attempt 0 never started`)
	check(`{"task":"a","reward":1,"attempt":2}`, `1: found attempt 2 without a trial, need "trial" to know what was attempted again`)
	check(`{"task":"a","reward":1,"trial":0,"attempt":-1}`, `1: found attempt -1, need a number from 1 to 999999 (0 where the cell never started)`)
	check(`{"task":"a","reward":1,"seconds":-1}`, `1: found seconds -1, need 0 or more`)
	check(`{"task":"a","reward":1,"cached":1}`, `1: found 1 in cached, need true or false`)
	check(`{"task":"a","reward":1,"metrics":{"x":null}}`, `1: found null in metric x, need a number`)
	check(`{"task":"a","reward":1,"metrics":{"x":1,"x":1}}`, `1: found metric "x" twice, need it once`)
	check(`{"task":"a","reward":1,"metrics":[1]}`, `1: found a list in metrics, need an object of numbers`)
	check(`{"task":"a","reward":1,"units":7}`, `1: found 7 in units, need an object of texts`)
	check(`{"task":"a","reward":1,"notes":"n"}`, `1: found the string "n" in notes, need a list of texts`)
	// The form of a line.
	check(`{"task":"a","task":"b","reward":1}`, `1: found key "task" twice, need it once`)
	check(`{"task":"a","x":1,"reward":1,"x":2}`, `1: found key "x" twice, need it once`)
	check(`[1]`, `1: found a list, need one JSON object on the line`)
	check(`7`, `1: found 7, need one JSON object on the line`)
	check(one+` {}`, `1: found "{}" after the object, need one object a line`)
	check(one+one, `1: found "{\"task\":\"a\",\"reward\":1}" after the object, need one object a line`)
	check("{\"task\":\"a\xff\",\"reward\":1}", `1: found bytes that are not UTF-8, need UTF-8 text`)
	check(`{"task":"a","reward":NaN}`, `1: found no JSON (invalid character 'N' looking for beginning of value), need one JSON object: NaN and Infinity are not JSON, a trial without a reward is "status":"missing"`)
	check(`{"task":"a",}`, `1: found no JSON (invalid character '}' looking for beginning of object key string), need one JSON object on the line`)
	check(`{"schema":"capeval.trial/v2","task":"a","reward":1}`, `1: found schema "capeval.trial/v2", need "capeval.trial/v1" or "capeval.start/v1": written by another version?`)
	// A cut line is an error where it is not the last, or has its line end.
	check(one+"\n"+`{"task":"b","rew`+"\n"+one, `2: found "{\"task\":\"b\",\"rew": the line ends before its object does, need one whole JSON object`)
	// Lines are counted through empty ones.
	check("\n\n"+one+"\r\n \t\n"+`{}`, `5: found no task, need "task" with its id`)
	// Numbered and unnumbered trials in one file.
	check(one+"\n"+`{"task":"b","reward":1,"trial":0}`, `2: found trial 0, but line 1 has none: need "trial" on every line or on none`)
	check(`{"task":"b","reward":1,"trial":0}`+"\n"+one, `2: found no trial, but line 1 has one: need "trial" on every line or on none`)
	// Start marks.
	check(`{"schema":"capeval.start/v1","task":"a"}`, `1: found a start mark without a trial, need "trial"`)
	check(`{"schema":"capeval.start/v1","task":"a","trial":0,"reward":1}`, `1: found a start mark with a reward or status, need schema "capeval.trial/v1"`)
	check(`{"schema":"capeval.start/v1","task":"a","trial":0,"attempt":0}`, `1: found a start mark with attempt 0, need 1 or more`)
}

func TestReadTrialsFillsIn(t *testing.T) {
	const file = "\ufeff" + `{"task":"a","reward":0.5}` + "\r\n\n" +
		` { "task" : 7 , "reward" : -0.0 , "why" : {"deep": [1, "}"]} } ` + "\n" +
		`{"task":"a","status":"missing"}` + "\n" +
		`{"task":"a","split":"train","reward":null}` + "\n" +
		`{"task":"\u0061","reward":1,"cluster":null}`
	trials, err := record.ReadTrials(strings.NewReader(file), "f")
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) != 5 {
		t.Fatalf("got %d trials, want 5", len(trials))
	}
	check := func(i int, task string, trial int, split record.Split, status record.Status, cause record.Cause, r string) {
		t.Helper()
		got := trials[i]
		if got.Task != task || got.Trial != trial || got.Seed != int64(trial) || got.Attempt != 1 || got.Split != split ||
			got.Status != status || got.Cause != cause || got.Reward.String() != r || got.Suite != "default" || got.Arm != "candidate" {
			t.Errorf("trial %d: got %+v", i, got)
		}
	}
	check(0, "a", 0, record.Val, record.Scored, "", "0.5")
	check(1, "7", 0, record.Val, record.Scored, "", "0") // an integer id is its text, and -0 is 0
	check(2, "a", 1, record.Val, record.Missing, record.CauseRunner, "-")
	check(3, "a", 0, record.Train, record.Missing, record.CauseRunner, "-") // counts by itself: another split
	check(4, "a", 2, record.Val, record.Scored, "", "1")                    // an escaped id is the same id
	if got := string(trials[1].Extra["why"]); got != `{"deep": [1, "}"]}` {
		t.Errorf("unknown key: got %s", got)
	}
}

func TestIDsAreTexts(t *testing.T) {
	trials, err := record.ReadTrials(strings.NewReader(`{"task":"01","reward":1}`+"\n"+`{"task":1,"reward":1}`), "f")
	if err != nil || len(trials) != 2 {
		t.Fatal(trials, err)
	}
	if trials[0].Task == trials[1].Task {
		t.Errorf("01 and 1 are one task: %q", trials[0].Task)
	}
}

func TestTornLastLine(t *testing.T) {
	check := func(tail string, torn bool) {
		t.Helper()
		trials, err := record.ReadTrials(strings.NewReader(`{"task":"a","reward":1}`+"\n"+tail), "f")
		var e *record.Torn
		if got := errors.As(err, &e); got != torn {
			t.Fatalf("%q: got %v, want torn %v", tail, err, torn)
		}
		if torn && (e.Line != 2 || e.File != "f" || len(trials) != 1) {
			t.Errorf("%q: got %+v with %d trials, want f:2 with 1", tail, e, len(trials))
		}
	}
	const whole = `{"task":"b","reward":1,"feedback":"é"}`
	for i := 1; i < len(whole); i++ {
		check(whole[:i], true)
	}
	check(whole, false)                     // only the line end is missing
	check(whole[:9]+"\n", false)            // ended, so it was written like this
	check("garbage", false)                 // no beginning of an object
	check(`{"task":"b","reward":2}`, false) // whole and wrong
	check(whole[:9]+"\x00\x00", true)       // a crash left zeros
	check("\x00\x00\x00", true)
}

func TestHugeLineAndSmallReads(t *testing.T) {
	huge := strings.Repeat("x", 3<<20)
	file := `{"task":"a","reward":1}` + "\n" + `{"task":"b","reward":0,"feedback":"` + huge + `"}` + "\n" + strings.Repeat(`{"task":"c","reward":1}`+"\n", 50_000)
	for _, r := range []io.Reader{strings.NewReader(file), iotest.HalfReader(strings.NewReader(file)), iotest.DataErrReader(strings.NewReader(file))} {
		trials, err := record.ReadTrials(r, "f")
		if err != nil {
			t.Fatal(err)
		}
		if len(trials) != 50_002 || trials[1].Feedback != huge || trials[50_001].Trial != 49_999 {
			t.Errorf("got %d trials", len(trials))
		}
	}
	_, err := record.ReadTrials(iotest.TimeoutReader(strings.NewReader(file)), "f")
	if !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got %v, want the reader's own error", err)
	}
}

func TestStartMarks(t *testing.T) {
	const file = `{"schema":"capeval.start/v1","task":"a","trial":0,"attempt":1,"seed":5}
{"suite":"s","task":"a","trial":0,"attempt":1,"reward":1,"seed":5}
{"schema":"capeval.start/v1","task":"b","trial":1,"attempt":2,"seed":6,"started":"2026-01-02T03:04:05Z"}
`
	trials, starts, err := record.ReadJournal(strings.NewReader(file), "f")
	if err != nil || len(trials) != 1 || len(starts) != 2 {
		t.Fatal(trials, starts, err)
	}
	if s := starts[1]; s.Task != "b" || s.Trial != 1 || s.Attempt != 2 || s.Seed != 6 || s.Started == "" {
		t.Errorf("got %+v", s)
	}
	trials, err = record.ReadTrials(strings.NewReader(file), "f")
	if err != nil || len(trials) != 2 {
		t.Fatal(trials, err)
	}
	if got := trials[1]; got.Suite != "s" || got.Task != "b" || got.Cause != record.CauseInterrupted || got.Attempt != 2 || got.Reward.Defined() {
		t.Errorf("got %+v, want an interrupted trial of suite s", got)
	}
	var b strings.Builder
	if err := record.WriteStart(&b, starts[1]); err != nil {
		t.Fatal(err)
	}
	if want := `{"schema":"capeval.start/v1","task":"b","trial":1,"attempt":2,"seed":6,"started":"2026-01-02T03:04:05Z"}` + "\n"; b.String() != want {
		t.Errorf("got %s", b.String())
	}
}
