package reporter_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/capeval/capeval/stats"
	"github.com/jstemmer/go-junit-report/v2/junit"
)

// junitFile writes in and holds what was written to the schema.
func junitFile(t testing.TB, in reporter.Input, opts reporter.JUnitOptions) []byte {
	t.Helper()
	_, _, b := junitOf(t, in, opts)
	return b
}

func junitOf(t testing.TB, in reporter.Input, opts reporter.JUnitOptions) (junit.Testsuites, reporter.JUnitReport, []byte) {
	t.Helper()
	var b bytes.Buffer
	report, err := reporter.WriteJUnit(&b, reporter.Build(in), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(b.Bytes()); err != nil {
		t.Fatalf("%v in\n%.4000s", err, b.String())
	}
	var ts junit.Testsuites
	if err := xml.Unmarshal(b.Bytes(), &ts); err != nil {
		t.Fatal(err)
	}
	if report.Bytes != b.Len() || report.Cases != ts.Tests || report.Errors != ts.Errors || report.Failures != ts.Failures || report.Skipped != ts.Skipped || report.Suites != len(ts.Suites) {
		t.Errorf("the report %+v is not that of a file of %d bytes, %d suites, %d cases", report, b.Len(), len(ts.Suites), ts.Tests)
	}
	return ts, report, b.Bytes()
}

func suiteOf(t testing.TB, ts junit.Testsuites, name string) junit.Testsuite {
	t.Helper()
	var names []string
	for _, s := range ts.Suites {
		if s.Name == name {
			return s
		}
		names = append(names, s.Name)
	}
	t.Fatalf("no suite %s among %q", name, names)
	return junit.Testsuite{}
}

func caseOf(t testing.TB, s junit.Testsuite, name string) junit.Testcase {
	t.Helper()
	var names []string
	for _, c := range s.Testcases {
		if c.Name == name {
			return c
		}
		names = append(names, c.Name)
	}
	t.Fatalf("no case %q among %q", name, names)
	return junit.Testcase{}
}

func property(s junit.Testsuite, name string) string {
	for _, p := range *s.Properties {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

func only(rs ...record.SplitResult) reporter.Input { return reporter.Input{Results: rs} }

func TestJUnitGolden(t *testing.T) {
	golden(t, "junit.xml", string(junitFile(t, sample(t), reporter.JUnitOptions{})))
	golden(t, "junit_trials.xml", string(junitFile(t, only(measured(t, "support", "candidate", "refund=110111", "lost-parcel=-01---", "broken=------")), reporter.JUnitOptions{PerTrial: true})))
	golden(t, "junit_none.xml", string(junitFile(t, reporter.Input{}, reporter.JUnitOptions{})))
	golden(t, "junit_results.xml", string(junitFile(t, reporter.Input{Results: results(t), Notes: []string{"half of it was read"}}, reporter.JUnitOptions{})))
}

// What a case is follows from what was measured, and not from how much of it.
func TestJUnitEnds(t *testing.T) {
	r := measured(t, "s", "candidate", "good=11", "low=00", "part=1-", "broken=--", "left=--")
	i := slices.IndexFunc(r.PerTask, func(t record.TaskResult) bool { return t.Task == "left" })
	r.PerTask[i].Causes = []record.Cause{record.CauseSkipped, record.CauseSkipped}
	none := record.TaskResult{Task: "unselected"}
	r.PerTask = append(r.PerTask, none)
	ts, _, _ := junitOf(t, only(r), reporter.JUnitOptions{})
	s := suiteOf(t, ts, "s.val")
	check := func(name, want, text string) {
		t.Helper()
		c := caseOf(t, s, name)
		got, said := "passed", ""
		for end, res := range map[string]*junit.Result{"error": c.Error, "failure": c.Failure, "skipped": c.Skipped} {
			if res != nil {
				got, said = end+" "+res.Type, res.Data
			}
		}
		if c.SystemOut != nil {
			said += c.SystemOut.Data
		}
		if got != want || !strings.Contains(said, text) {
			t.Errorf("%s: got %s with the text %q, want %s with %q", name, got, said, want, text)
		}
	}
	check("good", "passed", "reward 1.000, stderr 0.000; seeds 0..1; coverage 2 of 2 trials")
	check("low", "passed", "reward 0.000") // a reward of 0 is a measurement
	check("part", "passed", "trial 1, seed 1: reward - (missing: rate_limit)")
	check("broken", "error rate_limit", "reward - (missing, which is not 0); seeds 0..1; coverage 0 of 2 trials; causes rate_limit 2")
	check("left", "skipped skipped", "causes skipped 2")
	check("unselected", "skipped deselected", "no trial of the task was selected")
}

// A rule may say that one task got worse: then, and only then, a low task fails.
func TestJUnitRegressedTask(t *testing.T) {
	v := one(t, []string{"a=11111111", "b=11111111", "c=11"}, []string{"a=00000000", "b=11111110", "c=11"}, gate.NoRegression())
	if v.Verdict != gate.Rejected {
		t.Fatalf("the verdict is %s", v.Verdict)
	}
	in := reporter.Input{Decisions: v.Suites, Verdict: v.Verdict, Results: []record.SplitResult{
		measured(t, "support", "baseline", "a=11111111", "b=11111111", "c=11"), measured(t, "support", "candidate", "a=00000000", "b=11111110", "c=11")}}
	ts, _, _ := junitOf(t, in, reporter.JUnitOptions{})
	if c := caseOf(t, suiteOf(t, ts, "support.val.candidate"), "a"); c.Failure == nil || c.Failure.Type != "regressed" || !strings.HasPrefix(c.Failure.Message, "reward 0.000, the baseline's 1.000 (-1.000, p ") {
		t.Errorf("task a is claimed as regressed, and its case is %+v", c.Failure)
	}
	if c := caseOf(t, suiteOf(t, ts, "support.val.candidate"), "b"); c.Failure != nil {
		t.Errorf("task b moved within its noise and fails: %+v", c.Failure)
	}
	if s := suiteOf(t, ts, "support.val.baseline"); s.Failures != 0 {
		t.Errorf("the baseline has %d failures", s.Failures)
	}
	c := suiteOf(t, ts, "support.val.verdict").Testcases[0]
	head := reporter.Build(in).Headlines[0].Text
	if c.Failure == nil || c.Failure.Type != gate.CodeRegression || !strings.HasPrefix(c.Failure.Data, head+"\n") || !strings.HasPrefix(c.Failure.Message, head+"; ") {
		t.Errorf("the verdict's case is %+v, need a failure that begins with %q", c.Failure, head)
	}
	if in.Verdict, in.Decisions[0].Verdict = gate.Accepted, gate.Accepted; true {
		ts, _, _ = junitOf(t, in, reporter.JUnitOptions{})
		if ts.Failures != 0 {
			t.Errorf("%d failures below a verdict that accepts", ts.Failures)
		}
	}
}

func TestJUnitChecksAndVerdicts(t *testing.T) {
	ts, _, _ := junitOf(t, sample(t), reporter.JUnitOptions{})
	s := suiteOf(t, ts, "support.val.verdict")
	if c := caseOf(t, s, "check reward floor"); c.Failure == nil || c.Failure.Type != "failed" || !strings.HasPrefix(c.Failure.Message, "failed: reward of support val: 0.61, need at least 0.7; ") {
		t.Errorf("got %+v", c.Failure)
	}
	if c := caseOf(t, s, "check coverage"); c.Failure != nil {
		t.Errorf("a check that passed fails: %+v", c.Failure)
	}
	if c := caseOf(t, s, "check stderr"); c.Failure == nil || c.Failure.Type != "undefined" || !strings.HasPrefix(c.Failure.Message, "cannot be told, which is no failure of the change: ") {
		t.Errorf("got %+v", c.Failure)
	}
	// A verdict on everything must not get lost where no suite carries it.
	lone, _, _ := junitOf(t, reporter.Input{Verdict: gate.Indecisive}, reporter.JUnitOptions{})
	if c := suiteOf(t, lone, "verdict").Testcases[0]; c.Failure == nil {
		t.Error("an indecisive verdict without suites passes")
	}
	// finalize judges only where it was told to.
	f := published(t)
	quiet, _, _ := junitOf(t, reporter.Input{Finals: []record.Final{f}}, reporter.JUnitOptions{})
	f.Comparison.Verdict, f.Comparison.Code, f.Comparison.Rule = "rejected", "regression", "no-regression"
	loud, _, _ := junitOf(t, reporter.Input{Finals: []record.Final{f}}, reporter.JUnitOptions{})
	if quiet.Failures != 0 || loud.Failures != 1 {
		t.Errorf("a published score has %d failures unjudged and %d rejected, want 0 and 1", quiet.Failures, loud.Failures)
	}
	held := suiteOf(t, quiet, "held.test.candidate")
	if got := property(held, "look"); got != "2, release v1.4.0, complete" {
		t.Errorf("the look is %q", got)
	}
	if got := property(held, "headline"); !strings.HasPrefix(got, "held-out 0.812 of held, release v1.4.0") {
		t.Errorf("the headline is %q", got)
	}
	if got := property(held, "notice.1"); !strings.HasPrefix(got, "override: ") {
		t.Errorf("the first notice is %q", got)
	}
}

func TestJUnitNotesAreShown(t *testing.T) {
	ts, _, _ := junitOf(t, sample(t), reporter.JUnitOptions{})
	note := sample(t).Notes[0]
	if s := ts.Suites[0]; property(s, "note.1") != note || !strings.Contains(s.Testcases[0].SystemOut.Data, note) {
		t.Errorf("the note is %q and the first case says %+v", property(s, "note.1"), s.Testcases[0].SystemOut)
	}
	s := suiteOf(t, ts, "support.val.candidate")
	if p := property(s, "notice.1"); !strings.HasPrefix(p, "missing: 10 of 30 cells are missing") || !strings.Contains(s.Testcases[0].SystemOut.Data, p) {
		t.Errorf("the notice is %q and the first case says %q", p, s.Testcases[0].SystemOut.Data)
	}
}

// P01, the kind: an end without words. Every failure and error has a message, a
// type and a text, every suite a time (the schema asks for all of them).
func TestJUnitP01NothingSaid(t *testing.T) {
	r := measured(t, "s", "candidate", "a=0", "b=-")
	r.PerTask[1].Causes = nil // not even a cause
	r.Totals = record.Totals{}
	in := only(r)
	in.Checks = []reporter.Check{{State: reporter.CheckFailed}, {State: reporter.CheckFailed}, {Suite: "s"}}
	in.Decisions = []gate.Decision{{Verdict: gate.Rejected}, {Suite: "s", Verdict: gate.Indecisive}, {Verdict: "odd"}}
	for _, opts := range []reporter.JUnitOptions{{}, {PerTrial: true}} {
		if ts, _, _ := junitOf(t, in, opts); ts.Failures != 6 || ts.Errors != 1 {
			t.Errorf("%d failures and %d errors, want 6 and 1", ts.Failures, ts.Errors)
		}
	}
}

// hostileTexts are bytes that break files (P02) and files' readers (P03).
func hostileTexts() []string {
	return append(slices.Clone(hostile), "\x1b[31mred", "nul \x00", "\ufffe\uffff", "lone \xff", "half \xed\xa0\x80", "x ]]> y ]]]]>>", "<script>alert(1)</script> &amp; \"'",
		"\x1b]0;never ends", "\u009b", "\x1b", "\r\r\n\n", "\v\f\b", "\u0085\u2028", "#\u202e#")
}

// P02 and P03, the kind: bytes that no XML may hold, in every text that enters.
func TestJUnitP02P03HostileText(t *testing.T) {
	for _, h := range hostileTexts() {
		in := hostileInput(t, h)
		for _, opts := range []reporter.JUnitOptions{{}, {PerTrial: true}} {
			_, _, b := junitOf(t, in, opts)
			if i := bytes.IndexAny(b, "\x1b\u202e\u009b\x00"); i >= 0 {
				t.Errorf("%.40q: a control got through at %d: %.60q", h, i, b[i:])
			}
		}
	}
}

// hostileInput has h wherever a text comes from outside.
func hostileInput(t testing.TB, h string) reporter.Input {
	in := sample(t)
	r := hostileResults(in.Results, h)[0]
	for i := range r.PerTask {
		r.PerTask[i].Task = fmt.Sprintf("%d%s", i, h)
	}
	in.Results = []record.SplitResult{r}
	for i := range in.Decisions {
		d := &in.Decisions[i]
		d.Suite, d.Rule, d.Alpha, d.Code, d.Message = h, h, h, h, h
		d.Warnings = append(d.Warnings, record.Warning{Code: h, Message: h})
		for k := range d.PerTask {
			d.PerTask[k].Task = h
		}
	}
	f := &in.Finals[0]
	f.Suite, f.Seal.Release, f.Comparison.Verdict, f.Comparison.Code = h, h, h, h
	f.Seal.Overrides[0].Reason = h
	in.Checks = append(in.Checks, reporter.Check{Suite: h, Split: record.Split(h), Name: h, State: reporter.CheckState(h), Message: h})
	in.Notes = []string{h}
	return in
}

// P03: what may stand in a text comes back as it was.
func TestJUnitP03RoundTrip(t *testing.T) {
	const text = "x ]]> y\n\t<b> & ]]]]>> 試験 👨‍👩‍👧 end"
	r := measured(t, "s", "candidate", "a=0", "b=-")
	r.PerTask[0].Feedback, r.PerTask[1].Feedback = []string{text}, []string{text}
	in := only(r)
	in.Checks = []reporter.Check{{Suite: "s", Split: record.Val, Name: "x ]]> y", State: reporter.CheckFailed, Message: "x ]]> y"}}
	ts, _, _ := junitOf(t, in, reporter.JUnitOptions{})
	s := suiteOf(t, ts, "s.val")
	if c := caseOf(t, s, "a"); !strings.Contains(c.SystemOut.Data, text) {
		t.Errorf("system-out: %q", c.SystemOut.Data)
	}
	if c := caseOf(t, s, "b"); !strings.Contains(c.Error.Data, text) {
		t.Errorf("body: %q", c.Error.Data)
	}
	if c := caseOf(t, suiteOf(t, ts, "s.val.verdict"), "check x ]]> y"); !strings.HasPrefix(c.Failure.Message, "failed: x ]]> y") {
		t.Errorf("message: %q", c.Failure.Message)
	}
}

// P04 and P14, the kind: numbers that a reader of times does not take.
func TestJUnitP04P14Times(t *testing.T) {
	check := func(seconds float64, want string) {
		t.Helper()
		r := measured(t, "s", "candidate", "a=1")
		r.Totals.Seconds = seconds
		ts, _, _ := junitOf(t, only(r), reporter.JUnitOptions{})
		if got := suiteOf(t, ts, "s.val").Time; got != want || ts.Time != want {
			t.Errorf("%v seconds: got %s in the suite and %s in the file, want %s", seconds, got, ts.Time, want)
		}
	}
	check(9.025e-06, "0.000")
	check(14029.255, "14029.255")
	check(3e9, "3000000000.000")
	check(1200, "1200.000")
	check(math.NaN(), "0.000")
	check(math.Inf(1), "0.000")
	check(-1, "0.000")
	r := measured(t, "s", "candidate", "a=1", "b=-")
	r.PerTask[1].Causes = []record.Cause{record.CauseInvalidScore} // what becomes of a NaN
	r.PerTask[0].Stderr = stats.Estimate{}
	ts, _, b := junitOf(t, only(r), reporter.JUnitOptions{})
	if c := caseOf(t, suiteOf(t, ts, "s.val"), "b"); c.Error == nil || c.Error.Type != "invalid_score" || bytes.Contains(b, []byte("NaN")) {
		t.Errorf("a score that was none is %+v", c.Error)
	}
	// A time of day is what was recorded, and nothing where nothing was.
	for started, want := range map[string]string{"2026-11-30T22:17:00.5+01:00": "2026-11-30T21:17:00Z", "": "", "yesterday": "", "0000-01-01T00:00:00Z": ""} {
		r.Run.Started = started
		ts, _, _ := junitOf(t, only(r), reporter.JUnitOptions{})
		if got := ts.Suites[0].Timestamp; got != want {
			t.Errorf("started %q: got the timestamp %q, want %q", started, got, want)
		}
	}
}

// P06, the kind: readers that pass over errors. Two of three tasks broke, so the
// verdict cannot tell, and that is a failure which every reader shows.
func TestJUnitP06ErrorsAlone(t *testing.T) {
	v := one(t, []string{"a=11", "b=11", "c=11"}, []string{"a=11", "b=--", "c=--"}, gate.NoRegression())
	in := reporter.Input{Results: []record.SplitResult{measured(t, "support", "candidate", "a=11", "b=--", "c=--")}, Decisions: v.Suites, Verdict: v.Verdict}
	ts, _, _ := junitOf(t, in, reporter.JUnitOptions{})
	if ts.Errors != 2 || ts.Failures != 1 || suiteOf(t, ts, "support.val.verdict").Failures != 1 {
		t.Errorf("%d errors and %d failures, want 2 and the verdict", ts.Errors, ts.Failures)
	}
}

// P07, the kind: equal names, which readers take for retries or drop.
func TestJUnitP07EqualNames(t *testing.T) {
	train := measured(t, "s", "candidate", "same=010")
	train.Split = record.Train
	ts, _, _ := junitOf(t, only(measured(t, "s", "candidate", "same=011"), train), reporter.JUnitOptions{PerTrial: true})
	want := []string{"same [trial 0, seed 0]", "same [trial 1, seed 1]", "same [trial 2, seed 2]"}
	for _, name := range []string{"s.train", "s.val"} {
		var got []string
		for _, c := range suiteOf(t, ts, name).Testcases {
			got = append(got, c.Name)
			if c.Classname != name {
				t.Errorf("class name %q in suite %q", c.Classname, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	// Arms and runs that are otherwise alike.
	a, b := measured(t, "s", "candidate", "x=1"), measured(t, "s", "candidate", "x=1")
	a.Run.ID, b.Run.ID = "r1", "r2"
	ts, _, _ = junitOf(t, only(a, b, measured(t, "s", "baseline", "x=1")), reporter.JUnitOptions{})
	for _, name := range []string{"s.val.candidate.r1", "s.val.candidate.r2", "s.val.baseline"} {
		suiteOf(t, ts, name)
	}
	b.Run.ID = "r1" // the same file twice
	ts, _, _ = junitOf(t, only(a, b), reporter.JUnitOptions{})
	if len(ts.Suites) != 2 || ts.Suites[0].Name == ts.Suites[1].Name {
		t.Errorf("two results of one run: %q and %q", ts.Suites[0].Name, ts.Suites[1].Name)
	}
	// A shard runs trials 1 and 3 of four: their names are those of the whole run.
	shard := measured(t, "s", "candidate", "x=11")
	shard.PerTask[0].Seeds, shard.Run.Trials, shard.Run.BaseSeed = []int64{8, 10}, 4, 7
	ts, _, _ = junitOf(t, only(shard), reporter.JUnitOptions{PerTrial: true})
	caseOf(t, ts.Suites[0], "x [trial 3, seed 10]")
}

// P07 and P08, the kind: ids that are equal once they are clean or short stay
// apart and recognisable; no name is empty.
func TestJUnitP08Names(t *testing.T) {
	long := strings.Repeat("x", 150)
	ids := []string{"a b", "a\tb", "a\u200b b", "\u200b", "\u200d", long + "1" + long, long + "2" + long, "a\ufffeb", "a\uffffb", "a\ufffdb", strings.Repeat("試", 200), "<script>", "a b #4f2a"}
	r := measured(t, "s", "candidate", "t=1")
	row := r.PerTask[0]
	r.PerTask = nil
	for _, id := range ids {
		row.Task = id
		r.PerTask = append(r.PerTask, row)
	}
	ts, _, _ := junitOf(t, only(r), reporter.JUnitOptions{})
	cases := ts.Suites[0].Testcases
	if len(cases) != len(ids) {
		t.Fatalf("%d cases of %d ids", len(cases), len(ids))
	}
	for i, want := range []string{"a b", "a b #", "a b #", "(nothing visible) #", "(nothing visible) #", "xxx", "xxx", "a\ufffdb #", "a\ufffdb #", "a\ufffdb", "試試", "<script>", "a b #4f2a"} {
		if got := cases[i].Name; !strings.HasPrefix(got, want) || len(got) > 240 {
			t.Errorf("the name of %.40q is %q, need %q at its start and 240 bytes at most", ids[i], got, want)
		}
	}
	if cases[0].Name != "a b" || !strings.HasSuffix(cases[5].Name[:len(cases[5].Name)-10], "xxx") {
		t.Errorf("names: %q, %q", cases[0].Name, cases[5].Name)
	}
	refused := func(want string, ids ...string) {
		t.Helper()
		r.PerTask = nil
		for _, id := range ids {
			row.Task = id
			r.PerTask = append(r.PerTask, row)
		}
		var b bytes.Buffer
		if _, err := reporter.WriteJUnit(&b, reporter.Build(only(r)), reporter.JUnitOptions{}); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("got %v and %d bytes, need an error that says %q and nothing written", err, b.Len(), want)
		}
	}
	refused(`a task without an id`, "")
	refused(`task "a" stands twice in suite "s"`, "a", "a")
}

// P09, the kind: nesting and counters, which the schema and the validator ask
// for. Here a suite of every end, in both forms.
func TestJUnitP09FlatAndCounted(t *testing.T) {
	for _, opts := range []reporter.JUnitOptions{{}, {PerTrial: true}} {
		ts, report, _ := junitOf(t, sample(t), opts)
		if ts.Errors == 0 || ts.Failures == 0 || report.Cases < 20 {
			t.Errorf("the sample has %+v: too little to count", report)
		}
	}
}

// P10 and P11, the kind: a text so long that a reader stops, or keeps its ends.
func TestJUnitP10P11LongOutput(t *testing.T) {
	huge := "begins here\n" + strings.Repeat("tool call \x1b[32mok\x1b[0m 試\n", 500_000) + "ends here"
	if len(huge) < 12_000_000 {
		t.Fatalf("%d bytes are not 12 MB", len(huge))
	}
	r := measured(t, "s", "candidate", "a=01", "b=--", "c=1")
	for i := range r.PerTask {
		r.PerTask[i].Feedback[0] = huge
	}
	for _, opts := range []reporter.JUnitOptions{{}, {PerTrial: true}} {
		ts, report, b := junitOf(t, only(r), opts)
		if report.Cut < 3 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "texts are cut, to at most 65,536 bytes each") {
			t.Errorf("nothing is said of 36 MB that are not there: %+v", report)
		}
		if about := suiteOf(t, ts, "capeval.report"); !strings.Contains(about.Testcases[0].SystemOut.Data, report.Notes[0]) {
			t.Errorf("the file does not say it: %+v", about)
		}
		if len(b) > 300_000 {
			t.Errorf("%d bytes for three texts of at most 64 KiB", len(b))
		}
		for _, c := range suiteOf(t, ts, "s.val").Testcases {
			text := ""
			if c.SystemOut != nil {
				text = c.SystemOut.Data
			}
			if c.Error != nil {
				text = c.Error.Data
				if !strings.Contains(c.Error.Message, "seed") || !strings.HasPrefix(c.Error.Message, "reward -") {
					t.Errorf("message %q", c.Error.Message)
				}
			}
			first, _, _ := strings.Cut(text, "\n")
			if len(text) > 64<<10 || !strings.HasPrefix(first, "reward ") || !strings.Contains(first, "; seed") {
				t.Errorf("%s: %d bytes that begin with %q", c.Name, len(text), first)
			}
			if len(text) > 1000 && (!strings.Contains(text, "begins here") || !strings.Contains(text, "ends here") || !strings.Contains(text, " bytes are cut out here")) {
				t.Errorf("%s lacks an end of its text, or the line between", c.Name)
			}
		}
	}
}

// P12, the kind: more cases than a reader takes. The file is whole, and it and
// its report say who will not take it.
func TestJUnitP12ManyCases(t *testing.T) {
	tasks := make([]string, 6000)
	for i := range tasks {
		tasks[i] = fmt.Sprintf("task-%05d=1011-", i)
	}
	in := only(measured(t, "many", "candidate", tasks...))
	check := func(opts reporter.JUnitOptions, cases int, readers ...string) {
		t.Helper()
		ts, report, b := junitOf(t, in, opts)
		if got := len(suiteOf(t, ts, "many.val").Testcases); got != cases {
			t.Errorf("%d cases, want %d", got, cases)
		}
		if len(report.Notes) != len(readers) {
			t.Errorf("notes: %q, want those of %q", report.Notes, readers)
		}
		for i, n := range report.Notes {
			if !strings.HasPrefix(n, readers[i]+" takes ") || !strings.Contains(string(b), `name="note.`) {
				t.Errorf("got %q, want one about %s", n, readers[i])
			}
		}
		if per := float64(report.Objects) / float64(report.Cases); per > 8 {
			t.Errorf("%.1f objects a case", per)
		}
	}
	check(reporter.JUnitOptions{PerTrial: true}, 30_000, "Buildkite", "A GitHub check run")
	check(reporter.JUnitOptions{}, 6000, "Buildkite")
	small, report, _ := junitOf(t, sample(t), reporter.JUnitOptions{})
	if len(report.Notes) > 0 || small.Suites[len(small.Suites)-1].Name == "capeval.report" {
		t.Errorf("a small file has the notes %q", report.Notes)
	}
}

// P12: texts that would be too much together are cut further, all alike.
func TestJUnitP12TextsTogether(t *testing.T) {
	r := measured(t, "s", "candidate", "t=1")
	row := r.PerTask[0]
	r.PerTask = nil
	row.Feedback = []string{strings.Repeat("long feedback ", 4000)}
	for i := range 2000 { // 112 MB
		row.Task = fmt.Sprintf("task-%04d", i)
		r.PerTask = append(r.PerTask, row)
	}
	_, report, b := junitOf(t, only(r), reporter.JUnitOptions{})
	if len(b) > 30_000_000 || report.Cut != 2000 || !strings.Contains(report.Notes[0], "to at most 8,192 bytes each") {
		t.Errorf("%d bytes, %+v", len(b), report)
	}
}

// P20 and its siblings: nothing measured must not look green.
func TestJUnitP20NothingMeasured(t *testing.T) {
	check := func(what string, r record.SplitResult) {
		t.Helper()
		for _, opts := range []reporter.JUnitOptions{{}, {PerTrial: true}} {
			if ts, _, _ := junitOf(t, only(r), opts); ts.Errors == 0 {
				t.Errorf("%s has no error", what)
			}
		}
	}
	dry := measured(t, "s", "candidate", "a=1")
	dry.Run.Dry = true
	check("a dry run", dry)
	skipped := measured(t, "s", "candidate", "a=--")
	skipped.PerTask[0].Causes = []record.Cause{record.CauseSkipped, record.CauseSkipped}
	check("a run that skipped everything", skipped)
	check("an empty split", record.SplitResult{Suite: "s", Split: record.Val})
	check("an empty selection", record.SplitResult{Suite: "s", Split: record.Val, Subset: true})
	check("a broken run", measured(t, "s", "candidate", "a=--"))
}

func TestJUnitOrderOfResultsDoesNotMatter(t *testing.T) {
	in := sample(t)
	want := junitFile(t, in, reporter.JUnitOptions{})
	slices.Reverse(in.Results)
	slices.Reverse(in.Decisions)
	slices.Reverse(in.Checks)
	if got := junitFile(t, in, reporter.JUnitOptions{}); !bytes.Equal(got, want) {
		t.Error("another order gave other bytes")
	}
}

func TestJUnitReturnsTheWritersError(t *testing.T) {
	if _, err := reporter.WriteJUnit(broken{}, reporter.Build(sample(t)), reporter.JUnitOptions{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}
