package record_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// anyTrial draws a trial that may be written.
func anyTrial(t *rapid.T) record.Trial {
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("ab\"\\\n\r\t<&\u2028\x00\x7f")))).Filter(func(s string) bool { return strings.ToValidUTF8(s, "") == s })
	name := text.Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	x := record.Trial{
		Schema: record.TrialSchema, Run: text.Draw(t, "run"), Suite: name.Draw(t, "suite"), Arm: name.Draw(t, "arm"),
		Split: rapid.SampledFrom([]record.Split{record.Train, record.Val, record.Test}).Draw(t, "split"),
		Task:  name.Draw(t, "task"), Trial: rapid.IntRange(0, 999_999).Draw(t, "trial"), Attempt: rapid.IntRange(1, 9).Draw(t, "attempt"),
		Seed: rapid.Int64().Draw(t, "seed"), Message: text.Draw(t, "message"), Feedback: text.Draw(t, "feedback"),
		Cluster: text.Draw(t, "cluster"), ContentDigest: text.Draw(t, "content"), OutputDigest: text.Draw(t, "output"),
		Cached: rapid.Bool().Draw(t, "cached"), Started: text.Draw(t, "started"), Seconds: rapid.Float64Range(0, math.MaxFloat64).Draw(t, "seconds"),
		Status: rapid.SampledFrom([]record.Status{record.Scored, record.Missing}).Draw(t, "status"),
	}
	if x.Status == record.Scored {
		x.Reward = stats.Defined(rapid.Float64Range(0, 1).Draw(t, "reward"))
		if v, _ := x.Reward.Value(); v == 0 {
			x.Cause = rapid.SampledFrom([]record.Cause{"", record.CauseExpectation, record.CauseAgentLimit}).Draw(t, "cause")
		}
	} else {
		x.Cause = rapid.SampledFrom([]record.Cause{record.CauseSetup, record.CauseNotStarted}).Draw(t, "cause")
	}
	if m := rapid.MapOfN(text, rapid.Float64Range(-1e300, 1e300), 0, 3).Draw(t, "metrics"); len(m) > 0 {
		x.Metrics = m
	}
	if u := rapid.MapOfN(text, text, 0, 2).Draw(t, "units"); len(u) > 0 {
		x.Units = u
	}
	if n := rapid.SliceOfN(text, 0, 3).Draw(t, "notes"); len(n) > 0 {
		x.Notes = n
	}
	extra := rapid.SampledFrom([]string{`null`, `1.50`, `"a b"`, `{"a": [1, {"b":"}"}]}`, `[]`})
	for _, key := range rapid.SliceOfNDistinct(text, 0, 3, rapid.ID[string]).Draw(t, "extra keys") {
		if x.Extra == nil {
			x.Extra = map[string]json.RawMessage{}
		}
		x.Extra["x-"+key] = json.RawMessage(extra.Draw(t, "extra"))
	}
	return x
}

func TestWriteThenReadIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(anyTrial), 1, 5).Draw(t, "trials")
		var b strings.Builder
		if err := record.WriteTrials(&b, want); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n != len(want) {
			t.Fatalf("got %d line ends for %d trials", n, len(want))
		}
		got, err := record.ReadTrials(strings.NewReader(b.String()), "f")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("wrote %s\n got %+v\nwant %+v", b.String(), got, want)
		}
	})
}

func TestWriteTrialRefuses(t *testing.T) {
	good := record.Trial{Suite: "s", Split: record.Val, Arm: "a", Task: "t", Attempt: 1, Status: record.Scored, Reward: reward(1)}
	check := func(want string, change func(*record.Trial)) {
		t.Helper()
		x := good
		change(&x)
		var b strings.Builder
		err := record.WriteTrial(&b, x)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %q beside an error", want, b.String())
		}
	}
	check("empty suite", func(x *record.Trial) { x.Suite = "" })
	check("empty split", func(x *record.Trial) { x.Split = "" })
	check("empty arm", func(x *record.Trial) { x.Arm = "" })
	check("empty task", func(x *record.Trial) { x.Task = "" })
	check("empty status", func(x *record.Trial) { x.Status = "" })
	check("with no reward", func(x *record.Trial) { x.Reward = stats.Undefined() })
	check("reward 2", func(x *record.Trial) { x.Reward = reward(2) })
	check("status missing with reward", func(x *record.Trial) { x.Status = record.Missing })
	check("attempt 0", func(x *record.Trial) { x.Attempt = 0 })
	check("found schema", func(x *record.Trial) { x.Schema = "capeval.trial/v2" })
	check("found schema", func(x *record.Trial) { x.Schema = record.StartSchema })
	check("a finite number", func(x *record.Trial) { x.Metrics = map[string]float64{"m": math.NaN()} })
	check("seconds NaN", func(x *record.Trial) { x.Seconds = math.NaN() })
	check("extra key \"task\"", func(x *record.Trial) { x.Extra = map[string]json.RawMessage{"task": json.RawMessage(`1`)} })
	check("need JSON", func(x *record.Trial) { x.Extra = map[string]json.RawMessage{"x": json.RawMessage(`{`)} })
	var b strings.Builder
	good.Extra = map[string]json.RawMessage{"x": json.RawMessage("[1,\n2]")}
	if err := record.WriteTrial(&b, good); err != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("got %q, %v: want one line", b.String(), err)
	}
}
