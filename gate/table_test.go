package gate_test

import (
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

// Every row of the verdict table, with the whole message of its code once.
func TestVerdictTable(t *testing.T) {
	check := func(name string, b, c record.SplitResult, r gate.Rule, verdict gate.Outcome, code, message string) {
		t.Helper()
		d := decide(t, b, c, r)
		if d.Verdict != verdict || d.Code != code {
			t.Errorf("%s: got %s %s (%s), want %s %s", name, d.Verdict, d.Code, d.Message, verdict, code)
		}
		if message != "" && d.Message != message {
			t.Errorf("%s:\n got %q\nwant %q", name, d.Message, message)
		}
	}
	b := func(cells string) record.SplitResult { t.Helper(); return arm(t, "baseline", cells) }
	c := func(cells string) record.SplitResult { t.Helper(); return arm(t, "candidate", cells) }
	improve, noRegression := gate.Improve(), gate.NoRegression()

	// The table's own guards.
	check("nothing declared", b(""), c(""), improve, gate.Indecisive, gate.CodeEmptySuite,
		"no tasks declared: nothing was measured")
	check("disjoint", b("1 ."), c(". 1"), improve, gate.Indecisive, gate.CodeNoPairedTasks,
		"no task of 2 has a valid trial in both arms (missing cells: baseline 0 of 1, candidate 0 of 1)")
	check("all missing in one arm", b("11 11"), c("-- --"), noRegression, gate.Indecisive, gate.CodeNoPairedTasks,
		"no task of 2 has a valid trial in both arms (missing cells: baseline 0 of 4, candidate 4 of 4)")
	check("1 of 2 tasks", b("0 0"), c("1 -"), improve, gate.Indecisive, gate.CodeLowCoverage,
		"only 1 of 2 tasks have valid trials in both arms (50.0%, need 60.0%): repair what loses them, then retry the missing trials")
	check("3 of 5 tasks is exactly 0.6", b("0 0 0 0 0"), c("1 1 1 - -"), rule(improve, func(r *gate.Rule) { r.MinCellCoverage = "0" }),
		gate.Indecisive, gate.CodeDesignTooSmall, "")
	check("2 of 6 cells", b("00- -0- 0--"), c("111 111 111"), improve, gate.Indecisive, gate.CodeLowCellCoverage,
		"only 4 of 9 cells of the baseline are valid (44.4%, need 50.0%): repair what loses them, then retry the missing trials")
	check("2 of 4 cells is exactly 0.5", b("0- 0-"), c("11 11"), improve, gate.Indecisive, gate.CodeDesignTooSmall, "")

	// improve. 1/20 = 1/C(6,3) is exactly alpha and reaches it.
	check("p is exactly alpha", b("000"), c("111"), improve, gate.Accepted, gate.CodeBetter,
		"better: +1.000 (95% CI +0.360..+1.000), exact p=0.05, 1 paired task, 6 trials")
	check("a p above alpha by one part in a thousand", b("000"), c("111"), rule(improve, alpha("0.04995")), gate.Indecisive, gate.CodeDesignTooSmall,
		"even a perfect result could only reach p=0.05 (alpha 0.04995): need at least 2 tasks at 3 trials in each arm, or 4 trials in each arm on 1 task")
	check("a margin that the gain equals", b("000 0"), c("111 0"), rule(improve, margin("0.5")), gate.Accepted, gate.CodeBetter, "")
	check("a margin just above", b("000 0"), c("111 0"), rule(improve, margin("0.500000000000000000001")), gate.Rejected, gate.CodeBelowMinEffect,
		"really better, and by less than the 0.500000000000000000001 that was asked for: +0.500 (95% CI -0.228..+1.000), exact p=0.05, 2 paired tasks, 8 trials")
	check("a design that cannot, though all got worse", b("1 1 1 1"), c("0 0 0 0"), improve, gate.Indecisive, gate.CodeDesignTooSmall, "")
	check("worse", b("111"), c("000"), improve, gate.Rejected, gate.CodeWorse,
		"worse: -1.000 (95% CI -1.000..-0.360), exact p=0.05, 1 paired task, 6 trials")
	check("nothing differs", b("111 0h1"), c("111 01h"), improve, gate.Rejected, gate.CodeNoChange,
		"no task's outcome differed between the arms (2 paired tasks, 12 trials)")
	check("better and worse cancel: not no_change", b("111 000"), c("000 111"), improve, gate.Rejected, gate.CodeNotShown, "")
	check("only one task changed", b("0 1 1 1 1"), c("1 1 1 1 1"), improve, gate.Indecisive, gate.CodeNotAttainable,
		"only 1 task changed, and however their outcomes were shared out, p could not fall below 0.50 (alpha 0.05): add tasks or trials")
	check("the mirror image is no reason for not_attainable", b("1 1 1 1 1"), c("0 1 1 1 1"), improve, gate.Rejected, gate.CodeNotShown, "")
	check("a gain within noise", b("00011 00111"), c("00111 01111"), improve, gate.Rejected, gate.CodeNotShown,
		"not shown to be better: +0.200 (95% CI -0.225..+0.625), exact p=0.33, 2 paired tasks, 20 trials; this run finds a gain of 0.539 four times in five; about 37 trials a task in each arm would resolve a difference of 0.200")
	check("no gain", b("00111"), c("00011"), improve, gate.Rejected, gate.CodeNotShown,
		"not shown to be better: -0.200 (95% CI -0.813..+0.413), exact p=0.90, 1 paired task, 10 trials; this run finds a gain of 0.778 four times in five")

	// no-regression.
	check("regression", b("11111 11111"), c("00000 11111"), noRegression, gate.Rejected, gate.CodeRegression,
		"worse: -0.500 (95% CI -0.807..-0.193), exact p=0.004, 2 paired tasks, 20 trials; shown to be worse by themselves: a")
	check("many small drops, no task of its own", b("1 1 1 1 1"), c("0 0 0 0 0"), noRegression, gate.Rejected, gate.CodeRegression,
		"worse: -1.000 (95% CI -1.000..-0.416), exact p=0.031, 5 paired tasks, 10 trials; no single task is shown to be worse by itself")
	check("a drop that equals the margin", b("11111 1"), c("00000 1"), rule(noRegression, margin("0.5")), gate.Rejected, gate.CodeRegression, "")
	check("within the margin", b("11111 1"), c("00000 1"), rule(noRegression, margin("0.51")), gate.Accepted, gate.CodeWithinMargin,
		"worse, and within the margin of 0.51: -0.500 (95% CI -1.000..+0.188), exact p=0.004, 2 paired tasks, 12 trials")
	check("one trial cannot say", b("1"), c("0"), noRegression, gate.Indecisive, gate.CodeDesignTooSmall,
		"even a perfect result could only reach p=0.50 (alpha 0.05): need at least 5 tasks at 1 trial in each arm, or 3 trials in each arm on 1 task")
	check("underpowered", b("101 011 110"), c("110 011 101"), rule(noRegression, func(r *gate.Rule) { r.MaxDetectableDrop = "0.1" }), gate.Indecisive, gate.CodeUnderpowered,
		"no drop is shown, and a drop of 0.1 would have been missed more than one time in five (this run finds 0.574 four times in five); about 99 trials a task in each arm would resolve a difference of 0.100")
	check("powered enough", b("101 011 110"), c("110 011 101"), rule(noRegression, func(r *gate.Rule) { r.MaxDetectableDrop = "1" }), gate.Accepted, gate.CodeNoRegressionDetected,
		"no regression detected: 0 (95% CI -0.453..+0.453), exact p=0.68, 3 paired tasks, 18 trials; this run finds a drop of 0.574 four times in five")
	check("better is no regression", b("000"), c("111"), noRegression, gate.Accepted, gate.CodeNoRegressionDetected, "")

	// non-inferior.
	check("wide margin", b("1011011011 1101101101"), c("1101101101 1011011011"), gate.NonInferior("0.4"), gate.Accepted, gate.CodeNonInferior,
		"not worse by 0.4 or more: the change is 0 (95% CI -0.292..+0.292), exact p=0.63, 2 paired tasks, 40 trials and, but for one time in 20, above -0.245")
	check("narrow margin", b("1011011011 1101101101"), c("1101101101 1011011011"), gate.NonInferior("0.05"), gate.Indecisive, gate.CodeNotShown,
		"a drop of 0.05 is not excluded: the change is 0 (95% CI -0.292..+0.292), exact p=0.63, 2 paired tasks, 40 trials, and may be as low as -0.245; about 550 trials a task in each arm would resolve a difference of 0.050")
	check("collapse", b("11111 11111"), c("00000 00000"), gate.NonInferior("0.1"), gate.Rejected, gate.CodeRegression, "")
	check("a significant drop inside the margin is not excluded", b("11111 11111 1"), c("00000 11111 1"), gate.NonInferior("0.5"), gate.Indecisive, gate.CodeNotShown, "")
	check("population, all equal", b("1 1 1 1 1 1 1 1"), c("1 1 1 1 1 1 1 1"), rule(gate.NonInferior("0.4"), population), gate.Accepted, gate.CodeNonInferior, "")
	check("population, few", b("1 1"), c("1 1"), rule(gate.NonInferior("0.4"), population), gate.Indecisive, gate.CodeNotShown, "")

	// Copies.
	check("copies, improve", copies(t, "b", "000 000"), copies(t, "c", "111 111"), improve, gate.Indecisive, gate.CodeIdenticalTrials,
		"the trials of a task look like copies of one another, so all there is is one outcome for each of 2 tasks, and even a perfect result could only reach p=0.25 (alpha 0.05): check that the agent gets its seed, say --trials-are independent, or run at least 5 tasks")
	check("copies, no-regression", copies(t, "b", "111"), copies(t, "c", "000"), noRegression, gate.Indecisive, gate.CodeIdenticalTrials, "")
	check("copies, non-inferior", copies(t, "b", "11111"), copies(t, "c", "00000"), gate.NonInferior("0.1"), gate.Indecisive, gate.CodeIdenticalTrials,
		"the trials of a task look like copies of one another, so how much they vary is not known: check that the agent gets its seed, or say --trials-are independent")
	check("copies, believed to be none", copies(t, "b", "000 000"), copies(t, "c", "111 111"), rule(improve, independent), gate.Accepted, gate.CodeBetter, "")
	check("copies of 5 tasks are 5 outcomes", copies(t, "b", "00 00 00 00 00"), copies(t, "c", "11 11 11 11 11"), improve, gate.Accepted, gate.CodeBetter, "")
	check("population takes a task as one outcome anyway", copies(t, "b", "00 00"), copies(t, "c", "11 11"), rule(improve, population), gate.Indecisive, gate.CodeDesignTooSmall,
		"even a perfect result could only reach p=0.25 (alpha 0.05): need at least 5 tasks")

	// The compatibility rules.
	check("one task moved: an exact tie", b("0 1 1"), c("1 1 1"), gate.PairedSE("1"), gate.Rejected, gate.CodeNotAboveRule,
		"+0.333 (95% CI -0.421..+1.000), exact p=0.50, 3 paired tasks, 6 trials does not meet the rule, which asks for a gain above 1 x the standard error of the deltas (this is an exact tie, which is none)")
	check("two moved", b("0 0 1"), c("1 1 1"), gate.PairedSE("1"), gate.Accepted, gate.CodeAboveRule,
		"+0.667 (95% CI -0.088..+1.000), exact p=0.25, 3 paired tasks, 6 trials meets the rule, which asks for a gain above 1 x the standard error of the deltas")
	check("k of 2", b("0 0 1"), c("1 1 1"), gate.PairedSE("2"), gate.Rejected, gate.CodeNotAboveRule, "")
	check("no spread", b("0 0"), c("1 1"), gate.PairedSE("5"), gate.Accepted, gate.CodeAboveRule, "")
	check("no spread, no gain", b("1 1"), c("1 1"), gate.PairedSE("0"), gate.Rejected, gate.CodeNotAboveRule, "")
	significant := rule(gate.Strict(), func(r *gate.Rule) { r.Name = gate.RuleSignificant })
	check("significant", b("0 0 0 1 0 0"), c("1 1 1 1 1 0"), significant, gate.Accepted, gate.CodeAboveRule, "")
	check("within the errors", b("0 1 0 1"), c("1 1 0 1"), significant, gate.Rejected, gate.CodeNotAboveRule,
		"+0.250 (95% CI -0.403..+0.903), exact p=0.50, 4 paired tasks, 8 trials does not meet the rule, which asks for a gain above 1 x the standard error of both rewards")
	check("one task has no error", b("0"), c("h"), significant, gate.Accepted, gate.CodeAboveRule, "")
	threshold := rule(gate.Strict(), func(r *gate.Rule) { r.Name = gate.RuleThreshold }, margin("0.5"))
	check("the threshold itself is not above it", b("0 1"), c("1 1"), threshold, gate.Rejected, gate.CodeNotAboveRule,
		"+0.500 (95% CI -0.424..+1.000), exact p=0.50, 2 paired tasks, 4 trials does not meet the rule, which asks for a gain above 0.5")
	check("above the threshold", b("0 1 0"), c("1 1 1"), threshold, gate.Accepted, gate.CodeAboveRule, "")
	check("strict", b("0 1 0 0"), c("h 1 0 0"), gate.Strict(), gate.Accepted, gate.CodeAboveRule,
		"+0.125 (95% CI -0.518..+0.768), exact p=0.50, 4 paired tasks, 8 trials meets the rule, which asks for any gain")
	check("strict, equal", b("0"), c("0"), gate.Strict(), gate.Rejected, gate.CodeNotAboveRule, "")
	tie := rule(gate.Strict(), func(r *gate.Rule) { r.Name = gate.RuleSimplicity })
	sized := func(baseline, candidate int64) gate.Rule {
		return rule(tie, func(r *gate.Rule) { r.BaselineSize, r.CandidateSize = &baseline, &candidate })
	}
	check("a tie without sizes", b("10 01"), c("01 10"), tie, gate.Rejected, gate.CodeNotAboveRule, "")
	check("a tie, smaller", b("10 01"), c("01 10"), sized(100, 99), gate.Accepted, gate.CodeSmaller,
		"an exact tie, and the candidate is smaller (99 bytes against 100)")
	check("a tie, as large", b("10 01"), c("01 10"), sized(100, 100), gate.Rejected, gate.CodeNotAboveRule,
		"an exact tie, and the candidate is not smaller (100 bytes against 100)")
	check("a gain, larger", b("10 01"), c("11 10"), sized(1, 1000), gate.Accepted, gate.CodeAboveRule, "")
	check("a loss, smaller", b("11 01"), c("01 10"), sized(1000, 0), gate.Rejected, gate.CodeNotAboveRule, "")
	check("guards hold for them too", b("0 0"), c("1 -"), gate.Strict(), gate.Indecisive, gate.CodeLowCoverage, "")
}
