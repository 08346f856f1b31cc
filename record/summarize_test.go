package record_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/capeval/capeval/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

// plan returns a run of suite s with trials cells for each task.
func plan(trials int, tasks ...string) record.Run {
	r := record.Run{Schema: record.RunSchema, ID: "r1", Suite: "s", Split: record.Val, Arm: "candidate", BaseSeed: 7, Trials: trials, PassThreshold: 1}
	for _, id := range tasks {
		r.Plan = append(r.Plan, record.PlanTask{Task: id, Trials: trials})
	}
	return r
}

func scored(task string, trial int, r float64) record.Trial {
	return record.Trial{
		Schema: record.TrialSchema, Run: "r1", Suite: "s", Split: record.Val, Arm: "candidate", Task: task, Trial: trial, Attempt: 1,
		Seed: 7 + int64(trial), Status: record.Scored, Reward: reward(r),
	}
}

func missing(task string, trial int, c record.Cause) record.Trial {
	t := scored(task, trial, 0)
	t.Status, t.Cause = record.Missing, c
	t.Reward = record.Trial{}.Reward
	return t
}

func attempt(n int, t record.Trial) record.Trial { t.Attempt = n; return t }

func output(d string, t record.Trial) record.Trial { t.OutputDigest = d; return t }

func summarize(t testing.TB, run record.Run, trials ...record.Trial) record.SplitResult {
	t.Helper()
	r, err := record.Summarize(run, trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sample is a run with everything in it: a retry, a missing task, a cell that
// never started, deselected cells, cells of another shard, clusters, notes.
func sample() (record.Run, []record.Trial) {
	run := plan(3, "a", "b", "c", "d", "e")
	run.Plan[0].Cluster, run.Plan[1].Cluster = "x", "x"
	run.Plan[0].ContentDigest = "sha256:aa"
	run.Plan[3].Deselected = []int{0, 1, 2}
	run.Plan[4].Deselected, run.Plan[4].Elsewhere = []int{1}, []int{2}
	run.ScorerDigest, run.Workers, run.Procs = "sha256:5c", 4, 2
	run.Git = record.Git{Commit: "c0ffee", Dirty: true}
	run.Started, run.Ended = "2026-11-30T21:17:00Z", "2026-11-30T21:18:00Z"
	first := missing("a", 0, record.CauseRateLimit)
	first.Seconds, first.Metrics = 0.1, map[string]float64{"cost_usd": 0.1}
	again := attempt(2, scored("a", 0, 1))
	again.Seconds, again.Metrics = 0.2, map[string]float64{"cost_usd": 0.2, "tokens": 100}
	again.Notes = []string{"late answer dropped"}
	half := output("sha256:02", scored("a", 1, 0.5))
	half.Feedback = "half <done> & polite"
	own := scored("b", 1, 0)
	own.Cause = record.CauseAgentTimeout
	cached := scored("b", 0, 1)
	cached.Cached = true
	return run, []record.Trial{
		first, again, half, scored("a", 2, 0.25), cached, own,
		missing("c", 0, record.CauseSetup), missing("c", 1, record.CauseSetup), missing("c", 2, record.CausePanic),
		scored("e", 0, 1),
	}
}

func TestResultGolden(t *testing.T) {
	run, trials := sample()
	var b bytes.Buffer
	if err := record.WriteResult(&b, summarize(t, run, trials...)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "result.json")
	if *update {
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs; -update writes it anew. got:\n%s", name, b.Bytes())
	}
}

func TestSummarizeCounts(t *testing.T) {
	run, trials := sample()
	r := summarize(t, run, trials...)
	check := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	check("tasks", r.NTasks, 4)   // d is deselected whole
	check("scored", r.NScored, 3) // c has no valid trial
	check("cells", r.NCells, 10)  // 3+3+3 and one of e
	check("missing", r.NMissing, 4)
	check("cell coverage", r.CellCoverage, 0.6)
	check("subset", r.Subset, true)
	check("cached", r.NCached, 1)
	// a: (1+0.5+0.25)/3 = 0.58333, b: 0.5, e: 1, c: none
	check("reward", r.Reward.Format(6), "0.694444")
	// low: a 0.58333, b 1/3, c 0, e 1; high: a 0.58333, b 2/3, c 1, e 1
	check("bounds", r.Bounds.Low.Format(6)+" "+r.Bounds.High.Format(6), "0.479167 0.812500")
	check("causes", r.ByCause, map[record.Cause]int{
		record.CauseSetup: 2, record.CausePanic: 1, record.CauseNotStarted: 1, record.CauseAgentTimeout: 1})
	check("pass^k", r.PassHatK, "map[1:0.6111111111111112]") // a 1/3, b 1/2, e 1; e has one trial, so no k = 2
	check("totals", r.Totals.Seconds, 0.30000000000000004)   // both attempts
	check("cost", r.Totals.CostUSD, 0.30000000000000004)
	check("tokens", r.Totals.Tokens, 100.0)
	check("within", r.StderrWithin, "-") // e has one valid trial
	check("attempts of a", r.PerTask[0].Attempts, []int{2, 1, 1})
	check("attempts of b", r.PerTask[1].Attempts, []int{1, 1, 0})
	check("seeds of b", r.PerTask[1].Seeds, []int64{7, 8, 9})
	check("warnings", r.Warnings, []record.Warning{
		{Code: "unequal_trials", Message: "scored tasks have 1 to 3 valid trials: each task still weighs the same"},
		{Code: "notes", Message: "notes on 1 trial"}})
	if !r.StderrClustered.Defined() {
		t.Error("no clustered error although a and b share a cluster")
	}
}

func TestUndefinedIsNotZero(t *testing.T) {
	empty := summarize(t, plan(2, "a", "b"))
	for name, e := range map[string]interface{ Defined() bool }{
		"reward": empty.Reward, "stderr": empty.Stderr, "between": empty.StderrBetween, "within": empty.StderrWithin,
		"clustered": empty.StderrClustered, "low": empty.CI.Low, "high": empty.CI.High,
	} {
		if e.Defined() {
			t.Errorf("%s of a split without a trial: %v", name, e)
		}
	}
	if empty.Coverage.String() != "0" || empty.NMissing != 4 || empty.Bounds.Low.String() != "0" || empty.Bounds.High.String() != "1" {
		t.Errorf("got %+v", empty)
	}
	one := summarize(t, plan(2, "a"), scored("a", 0, 1), scored("a", 1, 0))
	if one.Stderr.Defined() || one.StderrBetween.Defined() || !one.StderrWithin.Defined() {
		t.Errorf("one task: stderr %s, between %s, within %s; want -, -, a number", one.Stderr, one.StderrBetween, one.StderrWithin)
	}
	none := summarize(t, plan(2))
	if none.Coverage.Defined() || none.CellCoverage.Defined() || none.Bounds.Low.Defined() {
		t.Errorf("a split without tasks: got %+v", none)
	}
}

func TestIdenticalTrials(t *testing.T) {
	check := func(want bool, trials ...record.Trial) {
		t.Helper()
		r := summarize(t, plan(2, "a", "b"), trials...)
		got := slices.ContainsFunc(r.Warnings, func(w record.Warning) bool { return w.Code == record.WarnIdenticalTrials })
		if got != want {
			t.Errorf("got %v, want %v: %v", got, want, r.Warnings)
		}
	}
	a0, a1 := output("x", scored("a", 0, 1)), output("x", scored("a", 1, 1))
	b0, b1 := output("y", scored("b", 0, 0)), output("y", scored("b", 1, 0))
	check(true, a0, a1, b0, b1)                                               // each task repeats itself
	check(true, a0, a1, b0)                                                   // b has one trial and says nothing
	check(false, a0, a1, b0, output("z", b1))                                 // b's outputs differ
	check(false, a0, a1, b0, output("y", scored("b", 1, 0.5)))                // b's rewards differ
	check(false, a0, a1, b0, output("", b1))                                  // an output is not known
	check(false, a0, b0)                                                      // nothing was repeated
	check(true, a0, a1, b0, output("z", missing("b", 1, record.CauseScorer))) // a missing trial is no evidence
}

func TestAttempts(t *testing.T) {
	run := plan(1, "a")
	check := func(want string, trials ...record.Trial) {
		t.Helper()
		r, err := record.Summarize(run, trials, record.Options{})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(r.PerTask[0].TrialRewards[0], " attempt ", r.PerTask[0].Attempts[0], " ", r.PerTask[0].Causes[0])
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if _, cerr := record.Collapse(trials); (cerr == nil) != (err == nil) {
			t.Errorf("Collapse says %v, Summarize %v", cerr, err)
		}
	}
	m, s := missing("a", 0, record.CauseRunner), scored("a", 0, 0.5)
	check("- attempt 1 runner", m)
	check("0.5 attempt 2 ", m, attempt(2, s))
	check("0.5 attempt 2 ", attempt(2, s), m) // the order of lines says nothing
	check("- attempt 2 panic", m, attempt(2, missing("a", 0, record.CausePanic)))
	check("0.5 attempt 3 ", m, attempt(2, m), attempt(3, s))
	check("0.5 attempt 1 ", s, s) // a line that stands twice
	check("record 2: found two different records of attempt 1 for trial 0 of task \"a\" (the other is record 1), need one record an attempt, and further attempts only at a missing trial",
		s, scored("a", 0, 1))
	check("record 2: found two different records of attempt 1 for trial 0 of task \"a\" (the other is record 1), need one record an attempt, and further attempts only at a missing trial",
		s, m)
	check("record 1: found attempt 2 after attempt 1 was scored for trial 0 of task \"a\" (the other is record 2), need one record an attempt, and further attempts only at a missing trial",
		attempt(2, s), s)
}

func TestPlantedRecordsAreRefused(t *testing.T) {
	run := plan(2, "a", "b")
	run.Plan[0].Elsewhere, run.Plan[1].Deselected = []int{1}, []int{1}
	run.Plan[1].ContentDigest = "sha256:aa"
	check := func(want string, change func(*record.Trial)) {
		t.Helper()
		x := scored("b", 0, 1)
		change(&x)
		_, err := record.Summarize(run, []record.Trial{x}, record.Options{})
		if err == nil || err.Error() != "record 1: "+want {
			t.Errorf("got  %v\nwant record 1: %s", err, want)
		}
	}
	const planted = ": the record was planted, or belongs to another run"
	check(`found task "z", need one of the 2 in the plan`+planted, func(x *record.Trial) { x.Task = "z" })
	check(`found trial 2 of task "b", need 0 to 1 as planned`+planted, func(x *record.Trial) { x.Trial = 2 })
	check(`found trial 1 of task "b", which the plan says was deselected`+planted, func(x *record.Trial) { x.Trial = 1 })
	check(`found trial 1 of task "a", which the plan says belongs to another shard`, func(x *record.Trial) { x.Task, x.Trial = "a", 1 })
	check(`found run "r2", need "r1"`+planted, func(x *record.Trial) { x.Run = "r2" })
	check(`found suite "s", split train, arm "candidate", need suite "s", split val, arm "candidate": summarise one at a time`, func(x *record.Trial) { x.Split = record.Train })
	check(`found content digest "sha256:bb" for task "b", need "sha256:aa" as planned or recorded before: the task changed`, func(x *record.Trial) { x.ContentDigest = "sha256:bb" })
	x := scored("b", 0, 1)
	x.Run = "r2"
	if _, err := record.Summarize(run, []record.Trial{x}, record.Options{AnyRun: true}); err != nil {
		t.Errorf("with AnyRun: %v", err)
	}
}

func TestSummarizerReadsFiles(t *testing.T) {
	run := plan(2, "a", "b")
	s := record.NewSummarizer(&run, record.Options{})
	start := `{"schema":"capeval.start/v1","task":"a","trial":1,"attempt":1,"seed":8}` + "\n"
	a0 := `{"suite":"s","task":"a","trial":0,"reward":1,"seed":7}` + "\n"
	if err := s.Read(strings.NewReader(start+a0), "p1.jsonl"); err != nil {
		t.Fatal(err)
	}
	var torn *record.Torn
	if err := s.Read(strings.NewReader(`{"suite":"s","task":"b","trial":0,"reward":1,"seed":7}`+"\n"+`{"suite":"s","ta`), "p2.jsonl"); !errors.As(err, &torn) {
		t.Fatalf("got %v, want a torn line", err)
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.ByCause); got != "map[interrupted:1 not_started:1]" {
		t.Errorf("got %s: a/1 was in flight, b/1 was torn", got)
	}
	if got := fmt.Sprint(r.PerTask[0].Attempts); got != "[1 1]" {
		t.Errorf("attempts of a: got %s", got)
	}
	if err := s.Read(strings.NewReader("\n"+`{"suite":"s","task":"a","trial":0,"reward":0,"seed":7}`), "p3.jsonl"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Result()
	if want := `p3.jsonl:2: found two different records of attempt 1 for trial 0 of task "a" (the other is p1.jsonl:2), need one record an attempt, and further attempts only at a missing trial`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := record.NewSummarizer(nil, record.Options{}).Result(); err == nil {
		t.Error("no plan and no record gave a result")
	}
}

func TestOptions(t *testing.T) {
	run := plan(12, "a", "b")
	var trials []record.Trial
	for k := range 12 {
		trials = append(trials, scored("a", k, 0.5), scored("b", k, 0.75))
	}
	r := summarize(t, run, trials...)
	if len(r.PassHatK) != 10 || r.CI.Level != 0.95 || r.CI.Method != "wilson_t_neff" || r.PassHatK[1].String() != "0" {
		t.Errorf("defaults: got %v, %v", r.PassHatK, r.CI)
	}
	half := 0.75
	r, err := record.Summarize(run, trials, record.Options{PassThreshold: &half, Ks: []int{12, 13}, Confidence: 0.5})
	if err != nil || fmt.Sprint(r.PassHatK) != "map[12:0.5]" || r.CI.Level != 0.5 || r.PassThreshold != 0.75 {
		t.Errorf("got %v, %v, %v", r.PassHatK, r.CI, err)
	}
	big := 1.5
	for _, o := range []record.Options{{PassThreshold: &big}, {Ks: []int{0}}, {Confidence: 1}, {Confidence: -1}} {
		if _, err := record.Summarize(run, trials, o); err == nil {
			t.Errorf("took %+v", o)
		}
	}
}

// world draws a plan and a sound journal for it.
func world(t *rapid.T) (record.Run, []record.Trial) {
	n := rapid.IntRange(1, 4).Draw(t, "trials")
	run := plan(n, []string{"a", "b", "c", "d"}[:rapid.IntRange(1, 4).Draw(t, "tasks")]...)
	var trials []record.Trial
	for _, p := range run.Plan {
		for k := range n {
			for a := 1; a <= rapid.IntRange(0, 3).Draw(t, "attempts"); a++ {
				x := missing(p.Task, k, record.CauseRateLimit)
				done := rapid.Bool().Draw(t, "scored")
				if done {
					x = output(rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "output"), scored(p.Task, k, float64(rapid.IntRange(0, 3).Draw(t, "reward"))/3))
				}
				x.Seconds = rapid.Float64Range(0, 100).Draw(t, "seconds")
				x.Metrics = map[string]float64{"cost_usd": rapid.Float64Range(0, 1).Draw(t, "cost")}
				trials = append(trials, attempt(a, x))
				if done {
					break
				}
			}
		}
	}
	return run, trials
}

func bytesOf(t rapid.TB, run record.Run, trials []record.Trial) string {
	t.Helper()
	r, err := record.Summarize(run, trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := record.WriteResult(&b, r); err != nil {
		t.Fatal(err)
	}
	back, err := record.ReadResult(strings.NewReader(b.String()), "result.json")
	if err != nil {
		t.Fatalf("reading it back: %v", err)
	}
	var again strings.Builder
	if err := record.WriteResult(&again, back); err != nil || again.String() != b.String() {
		t.Fatalf("written again it differs (%v):\n%s\n%s", err, b.String(), again.String())
	}
	return b.String()
}

func TestOrderAndRepeatsDoNotShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run, trials := world(t)
		want := bytesOf(t, run, trials)
		other := slices.Clone(trials)
		if len(other) > 0 {
			other = append(other, rapid.SampledFrom(trials).Draw(t, "repeat"), rapid.SampledFrom(trials).Draw(t, "repeat"))
		}
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		if got := bytesOf(t, run, other); got != want {
			t.Fatalf("another order gives\n%s\nnot\n%s", got, want)
		}
		slices.Reverse(run.Plan)
		if got := bytesOf(t, run, trials); got != want {
			t.Fatalf("another order of the plan gives\n%s\nnot\n%s", got, want)
		}
	})
}

func TestMissingCellChangesNoReward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run, trials := world(t)
		before, err := record.Summarize(run, trials, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		more := run
		more.Plan = slices.Clone(run.Plan)
		i := rapid.IntRange(0, len(more.Plan)-1).Draw(t, "task")
		more.Plan[i].Trials++
		x := missing(more.Plan[i].Task, more.Plan[i].Trials-1, record.CauseScorer)
		after, err := record.Summarize(more, append(slices.Clone(trials), x), record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if after.Reward != before.Reward || after.Stderr != before.Stderr || after.CI != before.CI || !reflect.DeepEqual(after.PassHatK, before.PassHatK) {
			t.Fatalf("got %v, want %v", after, before)
		}
		if after.NMissing != before.NMissing+1 || after.NCells != before.NCells+1 {
			t.Fatalf("got %d of %d missing, want one more than %d of %d", after.NMissing, after.NCells, before.NMissing, before.NCells)
		}
		lo0, _ := before.Bounds.Low.Value()
		lo1, _ := after.Bounds.Low.Value()
		hi0, _ := before.Bounds.High.Value()
		hi1, _ := after.Bounds.High.Value()
		if lo1 > lo0 || hi1 < hi0 {
			t.Fatalf("bounds shrank from %v..%v to %v..%v", lo0, hi0, lo1, hi1)
		}
	})
}

func TestRetryReplacesOnlyMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run, trials := world(t)
		kept, err := record.Collapse(trials)
		if err != nil {
			t.Fatal(err)
		}
		if len(kept) == 0 {
			return
		}
		x := rapid.SampledFrom(kept).Draw(t, "cell")
		was := x.Status
		x.Attempt++
		x.Status, x.Cause, x.Reward = record.Scored, "", reward(0.25)
		_, err = record.Summarize(run, append(slices.Clone(trials), x), record.Options{})
		if (err == nil) != (was == record.Missing) {
			t.Fatalf("another attempt at a %s trial: %v", was, err)
		}
	})
}

func TestRowsAreThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, trials := world(t)
		if len(trials) == 0 {
			return
		}
		want := bytesOf(t, record.PlanOf(trials), trials)
		s := record.NewSummarizer(nil, record.Options{})
		var file strings.Builder
		if err := record.WriteTrials(&file, trials); err != nil {
			t.Fatal(err)
		}
		if err := s.Read(strings.NewReader(file.String()), "f"); err != nil {
			t.Fatal(err)
		}
		r, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := record.WriteResult(&got, r); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Fatalf("without a plan\n%s\nwith PlanOf\n%s", got.String(), want)
		}
	})
}
