package progress

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// A reader that comes in the middle of a line sees the line once, when it is
// whole; a start is no trial, and what is no line of a journal is passed over.
func TestTail(t *testing.T) {
	dir := rundir.Dir{Path: filepath.Join(t.TempDir(), "odd[name]")} // no pattern
	must(t, os.MkdirAll(filepath.Join(dir.Path, "journal"), 0o755))
	path := filepath.Join(dir.Path, "journal", "p1.jsonl")
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		must(t, err)
		_, err = f.WriteString(text)
		must(t, err, f.Close())
	}
	tl := &tail{dir: dir, files: map[string]*position{}}
	read := func(want ...string) {
		t.Helper()
		var got []string
		tl.next(func(r row) { got = append(got, fmt.Sprint(r.Task, " ", r.Status)) })
		if strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("read %q, want %q", got, want)
		}
	}
	line := func(task, status string) string {
		return fmt.Sprintf(`{"schema":%q,"task":%q,"attempt":1,"status":%q,"reward":null}`, record.TrialSchema, task, status)
	}
	read()
	write(fmt.Sprintf(`{"schema":%q,"task":"a","attempt":1}`+"\n", record.StartSchema))
	write(line("a", "missing")[:30])
	read()
	write(line("a", "missing")[30:] + "\n" + "no JSON\n" + line("b", "missing") + "\n" + line("c", "missing"))
	read("a missing", "b missing")
	read()
	write("\n")
	read("c missing")
	if later := newTail(dir); later.files[path] == nil {
		t.Error("a later pass reads what an earlier one wrote")
	}
}

// Off a terminal there is a line every few seconds while something happens, and
// one at the end.
func TestLines(t *testing.T) {
	var b bytes.Buffer
	d := NewDisplay(&b, false)
	s := State{Suite: "agent", Split: record.Val, Total: 10, tasks: map[string]mean{"a": {sum: 1, n: 2}, "b": {sum: 1, n: 1}}}
	for second := range 60 {
		s.Elapsed = time.Duration(second) * time.Second
		s.Scored, s.Missing, s.CostUSD = second/10, second/30, float64(second)/100
		d.Update(s)
	}
	d.Done(s)
	// (1/2 + 1) / 2 = 0.75: the mean over tasks. Nothing is said twice, and nothing before the first trial ends.
	want := `agent val: 1/10 cells, reward 0.750 so far, 0.10 USD, about 1m30s left
agent val: 2/10 cells, reward 0.750 so far, 0.20 USD, about 1m20s left
agent val: 4/10 cells, 1 missing, reward 0.750 so far, 0.30 USD, about 45s left
agent val: 5/10 cells, 1 missing, reward 0.750 so far, 0.40 USD, about 40s left
agent val: 6/10 cells, 1 missing, reward 0.750 so far, 0.50 USD, about 33s left
agent val: 6/10 cells, 1 missing, reward 0.750 so far, 0.59 USD, took 59s
`
	if b.String() != want {
		t.Errorf("found\n%swant\n%s", b.String(), want)
	}
}

// The last line of a pass is counted from the records, which are merged by then.
func TestWatch(t *testing.T) {
	d := rundir.Suite(t.TempDir(), "agent")
	run := record.Run{ID: "r", Suite: "agent", Package: "p", Split: record.Val, Arm: "candidate", Trials: 2, Workers: 1, Procs: 1, Attempt: 1, PassThreshold: 1,
		Plan: []record.PlanTask{{Task: "a", Trials: 3, Deselected: []int{2}}}, Started: "2026-11-30T21:17:00Z"}
	must(t, d.Claim("p"), d.WriteRun(run))
	trial := record.Trial{Run: "r", Suite: "agent", Split: record.Val, Arm: "candidate", Task: "a", Attempt: 1,
		Reward: stats.Defined(1), Status: record.Scored, Metrics: map[string]float64{"cost_usd": 0.5}}
	show := func(todo []rundir.Pending, during func()) string {
		var b bytes.Buffer
		at := time.Unix(0, 0)
		w := Watch{Find: func() (rundir.Dir, bool) { return d, true }, Todo: todo, Clock: func() time.Time { return at }}
		stop := w.Start(NewDisplay(&b, false))
		during()
		stop()
		stop() // any number of times
		return b.String()
	}
	got := show(nil, func() {
		j, err := d.OpenJournal("p1")
		must(t, err, j.End(trial))
		trial.Trial, trial.Seed, trial.Status, trial.Reward, trial.Cause = 1, 1, record.Missing, stats.Undefined(), record.CauseRunner
		must(t, j.End(trial), j.Close(), d.Finish())
	})
	if want := "agent val: 2/2 cells, 1 missing, reward 1.000 so far, 1.00 USD, took 0s\n"; got != want {
		t.Errorf("the first pass: %q, want %q", got, want)
	}
	todo, err := d.Todo(true)
	must(t, err)
	got = show(todo, func() {
		j, err := d.OpenJournal("p1")
		must(t, err)
		trial.Attempt, trial.Status, trial.Reward, trial.Cause = 2, record.Scored, stats.Defined(0.25), ""
		must(t, j.End(trial), j.Close(), d.Finish())
	})
	if want := "agent val: 1/1 cells, reward 0.250 so far, 0.50 USD, took 0s\n"; got != want {
		t.Errorf("the second pass: %q, want %q", got, want)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Millisecond:                        "1.2s",
		83*time.Second + 400*time.Millisecond:          "1m23s",
		2*time.Hour + 5*time.Minute + 29*time.Second:   "2h5m",
		26*time.Hour + 59*time.Minute + 31*time.Second: "27h0m",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
