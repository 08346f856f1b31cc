package reporter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/capeval/capeval/gate"
)

// SuiteDecision is the decision on one suite, arranged for a reader.
type SuiteDecision struct {
	Decision gate.Decision

	Changed  []gate.TaskDecision // paired tasks whose reward differs, the largest drop first, then by id
	Unpaired []gate.TaskDecision // tasks without a valid trial in one of the arms, by id
	Claimed  int                 // how many of Changed are shown to have changed by themselves
}

func arrangeDecision(d gate.Decision) SuiteDecision {
	s := SuiteDecision{Decision: d}
	for _, row := range d.PerTask {
		switch v, ok := row.Delta.Value(); {
		case !ok:
			s.Unpaired = append(s.Unpaired, row)
		case v != 0:
			s.Changed = append(s.Changed, row)
			if row.Claimed {
				s.Claimed++
			}
		}
	}
	slices.SortFunc(s.Changed, func(a, b gate.TaskDecision) int {
		x, _ := a.Delta.Value()
		y, _ := b.Delta.Value()
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Task, b.Task))
	})
	slices.SortFunc(s.Unpaired, func(a, b gate.TaskDecision) int { return cmp.Compare(a.Task, b.Task) })
	return s
}

// headline is the verdict on a suite in a sentence that needs no statistics. The
// name of the suite is in it, clean.
func headline(s SuiteDecision) string {
	d := s.Decision
	name := named(d.Suite)
	if d.Split != "val" {
		name += " (" + named(string(d.Split)) + ")"
	}
	said := strings.Replace(plainWords(d), "SUITE", name, 1)
	if d.Verdict == "" {
		return "compared, and nobody judged: " + name + ": " + comparedWords(d)
	}
	verdict := named(string(d.Verdict))
	if d.Verdict == gate.Indecisive {
		verdict += ", which is no failure of the change"
	}
	if scored := scores(d); scored != "" && tells(d.Code) {
		said += ": " + scored
	}
	if d.Verdict == gate.Accepted {
		said += fallen(s)
	}
	return verdict + ": " + said
}

// comparedWords tells a comparison that nobody judged.
func comparedWords(d gate.Decision) string {
	if _, ok := d.Delta.Value(); !ok {
		return "no task was measured in both arms"
	}
	s := scores(d) + ", a change of " + difference(d.Delta)
	if _, ok := d.CI.Low.Value(); ok {
		s += fmt.Sprintf(" (%s interval %s..%s, %s)", percent(d.CI.Level), difference(d.CI.Low), difference(d.CI.High), named(d.CI.Method))
	}
	return s + ", exact p " + chance(d.PTwoSided)
}

// fallen names the tasks that are shown to have got worse where the suite as a
// whole is accepted.
func fallen(s SuiteDecision) string {
	var ids []string
	for _, r := range s.Changed {
		if v, _ := r.Delta.Value(); v < 0 && r.Claimed {
			ids = append(ids, named(r.Task))
		}
	}
	if len(ids) == 0 {
		return ""
	}
	list := strings.Join(ids[:min(len(ids), 3)], ", ")
	if more := len(ids) - 3; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "; taken alone, " + list + " did get worse"
}

// plainWords says what a code means. SUITE stands for the suite's name.
func plainWords(d gate.Decision) string {
	switch d.Code {
	case gate.CodeBetter:
		return "SUITE got better"
	case gate.CodeBelowMinEffect:
		return "SUITE got better, and by less than was asked for"
	case gate.CodeWorse, gate.CodeRegression:
		return "SUITE got worse"
	case gate.CodeNoChange:
		return "no task of SUITE came out differently"
	case gate.CodeWithinMargin:
		return "SUITE got worse, and by no more than is allowed"
	case gate.CodeNoRegressionDetected:
		return "SUITE is not shown to have got worse"
	case gate.CodeNonInferior:
		return "SUITE did not get worse by more than is allowed"
	case gate.CodeNotShown:
		if d.Verdict == gate.Indecisive {
			return "SUITE may have got worse by more than is allowed"
		}
		return "SUITE is not shown to have got better"
	case gate.CodeAboveRule:
		return "SUITE meets the rule " + named(d.Rule)
	case gate.CodeNotAboveRule:
		return "SUITE does not meet the rule " + named(d.Rule)
	case gate.CodeSmaller:
		return "SUITE came out exactly alike, and the candidate is smaller"
	case gate.CodeGuard:
		return "SUITE goes beyond a limit: " + broken(d)
	case gate.CodeDesignTooSmall:
		return "SUITE is too small to tell, whatever had come out"
	case gate.CodeIdenticalTrials:
		return "the trials of SUITE look like copies of one another, and copies cannot tell"
	case gate.CodeNotAttainable:
		return "too few tasks of SUITE changed to tell"
	case gate.CodeUnderpowered:
		return "SUITE could have got worse without this run noticing"
	case gate.CodeEmptySuite:
		return "SUITE declares no task"
	case gate.CodeNoPairedTasks:
		return "no task of SUITE was measured in both arms"
	case gate.CodeLowCoverage, gate.CodeLowCellCoverage:
		return "too little of SUITE was measured"
	case gate.CodeUnequalAttrition:
		return "one arm lost more of SUITE than the other, and that could be all there is to the difference"
	case gate.CodeTestSplit:
		return "SUITE is sealed: the test split is compared in the finalize job alone"
	case gate.CodeDryRun:
		return "a dry run measured nothing of SUITE"
	case gate.CodeCached:
		return "answers of SUITE came from a cache and were not measured"
	case gate.CodeSubset:
		return "only a selection of SUITE ran"
	case gate.CodeMissingShard:
		return "only a shard of SUITE is there"
	case gate.CodeNotComparable:
		return "the arms did not measure the same SUITE"
	case gate.CodeMissingSuite:
		return "only one arm measured SUITE"
	}
	return "SUITE, " + named(d.Code)
}

// tells reports whether the two rewards belong into the sentence of a code.
func tells(code string) bool { return !gate.Guarded(code) && code != gate.CodeGuard }

func scores(d gate.Decision) string {
	if _, ok := d.Reward.Candidate.Value(); !ok {
		return ""
	}
	return "the candidate's mean reward is " + share(d.Reward.Candidate, 2) + ", the baseline's " + share(d.Reward.Baseline, 2)
}

// broken lists the limits that were.
func broken(d gate.Decision) string {
	var limits []string
	for _, g := range d.Guards {
		if g.Verdict == gate.Rejected {
			limits = append(limits, named(g.Limit))
		}
	}
	return strings.Join(limits, ", ")
}
