package record

import "github.com/capeval/capeval/stats"

// ResultSchema names the form of result.json.
const ResultSchema = "capeval.result/v1"

// SplitResult is the honest summary of one suite's split under one arm:
// result.json. Undefined numbers are null; arrays are sorted by task, then by
// trial; the same records give the same bytes.
type SplitResult struct {
	Schema string `json:"schema"`
	Suite  string `json:"suite"`
	Split  Split  `json:"split"`
	Arm    string `json:"arm"`

	Reward          stats.Estimate `json:"reward"`           // mean over scored tasks of the mean over valid trials
	Stderr          stats.Estimate `json:"stderr"`           // combined, conservative
	StderrBetween   stats.Estimate `json:"stderr_between"`   // s/sqrt(n): tasks as a sample
	StderrWithin    stats.Estimate `json:"stderr_within"`    // these tasks, trials as a sample
	StderrClustered stats.Estimate `json:"stderr_clustered"` // undefined without clusters
	CI              Interval       `json:"ci"`

	NTasks       int            `json:"n_tasks"`
	NScored      int            `json:"n_scored"`
	Coverage     stats.Estimate `json:"coverage"` // n_scored / n_tasks
	NCells       int            `json:"n_cells"`
	NMissing     int            `json:"n_missing"`
	CellCoverage stats.Estimate `json:"cell_coverage"` // valid / declared cells
	Bounds       Bounds         `json:"bounds"`        // every missing cell at 0, at 1

	PassHatK      map[int]stats.Estimate `json:"pass_hat_k"` // a k above the smallest number of valid trials is absent
	PassAtK       map[int]stats.Estimate `json:"pass_at_k"`
	PassThreshold float64                `json:"pass_threshold"`

	ByCause      map[Cause]int `json:"by_cause"` // every non-empty cause, the agent's own included
	NCached      int           `json:"n_cached"` // scored cells whose output came from a cache
	Subset       bool          `json:"subset"`
	ScorerDigest string        `json:"scorer_digest"`
	Run          RunInfo       `json:"run"`
	Warnings     []Warning     `json:"warnings"`
	Totals       Totals        `json:"totals"`
	PerTask      []TaskResult  `json:"per_task"`
}

// Interval is a confidence interval. Low and High are undefined together.
type Interval struct {
	Level  float64        `json:"level"`
	Method string         `json:"method"`
	Low    stats.Estimate `json:"low"`
	High   stats.Estimate `json:"high"`
}

// Bounds hold the reward at the two extremes of what the missing cells could
// have been.
type Bounds struct {
	Low  stats.Estimate `json:"low"`
	High stats.Estimate `json:"high"`
}

// RunInfo is the part of run.json that travels with a result.
type RunInfo struct {
	ID       string `json:"id"`
	BaseSeed int64  `json:"base_seed"`
	Trials   int    `json:"trials"`
	Workers  int    `json:"workers"`
	Procs    int    `json:"procs"`
	Shard    *Shard `json:"shard"`
	Commit   string `json:"commit"`
	Dirty    bool   `json:"dirty"`
	Started  string `json:"started"`
	Ended    string `json:"ended"`
	Dry      bool   `json:"dry"`
}

// Warning is worth knowing and changes no number.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The codes of warnings in a result.
const (
	WarnIdenticalTrials = "identical_trials" // different seeds gave byte-identical outputs everywhere
	WarnUnequalTrials   = "unequal_trials"   // tasks have different numbers of valid trials
	WarnOneTrial        = "one_trial"        // one trial a task: no spread within a task can be seen
	WarnNotes           = "notes"            // trials carry notes: late answers, failing clean-up, ...
)

// Totals say what the run cost. They are sums over every attempt of every cell.
type Totals struct {
	Seconds float64 `json:"seconds"`
	CostUSD float64 `json:"cost_usd"`
	Tokens  float64 `json:"tokens"`
}

// TaskResult is one task's row. The slices have one entry for each of the
// NTrials cells that were planned here (not deselected, not another shard's),
// in order of trial; an entry that does not exist is null or "".
type TaskResult struct {
	Task          string           `json:"task"`
	Cluster       string           `json:"cluster"`
	Reward        stats.Estimate   `json:"reward"`
	Stderr        stats.Estimate   `json:"stderr"`
	NTrials       int              `json:"n_trials"`
	NValid        int              `json:"n_valid"`
	TrialRewards  []stats.Estimate `json:"trial_rewards"`
	Seeds         []int64          `json:"seeds"`
	Attempts      []int            `json:"attempts"` // the attempt that counts; 0 where none ever started
	Causes        []Cause          `json:"causes"`
	OutputDigests []string         `json:"output_digests"`
	Feedback      []string         `json:"feedback"`
	ContentDigest string           `json:"content_digest"`
}

// Summary returns r itself, so that a result can be handed to every matcher
// that takes a Summarizer.
func (r SplitResult) Summary() SplitResult { return r }
