package gate

import (
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// Outcome is one of three.
type Outcome string

// Indecisive is neither a pass nor a failure: the data cannot tell.
const (
	Accepted   Outcome = "accepted"
	Rejected   Outcome = "rejected"
	Indecisive Outcome = "indecisive"
)

// The codes of verdicts. The first group are guards, which come before any test.
const (
	CodeTestSplit     = "test_split"
	CodeDryRun        = "dry_run"
	CodeCached        = "cached"
	CodeSubset        = "subset"
	CodeMissingShard  = "missing_shard"
	CodeNotComparable = "not_comparable"

	CodeEmptySuite       = "empty_suite"
	CodeNoPairedTasks    = "no_paired_tasks"
	CodeLowCoverage      = "low_coverage"
	CodeLowCellCoverage  = "low_cell_coverage"
	CodeUnequalAttrition = "unequal_attrition"
	CodeDesignTooSmall   = "design_too_small"
	CodeIdenticalTrials  = "identical_trials"
	CodeNotAttainable    = "not_attainable"
	CodeUnderpowered     = "underpowered"

	CodeBetter               = "better"
	CodeBelowMinEffect       = "below_min_effect"
	CodeWorse                = "worse"
	CodeNoChange             = "no_change"
	CodeNotShown             = "not_shown"
	CodeRegression           = "regression"
	CodeWithinMargin         = "within_margin"
	CodeNoRegressionDetected = "no_regression_detected"
	CodeNonInferior          = "non_inferior"
	CodeAboveRule            = "above_rule"     // a compatibility rule is met
	CodeNotAboveRule         = "not_above_rule" // a compatibility rule is not met
	CodeSmaller              = "smaller"        // an exact tie, and the candidate is smaller
	CodeGuard                = "guard"          // a metric is wholly beyond its limit
	CodeMissingSuite         = "missing_suite"  // a suite is in one arm only
)

// Guarded reports whether a code is that of a guard that fired before any test:
// its exit code is its own, and `--indecisive pass` does not reach it.
func Guarded(code string) bool {
	switch code {
	case CodeTestSplit, CodeDryRun, CodeCached, CodeSubset, CodeMissingShard, CodeNotComparable, CodeMissingSuite,
		CodeEmptySuite, CodeNoPairedTasks, CodeLowCoverage, CodeLowCellCoverage, CodeUnequalAttrition:
		return true
	}
	return false
}

// Exit returns the exit code that a verdict of this code owes its caller.
func Exit(o Outcome, code string) int {
	switch code {
	case CodeTestSplit:
		return 4
	case CodeDryRun, CodeCached:
		return 5
	case CodeMissingShard:
		return 6
	}
	switch o {
	case Accepted:
		return 0
	case Rejected:
		return 1
	}
	return 3
}

// Decision is the verdict on one suite. Numbers that do not exist are null.
type Decision struct {
	Suite   string       `json:"suite"`
	Split   record.Split `json:"split"`
	Rule    string       `json:"rule"`
	Scope   string       `json:"scope"`
	Alpha   string       `json:"alpha"`
	Verdict Outcome      `json:"verdict"`
	Code    string       `json:"code"`
	Message string       `json:"message"`

	NTasks       int            `json:"n_tasks"`  // declared in either arm
	NPaired      int            `json:"n_paired"` // with a valid trial in both
	Coverage     stats.Estimate `json:"coverage"`
	CellCoverage Arms           `json:"cell_coverage"`

	Reward        Arms            `json:"reward"` // mean over paired tasks
	Delta         stats.Estimate  `json:"delta"`  // candidate less baseline, mean over paired tasks
	DeltaFraction *string         `json:"delta_fraction"`
	CI            record.Interval `json:"ci"`

	PBetter         stats.Estimate `json:"p_better"`
	PWorse          stats.Estimate `json:"p_worse"`
	PTwoSided       stats.Estimate `json:"p_two_sided"`
	PMinDesign      stats.Estimate `json:"p_min_design"`
	PMinConditional stats.Estimate `json:"p_min_conditional"`
	// PPopulation is the one-sided p in population scope, in the direction that
	// the rule asks about: will it hold on new tasks like these?
	PPopulation stats.Estimate `json:"p_population"`
	// PExact is the p of the rule's direction as a fraction, where asked for.
	PExact *string        `json:"p_exact,omitempty"`
	MDE80  stats.Estimate `json:"mde80"` // what this run would find four times in five
	// Bounds are the extremes of the delta over all declared tasks, with missing
	// cells at 0 and at 1. A task that is not paired can put the delta outside.
	Bounds record.Bounds `json:"bounds"`
	// Fragile says that the missing cells could turn the sign of the delta.
	Fragile bool `json:"fragile"`

	Improved      []string         `json:"improved"`
	Regressed     []string         `json:"regressed"`
	Unchanged     int              `json:"unchanged"`
	OnlyBaseline  []string         `json:"only_baseline"`
	OnlyCandidate []string         `json:"only_candidate"`
	Guards        []LimitResult    `json:"guards"`
	Adaptive      *Adaptive        `json:"adaptive,omitempty"` // where the run could stop early
	Warnings      []record.Warning `json:"warnings"`
	PerTask       []TaskDecision   `json:"per_task"`
}

// Arms holds one number for each arm.
type Arms struct {
	Baseline  stats.Estimate `json:"baseline"`
	Candidate stats.Estimate `json:"candidate"`
}

// TaskDecision is one declared task in both arms.
type TaskDecision struct {
	Task      string         `json:"task"`
	Baseline  stats.Estimate `json:"baseline"`
	Candidate stats.Estimate `json:"candidate"`
	Delta     stats.Estimate `json:"delta"`
	Stderr    stats.Estimate `json:"stderr"` // of the delta; undefined below two valid trials in an arm
	P         stats.Estimate `json:"p"`      // exact, two-sided, of this task alone
	// Claimed says that the task may be named as changed: its p holds at alpha
	// after Holm's correction for all paired tasks. A task that moved inside its
	// own noise is not.
	Claimed    bool `json:"claimed"`
	NBaseline  int  `json:"n_baseline"`
	NCandidate int  `json:"n_candidate"`
}

// The codes of warnings in a decision.
const (
	WarnDrift         = "drift"          // the arms did not run together
	WarnCounts        = "unequal_counts" // a task has over three times the trials in one arm
	WarnAttrition     = "attrition"      // one arm lost more cells, without effect on the verdict
	WarnMissing       = "missing"        // cells are missing
	WarnIdentical     = "identical_trials"
	WarnSEZero        = "se_zero"
	WarnCompatibility = "compatibility" // what the rule does when nothing changed
	WarnNoDigest      = "no_digest"     // whether the same tasks were measured is not known
	WarnFragile       = "fragile"
	WarnAdaptive      = "adaptive" // the run looked on the way and could stop
)
