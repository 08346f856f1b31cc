package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

func suite(t *testing.T, name, suite, cells string) record.SplitResult {
	t.Helper()
	r := arm(t, name, cells)
	r.Suite = suite
	return r
}

// two makes both arms of several suites from "baseline>candidate" words, named
// s0, s1, ...
func two(t *testing.T, cells ...string) (b, c []record.SplitResult) {
	t.Helper()
	for i, x := range cells {
		left, right, _ := strings.Cut(x, ">")
		b = append(b, suite(t, "baseline", fmt.Sprintf("s%d", i), left))
		c = append(c, suite(t, "candidate", fmt.Sprintf("s%d", i), right))
	}
	return b, c
}

func TestSeveralSuites(t *testing.T) {
	check := func(name string, r gate.Rule, primary string, want string, cells ...string) gate.Verdict {
		t.Helper()
		b, c := two(t, cells...)
		v, err := gate.DecideAll(b, c, r, primary)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{string(v.Verdict) + ":"}
		for _, d := range v.Suites {
			got = append(got, d.Code)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: got %s, want %s", name, s, want)
			for _, d := range v.Suites {
				t.Log(d.Message)
			}
		}
		// The order in which the suites are given does not matter.
		slices.Reverse(b)
		other, err := gate.DecideAll(b, c, r, primary)
		if err != nil || asJSON(t, other) != asJSON(t, v) {
			t.Errorf("%s: another order gave another verdict, %v", name, err)
		}
		return v
	}
	improve, noRegression := gate.Improve(), gate.NoRegression()
	// 1/20 alone reaches 0.05; beside another suite it is 1/10.
	sure := "000>111"       // p = 1/20
	surer := "0000>1111"    // p = 1/70
	surest := "00000>11111" // p = 1/252
	same := "0011>0101"     // one relabelling in two and more is as good, and as bad

	check("one", improve, "", "accepted: better", sure)
	// Holm over 1/20 and 1: the smallest is doubled. A perfect result of three
	// trials could only reach 1/10 then.
	v := check("two, one of them unchanged", improve, "", "rejected: design_too_small no_change", sure, "1111>1111")
	if want := "even a perfect result could only reach p=0.10 (alpha 0.05): need at least 2 tasks at 3 trials in each arm, or 4 trials in each arm on 1 task"; v.Suites[0].Message != want {
		t.Errorf("got %q", v.Suites[0].Message)
	}
	// 1/70 and 1/20: the smaller is doubled to 1/35, the other is the last and is
	// not multiplied.
	v = check("two, both sure", improve, "", "accepted: better better", sure, surer)
	if !strings.Contains(v.Suites[0].Message, "exact p=0.05 (0.05 corrected for 2 suites)") || !strings.Contains(v.Suites[1].Message, "exact p=0.014 (0.029 corrected for 2 suites)") {
		t.Errorf("got %q\n%q", v.Suites[0].Message, v.Suites[1].Message)
	}
	// 1/20, 1/20, 1/252: 3/252, then both others 2/20.
	check("three", improve, "", "indecisive: design_too_small design_too_small better", sure, sure, surest)
	// A suite of one trial a task on four tasks can reach 1/16 at best: it is
	// tested, and counts.
	check("beside a design that is too small", improve, "", "indecisive: design_too_small design_too_small", sure, "0 0 0 0>1 1 1 1")
	// A suite that a guard stopped makes no claim, and is not corrected for.
	check("beside a guard", improve, "", "indecisive: better no_paired_tasks", sure, "00>--")
	// A p of 1 has no say over the other direction: worse by 1/20 and by 1/20.
	check("worse, both at 1/20", improve, "", "indecisive: design_too_small design_too_small", "111>000", "111>000")
	check("worse, both at 1/70", improve, "", "rejected: worse worse", "1111>0000", "1111>0000")
	check("regressions, one at 1/20", noRegression, "", "indecisive: design_too_small no_regression_detected", "111>000", same)
	check("regressions, 1/70 and 1/20", noRegression, "", "rejected: regression regression", "1111>0000", "111>000")

	// With a primary the rule is its alone, uncorrected, and the others must not
	// regress.
	v = check("primary", improve, "s0", "accepted: better no_regression_detected", sure, same)
	if v.Suites[0].Rule != gate.RuleImprove || v.Suites[1].Rule != gate.RuleNoRegression {
		t.Errorf("rules %s and %s", v.Suites[0].Rule, v.Suites[1].Rule)
	}
	check("primary, another one regressed", improve, "s0", "rejected: better regression", sure, "1111>0000")
	check("primary, two others", improve, "s0", "indecisive: better design_too_small no_regression_detected", sure, "111>000", same)
	check("primary not shown", improve, "s1", "rejected: no_regression_detected no_change", sure, same)
	check("primary non-inferior", gate.NonInferior("0.9"), "s0", "accepted: non_inferior no_regression_detected", same, same)

	for _, name := range []string{gate.RulePairedSE, gate.RuleStrict} {
		r := gate.DefaultRule()
		r.Name = name
		check(name+" corrects nothing", r, "", "accepted: above_rule above_rule", "0 0 1>1 1 1", "0 0 1>1 1 1")
	}
}

// Holm's method on bounds: with k suites, the first is held to alpha/k, and each
// that passes makes it easier for the rest.
func TestNonInferiorStepsDown(t *testing.T) {
	weak, strong, none := "1111111111>1111111111", strings.Repeat("1", 40)+">"+strings.Repeat("1", 40), "1>1"
	r := gate.NonInferior("0.22")
	verdicts := func(cells ...string) string {
		b, c := two(t, cells...)
		v, err := gate.DecideAll(b, c, r, "")
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, d := range v.Suites {
			out = append(out, d.Code)
		}
		return strings.Join(out, " ")
	}
	// Ten equal outcomes: v = (11/12 - (11/12)^2)/10 = 0.00764, SE 0.1236 for both
	// arms; 1.645 SE is 0.203, 1.96 SE is 0.242.
	for _, x := range []struct{ got, want string }{
		{verdicts(weak), "non_inferior"},                      // 0.203
		{verdicts(weak, none), "not_shown not_shown"},         // held to 0.025: 0.242
		{verdicts(weak, strong), "non_inferior non_inferior"}, // the strong one passes at 0.025, then weak at 0.05
		{verdicts(weak, weak), "not_shown not_shown"},         // neither passes at 0.025
		{verdicts(strong, strong, weak), "non_inferior non_inferior non_inferior"},
		{verdicts(strong, none, weak), "non_inferior not_shown not_shown"}, // after one, two are left: 0.025
		{verdicts(weak, "11>--"), "non_inferior no_paired_tasks"},          // not tested, not counted
	} {
		if x.got != x.want {
			t.Errorf("got %s, want %s", x.got, x.want)
		}
	}
}

func TestSuitesThatDoNotMatch(t *testing.T) {
	b, c := two(t, "000>111", "000>111")
	v, err := gate.DecideAll(b, c[:1], gate.Improve(), "")
	if err != nil {
		t.Fatal(err)
	}
	d := v.Suites[1]
	if v.Verdict != gate.Indecisive || v.Exit() != 3 || d.Code != gate.CodeMissingSuite || d.Message != `the candidate has no result of suite "s1", split val: measure it in both arms` {
		t.Errorf("got %s, %d, %s %q", v.Verdict, v.Exit(), d.Code, d.Message)
	}
	if d.Suite != "s1" || d.Split != record.Val || d.Rule != gate.RuleImprove || d.NTasks != 1 || d.NPaired != 0 || !slices.Equal(d.OnlyBaseline, []string{"a"}) {
		t.Errorf("got %+v", d)
	}
	if v.Suites[0].Code != gate.CodeBetter {
		t.Errorf("the suite that is there: got %s; a suite that is not tested is not corrected for", v.Suites[0].Code)
	}
	v, err = gate.DecideAll(b[1:], c, gate.Improve(), "")
	if err != nil || v.Suites[0].Message != `the baseline has no result of suite "s0", split val: measure it in both arms` || !slices.Equal(v.Suites[0].OnlyCandidate, []string{"a"}) {
		t.Errorf("got %+v, %v", v.Suites[0], err)
	}

	// One of each is meant to be compared; a guard says why it cannot be.
	v, err = gate.DecideAll(b[:1], c[1:], gate.Improve(), "")
	if err != nil || len(v.Suites) != 1 || v.Suites[0].Code != gate.CodeNotComparable {
		t.Errorf("got %+v, %v", v, err)
	}
	v, err = gate.DecideAll(nil, nil, gate.Improve(), "")
	if got := asJSON(t, v); err != nil || got != "{\n \"schema\": \"capeval.verdict/v1\",\n \"verdict\": \"indecisive\",\n \"suites\": []\n}" {
		t.Errorf("nothing: got %s, %v", got, err)
	}

	fails := func(want string, b, c []record.SplitResult, primary string) {
		t.Helper()
		if _, err := gate.DecideAll(b, c, gate.Improve(), primary); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	fails(`gate: the baseline holds suite "s0", split val, twice: need one result of each`, append(b, b[0]), c, "")
	fails(`gate: the candidate holds suite "s1", split val, twice: need one result of each`, b, append(c, c[1]), "")
	fails(`gate: the primary suite "s7" is not in both arms`, b, c, "s7")
	fails(`gate: the primary suite "s1" is not in both arms`, b, c[:1], "s1")
}

// A number that does not exist is null, and a list without entries is [].
func TestJSONOfARefusal(t *testing.T) {
	b, c := arm(t, "baseline", "0"), arm(t, "candidate", "1")
	c.Subset = true
	want := `{
 "suite": "s",
 "split": "val",
 "rule": "no-regression",
 "scope": "suite",
 "alpha": "0.05",
 "verdict": "indecisive",
 "code": "subset",
 "message": "the candidate measured a selection of its tasks, so it speaks of nothing else; run it without --focus and filters",
 "n_tasks": 1,
 "n_paired": 1,
 "coverage": null,
 "cell_coverage": {
  "baseline": null,
  "candidate": null
 },
 "reward": {
  "baseline": null,
  "candidate": null
 },
 "delta": null,
 "delta_fraction": null,
 "ci": {
  "level": 0.95,
  "method": "two_pseudo_trials",
  "low": null,
  "high": null
 },
 "p_better": null,
 "p_worse": null,
 "p_two_sided": null,
 "p_min_design": null,
 "p_min_conditional": null,
 "p_population": null,
 "mde80": null,
 "bounds": {
  "low": null,
  "high": null
 },
 "fragile": false,
 "improved": [],
 "regressed": [],
 "unchanged": 0,
 "only_baseline": [],
 "only_candidate": [],
 "guards": [],
 "warnings": [],
 "per_task": []
}`
	if got := asJSON(t, decide(t, b, c, gate.NoRegression())); got != want {
		t.Errorf("got %s", got)
	}
	// With nothing paired, only what was counted is there.
	d := decide(t, arm(t, "baseline", "1"), arm(t, "candidate", "-"), gate.NoRegression())
	got := asJSON(t, d)
	for _, s := range []string{`"delta": null`, `"delta_fraction": null`, `"p_worse": null`, `"p_population": null`, `"mde80": null`, `"low": null`, `"coverage": 0,`,
		`"candidate": 0`, `"task": "a",
   "baseline": 1,
   "candidate": null,
   "delta": null,
   "stderr": null,
   "p": null,
   "claimed": false,
   "n_baseline": 1,
   "n_candidate": 0`} {
		if !strings.Contains(got, s) {
			t.Errorf("no %s in %s", s, got)
		}
	}
}
