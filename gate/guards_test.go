package gate_test

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// The guards fire in one order: a result that breaks several is told the first,
// whichever arm breaks it. Each step below adds the next guard before all others.
func TestGuardsInOrder(t *testing.T) {
	b, c := arm(t, "baseline", "000 000"), arm(t, "candidate", "111 111")
	check := func(code string, exit int, message string) {
		t.Helper()
		for _, r := range []gate.Rule{gate.Improve(), gate.NoRegression(), gate.NonInferior("0.1"), gate.Strict()} {
			d, err := gate.Decide(b, c, r)
			if code != gate.CodeTestSplit && err != nil {
				t.Fatal(err)
			}
			if d.Verdict != gate.Indecisive || d.Code != code || d.Message != message {
				t.Errorf("got %s %s\n %q\nwant %s\n %q", d.Verdict, d.Code, d.Message, code, message)
			}
			if got := gate.Exit(d.Verdict, d.Code); got != exit || !gate.Guarded(d.Code) {
				t.Errorf("%s: exit %d, guarded %v; want %d, true", code, got, gate.Guarded(d.Code), exit)
			}
			if d.Delta.Defined() || d.PBetter.Defined() || d.MDE80.Defined() || d.NTasks != 2 || d.NPaired != 2 {
				t.Errorf("%s: a refused comparison shows numbers: %+v", code, d)
			}
		}
	}
	c.PerTask[0].ContentDigest, b.PerTask[0].ContentDigest = "sha256:1", "sha256:2"
	check(gate.CodeNotComparable, 3, "1 task changed between the arms: a; measure both arms on the same tasks")
	c.Run.ID, b.Run.ID, c.Run.BaseSeed = "01B", "01A", 7
	check(gate.CodeNotComparable, 3, "the baseline ran with base seed 0, the candidate with 7: use the same seeds in both")
	c.ScorerDigest = "sha256:other"
	check(gate.CodeNotComparable, 3, "the scorer changed between the arms (the suite's _test.go files differ): measure both arms with the same scorer")
	c.Suite = "other"
	check(gate.CodeNotComparable, 3, `the baseline is suite "s", the candidate "other": compare the same suite`)
	c.Split = record.Train
	check(gate.CodeNotComparable, 3, "the baseline measured split val, the candidate train: compare the same split")
	c.Run.Shard = &record.Shard{Index: 2, Count: 3}
	check(gate.CodeMissingShard, 6, "the candidate is shard 2 of 3: merge all shards first")
	c.Subset = true
	check(gate.CodeSubset, 3, "the candidate measured a selection of its tasks, so it speaks of nothing else; run it without --focus and filters")
	b.NCached = 1
	check(gate.CodeCached, 5, "outputs of the baseline came from a cache (1 trial) and were not measured; run them afresh")
	c.Run.Dry = true
	check(gate.CodeDryRun, 5, "the candidate is a dry run: nothing in it was measured; run it without --dry-run")
	b.Split = record.Test
	check(gate.CodeTestSplit, 4, "the baseline measured the sealed test split, which is compared in the finalize job alone; compare on val")
}

func TestTestSplit(t *testing.T) {
	b, c := arm(t, "baseline", "000"), arm(t, "candidate", "111")
	b.Split, c.Split = record.Test, record.Test
	d, err := gate.Decide(b, c, gate.Improve())
	if !errors.Is(err, gate.ErrSealed) || err.Error() != "gate: the test split is judged in the finalize job alone" {
		t.Errorf("got %v, want ErrSealed", err)
	}
	if d.Delta.Defined() || len(d.PerTask) != 0 {
		t.Errorf("the refusal tells what was measured: %+v", d)
	}
	if d, err = gate.DecideFinal(b, c, gate.Improve()); err != nil || d.Code != gate.CodeBetter {
		t.Errorf("finalize: got %s, %v", d.Code, err)
	}
	d, err = gate.Compare(b, c, gate.Improve())
	if err != nil || d.Verdict != "" || d.Code != "" || d.Message != "" || d.Delta != stats.Defined(1) || !d.PBetter.Defined() {
		t.Errorf("Compare: got %+v, %v; want numbers and no verdict", d, err)
	}
	v, err := gate.DecideAll([]record.SplitResult{b, arm(t, "baseline", "1")}, []record.SplitResult{arm(t, "candidate", "1")}, gate.Improve(), "")
	if err != nil || v.Exit() != 4 || v.Suites[0].Code != gate.CodeTestSplit {
		t.Errorf("a test split among several: got %+v, %v; want 4", v, err)
	}
}

func TestComparable(t *testing.T) {
	check := func(name string, change func(b, c *record.SplitResult), want string) {
		t.Helper()
		b, c := arm(t, "baseline", "000 000"), arm(t, "candidate", "111 111")
		change(&b, &c)
		d := decide(t, b, c, gate.Improve())
		if want == "" && d.Code != gate.CodeBetter || want != "" && (d.Code != gate.CodeNotComparable || d.Message != want) {
			t.Errorf("%s: got %s %q, want %q", name, d.Code, d.Message, want)
		}
	}
	digests := func(x, y string) func(b, c *record.SplitResult) {
		return func(b, c *record.SplitResult) { b.PerTask[1].ContentDigest, c.PerTask[1].ContentDigest = x, y }
	}
	changed := "1 task changed between the arms: b; measure both arms on the same tasks"
	check("same", digests("sha256:1", "sha256:1"), "")
	check("other", digests("sha256:1", "sha256:2"), changed)
	check("not known", digests("", "sha256:2"), "")
	check("both of the file, which changed", digests("coarse:sha256:1", "coarse:sha256:2"), changed)
	check("two kinds of digest cannot be compared", digests("coarse:sha256:1", "sha256:2"), "")
	check("a scorer that is not known", func(b, _ *record.SplitResult) { b.ScorerDigest = "" }, "")
	check("seeds of a run that is not known", func(b, c *record.SplitResult) { b.Run.ID, c.Run.BaseSeed = "01A", 9 }, "")
	check("more trials in one arm", func(_, c *record.SplitResult) { *c = arm(t, "candidate", "11111 1111") }, "")
	check("a reward outside", func(_, c *record.SplitResult) { c.PerTask[1].TrialRewards[2] = stats.Defined(1.5) },
		`the candidate contradicts itself: task "b" has a reward of 1.5, need 0 to 1; write it again with capeval-ci result`)
	check("a task twice", func(b, _ *record.SplitResult) { b.PerTask = append(b.PerTask, b.PerTask[0]) },
		`the baseline contradicts itself: task "a" is there twice; write it again with capeval-ci result`)

	// The digest of a task that is not paired does not matter: no number rests on it.
	b, c := arm(t, "baseline", "000 000 ---"), arm(t, "candidate", "111 111 111")
	b.PerTask[2].ContentDigest, c.PerTask[2].ContentDigest = "sha256:1", "sha256:2"
	if d := decide(t, b, c, gate.Improve()); d.Code != gate.CodeBetter {
		t.Errorf("not paired: got %s %s", d.Code, d.Message)
	}
	// Other tasks in one arm are fine unless equal sets are asked for.
	b, c = arm(t, "baseline", "000 000 1 . 1"), arm(t, "candidate", "111 111 . 0 1")
	d := decide(t, b, c, gate.Improve())
	if d.Code != gate.CodeBetter || d.NTasks != 5 || d.NPaired != 3 || strings.Join(d.OnlyBaseline, "") != "c" || strings.Join(d.OnlyCandidate, "") != "d" {
		t.Errorf("common: got %+v", d)
	}
	d = decide(t, b, c, rule(gate.Improve(), func(r *gate.Rule) { r.Tasks = "equal" }))
	if want := "the arms declare different tasks (only in the baseline: c; only in the candidate: d), and --tasks equal asks for the same"; d.Message != want || d.Code != gate.CodeNotComparable {
		t.Errorf("equal: got %s %q", d.Code, d.Message)
	}
}

// 6 of 10 cells missing in one arm against 0 of 10 has p = 0.0108, 7 has 0.0031.
func TestUnequalAttrition(t *testing.T) {
	open := func(r gate.Rule) gate.Rule { return rule(r, func(r *gate.Rule) { r.MinCellCoverage = "0" }) }
	b, c := arm(t, "baseline", "00000 00000"), arm(t, "candidate", "11--- 1----")
	d := decide(t, b, c, open(gate.Improve()))
	if d.Verdict != gate.Indecisive || d.Code != gate.CodeUnequalAttrition {
		t.Errorf("got %s %s, want unequal_attrition: failures that got lost look like a gain", d.Verdict, d.Code)
	}
	if want := "the arms lost different shares of their cells (baseline 0 of 10, candidate 7 of 10 missing, p=0.0031), and what is missing could turn the verdict: repair what loses them, then retry the missing trials"; d.Message != want {
		t.Errorf("got  %q\nwant %q", d.Message, want)
	}
	if gate.Exit(d.Verdict, d.Code) != 3 {
		t.Error("need exit 3")
	}
	// The same loss where even 10 failures would leave a gain that is shown: 40
	// tasks of one trial that all turned, and one task that lost its trials.
	many := strings.Repeat("0 ", 40)
	b, c = arm(t, "baseline", many+"0000000000"), arm(t, "candidate", strings.ReplaceAll(many, "0", "1")+"----------")
	d = decide(t, b, c, open(gate.Improve()))
	if d.Verdict != gate.Accepted || !strings.HasSuffix(warning(t, d, gate.WarnAttrition), "whatever the missing ones were, the verdict stands") {
		t.Errorf("got %s %s", d.Code, d.Message)
	}
	// 6 of 10 is not unequal at 0.01: a warning about what is missing, no more.
	b, c = arm(t, "baseline", "00000 00000"), arm(t, "candidate", "11--- 11---")
	if d = decide(t, b, c, open(gate.Improve())); d.Code == gate.CodeUnequalAttrition || has(d, gate.WarnAttrition) {
		t.Errorf("got %s, warnings %v", d.Code, d.Warnings)
	}
	// Both arms lost as much: no attrition, whatever it could hide.
	b, c = arm(t, "baseline", "00000 -----"), arm(t, "candidate", "11111 -----")
	if d = decide(t, b, c, rule(open(gate.Improve()), func(r *gate.Rule) { r.MinCoverage = "0" })); d.Code != gate.CodeBetter {
		t.Errorf("got %s %s", d.Code, d.Message)
	}
}

func TestWarnings(t *testing.T) {
	b, c := arm(t, "baseline", "0000 11"), arm(t, "candidate", "1 11")
	d := decide(t, b, c, gate.NoRegression())
	if got, want := warning(t, d, gate.WarnCounts), "a task has over three times as many valid trials in one arm: the test may then reject a little too often"; got != want {
		t.Errorf("got %q", got)
	}
	if has(decide(t, arm(t, "b", "000 11"), c, gate.NoRegression()), gate.WarnCounts) {
		t.Error("3 to 1 is not over three times")
	}
	if has(d, gate.WarnNoDigest) || has(d, gate.WarnDrift) || has(d, gate.WarnMissing) {
		t.Errorf("warnings without a reason: %v", d.Warnings)
	}

	// Drift: an hour between the arms is still together, a minute more is not.
	drift := func(bStart, bEnd, cStart, cEnd string, change func(b, c *record.SplitResult)) string {
		b, c := arm(t, "baseline", "000"), arm(t, "candidate", "111")
		b.Run = record.RunInfo{ID: "01A", Started: "2026-11-30T" + bStart + ":00Z", Ended: "2026-11-30T" + bEnd + ":00Z"}
		c.Run = record.RunInfo{ID: "01B", Started: "2026-11-30T" + cStart + ":00Z", Ended: "2026-11-30T" + cEnd + ":00Z"}
		change(&b, &c)
		for _, w := range decide(t, b, c, gate.Improve()).Warnings {
			if w.Code == gate.WarnDrift {
				return w.Message
			}
		}
		return ""
	}
	none := func(_, _ *record.SplitResult) {}
	late := "the arms did not run together (there are 1h1m0s between them): a provider that had a bad hour looks like a change; run both arms interleaved in one job"
	load := "the arms did not run together (different numbers of workers or processes): a provider that had a bad hour looks like a change; run both arms interleaved in one job"
	for _, x := range []struct{ name, got, want string }{
		{"overlap", drift("10:00", "12:00", "11:00", "13:00", none), ""},
		{"an hour", drift("10:00", "11:00", "12:00", "13:00", none), ""},
		{"more", drift("10:00", "11:00", "12:01", "13:00", none), late},
		{"baseline last", drift("12:01", "13:00", "10:00", "11:00", none), late},
		{"workers", drift("10:00", "12:00", "11:00", "13:00", func(b, _ *record.SplitResult) { b.Run.Workers = 8 }), load},
		{"procs", drift("10:00", "12:00", "11:00", "13:00", func(_, c *record.SplitResult) { c.Run.Procs = 2 }), load},
		{"no run known", drift("10:00", "11:00", "20:00", "21:00", func(b, _ *record.SplitResult) { b.Run.ID = "" }), ""},
		{"no time known", drift("10:00", "11:00", "20:00", "21:00", func(b, _ *record.SplitResult) { b.Run.Ended = "" }), ""},
	} {
		if x.got != x.want {
			t.Errorf("drift, %s: got %q, want %q", x.name, x.got, x.want)
		}
	}

	c.ScorerDigest = ""
	if got := warning(t, decide(t, b, c, gate.NoRegression()), gate.WarnNoDigest); got != "a result does not say what scored it, so whether both arms were scored alike is not known" {
		t.Errorf("got %q", got)
	}
	// Task b of the baseline is 1/2 or 1, of the candidate 3/4; task a went from 0 to 1.
	d = decide(t, arm(t, "b", "00 1-"), arm(t, "c", "11 1h"), gate.Improve())
	if got, want := warning(t, d, gate.WarnMissing), "cells are missing (baseline 1 of 4, candidate 0 of 4); were each 0 or 1, the delta would lie in +0.375..+0.625"; got != want {
		t.Errorf("got %q", got)
	}
	if d.Fragile || has(d, gate.WarnFragile) {
		t.Error("0.375..0.625 does not turn the sign")
	}
	d = decide(t, arm(t, "b", "00 1-"), arm(t, "c", "h0 1-"), gate.Improve())
	if !d.Fragile || warning(t, d, gate.WarnFragile) != "the missing cells could turn the sign of the delta" {
		t.Errorf("bounds %v..%v: not fragile?", d.Bounds.Low, d.Bounds.High)
	}
	d = decide(t, copies(t, "b", "00 00"), copies(t, "c", "11 11"), gate.Improve())
	warning(t, d, gate.WarnIdentical)
	for _, row := range d.PerTask {
		if row.Claimed {
			t.Errorf("task %s is claimed on copies", row.Task)
		}
	}
	if has(decide(t, copies(t, "b", "00 00"), copies(t, "c", "11 11"), rule(gate.Improve(), population)), gate.WarnIdentical) {
		t.Error("population scope does not mind copies")
	}

	d = decide(t, arm(t, "b", "0 0"), arm(t, "c", "1 1"), gate.PairedSE("1"))
	if got := warning(t, d, gate.WarnSEZero); got != "the deltas have no spread (2 paired tasks), so their standard error is 0 and says nothing: the rule then accepts any gain" {
		t.Errorf("got %q", got)
	}
	if got := warning(t, d, gate.WarnCompatibility); !regexp.MustCompile(`^a compatibility rule: at this number of tasks it accepts about 1\d % of the changes that change nothing; improve holds 0\.05$`).MatchString(got) {
		t.Errorf("got %q", got)
	}
	other := "a compatibility rule: it does not hold alpha; how often it accepts a change that changes nothing is told by capeval-ci aa on runs of your own"
	if got := warning(t, decide(t, arm(t, "b", "0 1"), arm(t, "c", "1 1"), gate.PairedSE("2")), gate.WarnCompatibility); got != other {
		t.Errorf("got %q", got)
	}
	if d := decide(t, arm(t, "b", "0 1"), arm(t, "c", "1 1"), gate.PairedSE("1.00")); !strings.Contains(warning(t, d, gate.WarnCompatibility), "at this number of tasks") {
		t.Error("1.00 is 1")
	}
	significant := rule(gate.Strict(), func(r *gate.Rule) { r.Name = gate.RuleSignificant })
	if got := warning(t, decide(t, arm(t, "b", "0"), arm(t, "c", "1"), significant), gate.WarnSEZero); got != "a reward has no standard error, so the rule accepts any gain" {
		t.Errorf("got %q", got)
	}
	for _, r := range []gate.Rule{gate.Improve(), gate.NoRegression(), gate.NonInferior("0.1")} {
		if has(decide(t, arm(t, "b", "000"), arm(t, "c", "111"), r), gate.WarnCompatibility) {
			t.Errorf("%s is no compatibility rule", r.Name)
		}
	}
}

func TestBadRules(t *testing.T) {
	check := func(want string, r gate.Rule) {
		t.Helper()
		b := arm(t, "b", "0")
		_, err1 := gate.Decide(b, b, r)
		_, err2 := gate.Compare(b, b, r)
		_, err3 := gate.DecideFinal(b, b, r)
		_, err4 := gate.DecideAll([]record.SplitResult{b}, []record.SplitResult{b}, r, "")
		_, err5 := gate.DecideAll(nil, nil, r, "") // also where nothing is judged
		for _, err := range []error{err1, err2, err3, err4, err5} {
			if err == nil || err.Error() != "gate: "+want {
				t.Errorf("got %v\nwant gate: %s", err, want)
			}
		}
	}
	set := func(change func(*gate.Rule)) gate.Rule { return rule(gate.Improve(), change) }
	check(`rule "": need one of [improve no-regression non-inferior paired-se significant threshold strict simplicity-tiebreak]`, gate.Rule{})
	check(`alpha "NaN": need a finite decimal such as 0.05`, set(alpha("NaN")))
	check(`alpha "abc": need a finite decimal such as 0.05`, set(alpha("abc")))
	check(`alpha "": need a finite decimal such as 0.05`, set(alpha("")))
	check(`alpha "5e-2": need a finite decimal such as 0.05`, set(alpha("5e-2")))
	check(`alpha "inf": need a finite decimal such as 0.05`, set(alpha("inf")))
	check(`alpha "`+strings.Repeat("9", 80)+`": need a finite decimal such as 0.05`, set(alpha(strings.Repeat("9", 9000))))
	check("alpha 0: need a number above 0 and below 1", set(alpha("0")))
	check("alpha 1: need a number above 0 and below 1", set(alpha("1")))
	check("alpha -0.05: need a number above 0 and below 1", set(alpha("-0.05")))
	check("margin -0.1: need a number at least 0 and at most 1", set(margin("-0.1")))
	check("margin 1.1: need a number at least 0 and at most 1", set(margin("1.1")))
	check(`margin "": need a finite decimal such as 0.05`, set(margin("")))
	check(`margin "0": non-inferior needs the drop that it must exclude, a decimal above 0 such as 0.05`, gate.NonInferior("0"))
	check(`margin "": non-inferior needs the drop that it must exclude, a decimal above 0 such as 0.05`, gate.NonInferior(""))
	check("margin 0.0: need a number above 0 and at most 1", gate.NonInferior("0.0"))
	check("margin -0.1: need a number above 0 and at most 1", gate.NonInferior("-0.1"))
	check("k-se -1: need a number at least 0 and at most 1000000", gate.PairedSE("-1"))
	check(`k-se "NaN": need a finite decimal such as 0.05`, gate.PairedSE("NaN"))
	check("min-coverage 1.5: need a number at least 0 and at most 1", set(func(r *gate.Rule) { r.MinCoverage = "1.5" }))
	check("min-cell-coverage -1: need a number at least 0 and at most 1", set(func(r *gate.Rule) { r.MinCellCoverage = "-1" }))
	check("max-detectable-drop 0: need a number above 0 and at most 1", set(func(r *gate.Rule) { r.MaxDetectableDrop = "0" }))
	check(`scope "both": need one of [suite population]`, set(func(r *gate.Rule) { r.Scope = "both" }))
	check(`trials-are "": need one of [auto independent]`, set(func(r *gate.Rule) { r.TrialsAre = "" }))
	check(`tasks "all": need one of [common equal]`, set(func(r *gate.Rule) { r.Tasks = "all" }))
	check("level NaN: need a number between 0 and 1", set(func(r *gate.Rule) { r.Level = math.NaN() }))
	check("level 1: need a number between 0 and 1", set(func(r *gate.Rule) { r.Level = 1 }))
	one, negative := int64(1), int64(-1)
	check("one size is given: simplicity-tiebreak needs the candidate's and the baseline's", set(func(r *gate.Rule) { r.CandidateSize = &one }))
	check("size -1: need a number of bytes, at least 0", set(func(r *gate.Rule) { r.CandidateSize, r.BaselineSize = &one, &negative }))
}

func TestExit(t *testing.T) {
	check := func(o gate.Outcome, code string, want int) {
		t.Helper()
		if got := gate.Exit(o, code); got != want {
			t.Errorf("%s %s: got %d, want %d", o, code, got, want)
		}
	}
	check(gate.Accepted, gate.CodeBetter, 0)
	check(gate.Rejected, gate.CodeWorse, 1)
	check(gate.Rejected, gate.CodeGuard, 1)
	check(gate.Indecisive, gate.CodeNotAttainable, 3)
	check(gate.Indecisive, gate.CodeUnequalAttrition, 3)
	check(gate.Indecisive, gate.CodeSubset, 3)
	check(gate.Indecisive, gate.CodeMissingSuite, 3)
	check(gate.Indecisive, gate.CodeTestSplit, 4)
	check(gate.Indecisive, gate.CodeDryRun, 5)
	check(gate.Indecisive, gate.CodeCached, 5)
	check(gate.Indecisive, gate.CodeMissingShard, 6)
	check("", "", 3) // a comparison that was never judged is no pass
	for _, code := range []string{gate.CodeDesignTooSmall, gate.CodeIdenticalTrials, gate.CodeNotAttainable, gate.CodeUnderpowered, gate.CodeNotShown, gate.CodeBetter} {
		if gate.Guarded(code) {
			t.Errorf("%s is no guard: --indecisive pass reaches it", code)
		}
	}
	all := func(codes ...string) gate.Verdict {
		v := gate.Verdict{}
		for _, c := range codes {
			o := gate.Indecisive
			switch c {
			case gate.CodeBetter:
				o = gate.Accepted
			case gate.CodeWorse:
				o = gate.Rejected
			}
			v.Suites = append(v.Suites, gate.Decision{Verdict: o, Code: c})
		}
		v.Settle()
		return v
	}
	// Several at once: 5, 4, 6, 1, 3, then 0.
	order := []struct {
		code string
		exit int
	}{{gate.CodeCached, 5}, {gate.CodeTestSplit, 4}, {gate.CodeMissingShard, 6}, {gate.CodeWorse, 1}, {gate.CodeNotShown, 3}, {gate.CodeBetter, 0}}
	for i := range order {
		var codes []string
		for _, o := range order[i:] {
			codes = append([]string{o.code}, codes...)
		}
		if got := all(codes...).Exit(); got != order[i].exit {
			t.Errorf("%v: got %d, want %d", codes, got, order[i].exit)
		}
	}
	if v := all(); v.Exit() != 3 || v.Verdict != gate.Indecisive {
		t.Errorf("no suite: got %s, %d", v.Verdict, v.Exit())
	}
	if v := all(gate.CodeBetter, gate.CodeNotShown); v.Verdict != gate.Indecisive {
		t.Errorf("got %s, want indecisive", v.Verdict)
	}
	if v := all(gate.CodeWorse, gate.CodeNotShown, gate.CodeBetter); v.Verdict != gate.Rejected {
		t.Errorf("got %s, want rejected", v.Verdict)
	}
}
