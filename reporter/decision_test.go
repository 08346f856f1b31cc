package reporter_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// measured is a result of named tasks, one digit a trial; a dash is missing.
func measured(t testing.TB, suite, arm string, tasks ...string) record.SplitResult {
	t.Helper()
	var rows strings.Builder
	for _, task := range tasks {
		id, cells, _ := strings.Cut(task, "=")
		for k, c := range cells {
			what := fmt.Sprintf(`"reward":%c,"output_digest":"%s%d"`, c, arm, k)
			if c == '-' {
				what = `"status":"missing","cause":"rate_limit"`
			}
			fmt.Fprintf(&rows, `{"suite":%q,"split":"val","arm":%q,"task":%q,"trial":%d,%s}`+"\n", suite, arm, id, k, what)
		}
	}
	trials, err := record.ReadTrials(strings.NewReader(rows.String()), "rows")
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.ScorerDigest = "sha256:5c"
	return r
}

// verdict is one of five suites, of every outcome.
func verdict(t testing.TB) gate.Verdict {
	t.Helper()
	var b, c []record.SplitResult
	add := func(suite string, baseline, candidate []string) {
		if baseline != nil {
			b = append(b, measured(t, suite, "baseline", baseline...))
		}
		if candidate != nil {
			c = append(c, measured(t, suite, "candidate", candidate...))
		}
	}
	add("support",
		[]string{"refund=111111", "cancel=110111", "greet=111111", "late-delivery-of-a-gift-card-to-another-country=010101", "lost-parcel=1111-1", "old=11"},
		[]string{"refund=000000", "cancel=010110", "greet=111111", "late-delivery-of-a-gift-card-to-another-country=110111", "lost-parcel=-01---", "new=1"})
	add("triage", []string{"a=0101", "b=0011", "c=1111"}, []string{"a=0101", "b=0111", "c=1111"})
	add("smoke", []string{"hello=1"}, []string{"hello=0"})
	add("billing", []string{"invoice=11111", "vat=11111"}, nil)
	add("search", []string{"x=1111", "y=0101", "z=0110"}, []string{"x=1111", "y=0101", "z=0110"})
	v, err := gate.DecideAll(b, c, gate.NoRegression(), "")
	if err != nil {
		t.Fatal(err)
	}
	limit, err := gate.ParseLimit("cost_usd<=+10%")
	if err != nil {
		t.Fatal(err)
	}
	absolute, err := gate.ParseLimit("seconds<=+2")
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range v.Suites {
		if d.Suite == "search" {
			cost := func(x, y float64) gate.Metrics {
				return gate.Metrics{"cost_usd": {"x": {x}, "y": {y}}, "seconds": {"x": {x}, "y": {y}}}
			}
			if v.Suites[i], err = d.Limited([]gate.Limit{limit, absolute, {Metric: "tokens", Max: "5"}}, cost(0.01, 0.02), cost(0.015, 0.031)); err != nil {
				t.Fatal(err)
			}
		}
	}
	v.Settle()
	return v
}

func decisionText(t testing.TB, v gate.Verdict, opts reporter.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := reporter.WriteDecisionText(&b, judged(v), opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func one(t testing.TB, b, c []string, r gate.Rule) gate.Verdict {
	t.Helper()
	v, err := gate.DecideAll([]record.SplitResult{measured(t, "support", "baseline", b...)}, []record.SplitResult{measured(t, "support", "candidate", c...)}, r, "")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDecisionGolden(t *testing.T) {
	golden(t, "decision80.golden", decisionText(t, verdict(t), reporter.TextOptions{}))
	golden(t, "decision120_color.golden", decisionText(t, verdict(t), reporter.TextOptions{Width: 120, Color: true}))
	exact := gate.Improve()
	exact.Exact = true
	golden(t, "decision_better.golden", decisionText(t, one(t, []string{"a=0000", "b=0000", "c=01"}, []string{"a=1111", "b=1111", "c=01"}, exact), reporter.TextOptions{}))
	golden(t, "decision_compatible.golden", decisionText(t, one(t, []string{"a=0", "b=1", "c=1"}, []string{"a=1", "b=1", "c=1"}, gate.PairedSE("1")), reporter.TextOptions{}))
	golden(t, "decision_none.golden", decisionText(t, gate.Verdict{}, reporter.TextOptions{}))
}

// The first sentence of every code, for a reader without statistics.
func TestHeadlines(t *testing.T) {
	check := func(o gate.Outcome, code, want string) {
		t.Helper()
		d := gate.Decision{Suite: "support", Split: record.Val, Rule: "strict", Verdict: o, Code: code, Guards: []gate.LimitResult{{Limit: "cost_usd<=+10%", Verdict: gate.Rejected}, {Limit: "tokens<=+1", Verdict: gate.Accepted}}}
		if err := json.Unmarshal([]byte(`{"baseline":0.8333,"candidate":0.41}`), &d.Reward); err != nil {
			t.Fatal(err)
		}
		got, _, _ := strings.Cut(decisionText(t, gate.Verdict{Verdict: o, Suites: []gate.Decision{d}}, reporter.TextOptions{Width: 400}), "\n")
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", code, got, want)
		}
	}
	scores := ": the candidate's mean reward is 0.41, the baseline's 0.83"
	check(gate.Accepted, gate.CodeBetter, "accepted: support got better"+scores)
	check(gate.Rejected, gate.CodeBelowMinEffect, "rejected: support got better, and by less than was asked for"+scores)
	check(gate.Rejected, gate.CodeWorse, "rejected: support got worse"+scores)
	check(gate.Rejected, gate.CodeRegression, "rejected: support got worse"+scores)
	check(gate.Rejected, gate.CodeNoChange, "rejected: no task of support came out differently"+scores)
	check(gate.Rejected, gate.CodeNotShown, "rejected: support is not shown to have got better"+scores)
	check(gate.Accepted, gate.CodeWithinMargin, "accepted: support got worse, and by no more than is allowed"+scores)
	check(gate.Accepted, gate.CodeNoRegressionDetected, "accepted: support is not shown to have got worse"+scores)
	check(gate.Accepted, gate.CodeNonInferior, "accepted: support did not get worse by more than is allowed"+scores)
	check(gate.Accepted, gate.CodeAboveRule, "accepted: support meets the rule strict"+scores)
	check(gate.Rejected, gate.CodeNotAboveRule, "rejected: support does not meet the rule strict"+scores)
	check(gate.Accepted, gate.CodeSmaller, "accepted: support came out exactly alike, and the candidate is smaller"+scores)
	check(gate.Rejected, gate.CodeGuard, "rejected: support goes beyond a limit: cost_usd<=+10%")
	no := "indecisive, which is no failure of the change: "
	check(gate.Indecisive, gate.CodeNotShown, no+"support may have got worse by more than is allowed"+scores)
	check(gate.Indecisive, gate.CodeDesignTooSmall, no+"support is too small to tell, whatever had come out"+scores)
	check(gate.Indecisive, gate.CodeIdenticalTrials, no+"the trials of support look like copies of one another, and copies cannot tell"+scores)
	check(gate.Indecisive, gate.CodeNotAttainable, no+"too few tasks of support changed to tell"+scores)
	check(gate.Indecisive, gate.CodeUnderpowered, no+"support could have got worse without this run noticing"+scores)
	check(gate.Indecisive, gate.CodeEmptySuite, no+"support declares no task")
	check(gate.Indecisive, gate.CodeNoPairedTasks, no+"no task of support was measured in both arms")
	check(gate.Indecisive, gate.CodeLowCoverage, no+"too little of support was measured")
	check(gate.Indecisive, gate.CodeLowCellCoverage, no+"too little of support was measured")
	check(gate.Indecisive, gate.CodeUnequalAttrition, no+"one arm lost more of support than the other, and that could be all there is to the difference")
	check(gate.Indecisive, gate.CodeTestSplit, no+"support is sealed: the test split is compared in the finalize job alone")
	check(gate.Indecisive, gate.CodeDryRun, no+"a dry run measured nothing of support")
	check(gate.Indecisive, gate.CodeCached, no+"answers of support came from a cache and were not measured")
	check(gate.Indecisive, gate.CodeSubset, no+"only a selection of support ran")
	check(gate.Indecisive, gate.CodeMissingShard, no+"only a shard of support is there")
	check(gate.Indecisive, gate.CodeNotComparable, no+"the arms did not measure the same support")
	check(gate.Indecisive, gate.CodeMissingSuite, no+"only one arm measured support")
	check(gate.Rejected, "news", "rejected: support, news"+scores) // of a version that knows more codes
}

func TestDecisionOrderDoesNotMatter(t *testing.T) {
	v := verdict(t)
	want := decisionText(t, v, reporter.TextOptions{})
	before, _ := json.Marshal(v)
	other := verdict(t)
	slices.Reverse(other.Suites)
	for i := range other.Suites {
		slices.Reverse(other.Suites[i].PerTask)
	}
	if got := decisionText(t, other, reporter.TextOptions{}); got != want {
		t.Errorf("another order gave other bytes:\n%s", got)
	}
	if after, _ := json.Marshal(v); !bytes.Equal(before, after) {
		t.Error("Build changed its input")
	}
}

func TestDecisionWidthAndColor(t *testing.T) {
	for w := 60; w <= 160; w += 7 {
		for l := range strings.Lines(decisionText(t, verdict(t), reporter.TextOptions{Width: w})) {
			if got := twwidth.WidthWithOptions(strings.TrimSuffix(l, "\n"), twwidth.Options{}); got > max(w, 70) {
				t.Errorf("width %d: %d columns: %s", w, got, l)
			}
		}
	}
	plain, colored := decisionText(t, verdict(t), reporter.TextOptions{}), decisionText(t, verdict(t), reporter.TextOptions{Color: true})
	for _, look := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[33m"} {
		colored = strings.ReplaceAll(colored, look, "")
	}
	if colored != plain {
		t.Errorf("coloured text differs from plain text:\n%s\nand\n%s", colored, plain)
	}
}

func TestHostileDecision(t *testing.T) {
	lines := strings.Count(decisionText(t, hostileVerdict(t, "plain"), reporter.TextOptions{Width: 120}), "\n")
	for i, h := range hostile {
		got := decisionText(t, hostileVerdict(t, h), reporter.TextOptions{Width: 120})
		for _, r := range got {
			if r != '\n' && !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%d: %q in the text", i, r)
				break
			}
		}
		for l := range strings.Lines(got) {
			if w := twwidth.WidthWithOptions(strings.TrimSuffix(l, "\n"), twwidth.Options{}); w > 120 {
				t.Errorf("%d: %d columns: %s", i, w, l)
			}
		}
		if n := strings.Count(got, "\n"); n > lines+40 || len(got) > 40_000 {
			t.Errorf("%d: %d lines, %d bytes; plain text has %d lines", i, n, len(got), lines)
		}
	}
}

func hostileVerdict(t *testing.T, h string) gate.Verdict {
	v := one(t, []string{"a=1111", "b=1111", "c=-"}, []string{"a=0000", "b=0000", "c=-"}, gate.NoRegression())
	d := &v.Suites[0]
	d.Suite, d.Split, d.Rule, d.Scope, d.Alpha, d.Code, d.Message, d.CI.Method = h, record.Split(h), h, h, h, h, h, h
	d.Verdict = gate.Outcome(h)
	d.PExact = &h
	d.Warnings = []record.Warning{{Code: h, Message: h}}
	d.Guards = []gate.LimitResult{{Metric: h, Limit: h, Verdict: gate.Outcome(h)}}
	d.OnlyBaseline = []string{h}
	for i := range d.PerTask {
		d.PerTask[i].Task = h
	}
	return v
}

// A number that does not exist is a dash or left out, and never 0.
func TestDecisionWithoutNumbers(t *testing.T) {
	v := one(t, []string{"a=1", "b=-"}, []string{"a=-", "b=1"}, gate.NoRegression())
	got := decisionText(t, v, reporter.TextOptions{})
	for _, s := range []string{"  change  ", "  p  ", "  finds  ", "  reward  ", " 0.000"} {
		if strings.Contains(got, s) {
			t.Errorf("%q in\n%s", s, got)
		}
	}
	if !strings.Contains(got, "a (missing in the candidate), b (missing in the baseline)") {
		t.Errorf("got\n%s", got)
	}
}

func TestManyChanges(t *testing.T) {
	var b, c []string
	for i := range 300 {
		b, c = append(b, fmt.Sprintf("t%03d=11", i)), append(c, fmt.Sprintf("t%03d=00", i))
	}
	got := decisionText(t, one(t, b, c, gate.NoRegression()), reporter.TextOptions{})
	if n := strings.Count(got, "\n    -1.000  "); n != 12 {
		t.Errorf("%d rows", n)
	}
	if !strings.Contains(got, "    288 more changed, the largest gains among them\n") || len(got) > 4000 {
		t.Errorf("got %d bytes\n%s", len(got), got)
	}
}

func TestWriteDecisionTextReturnsTheWritersError(t *testing.T) {
	if err := reporter.WriteDecisionText(broken{}, judged(verdict(t)), reporter.TextOptions{}); err != os.ErrClosed {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}

// judged is the document of a verdict alone.
func judged(v gate.Verdict) reporter.Document {
	return reporter.Build(reporter.Input{Decisions: v.Suites, Verdict: v.Verdict})
}
