package record

import "github.com/capeval/capeval/stats"

// FinalSchema names the form of final.json.
const FinalSchema = "capeval.final/v1"

// Final is one published look at the held-out split of a suite: final.json.
// Where there was no baseline, TestBaseline, BaselineID and Comparison are null
// and TestDelta is undefined.
type Final struct {
	Schema string `json:"schema"`
	Suite  string `json:"suite"`

	Test         SplitResult      `json:"test"`
	TestBaseline *SplitResult     `json:"test_baseline"`
	BaselineID   *string          `json:"baseline_id"`
	TestDelta    stats.Estimate   `json:"test_delta"` // candidate less baseline, mean over paired tasks
	Comparison   *FinalComparison `json:"comparison"`
	Status       FinalStatus      `json:"status"`

	Seal      FinalSeal   `json:"seal"`
	Ledger    FinalLedger `json:"ledger"`
	Candidate Source      `json:"candidate"`
	Baseline  *Source     `json:"baseline"`
	Scorer    string      `json:"scorer"` // digest of the scoring code
	Plan      FinalPlan   `json:"plan"`
	Git       Git         `json:"git"`
	Run       CIRun       `json:"run"`
}

// FinalStatus says how a look came to its numbers.
type FinalStatus string

// The ways in which a look ends.
const (
	FinalComplete FinalStatus = "complete"
	// FinalSalvaged is what a job left that died after the look: trials that it
	// did not come to are missing.
	FinalSalvaged FinalStatus = "salvaged"
	// FinalEqual is a candidate that is the baseline: one evaluation, delta 0.
	FinalEqual FinalStatus = "equal-by-construction"
)

// FinalComparison is the evidence behind TestDelta.
type FinalComparison struct {
	CI Interval `json:"ci"` // of the delta
	// CILook is the interval at alpha/(n(n+1)), n the number of the look: what is
	// left of alpha after n-1 looks at the same tasks.
	CILook    Interval       `json:"ci_look"`
	NPaired   int            `json:"n_paired"`
	PBetter   stats.Estimate `json:"p_better"`    // exact, one-sided
	PWorse    stats.Estimate `json:"p_worse"`     // exact, one-sided
	PTwoSided stats.Estimate `json:"p_two_sided"` // exact
	PExact    *string        `json:"p_exact"`     // p_two_sided as a fraction, where it was asked for
	// Verdict and Code are "" where finalize publishes and judges nothing.
	Verdict string `json:"verdict"`
	Code    string `json:"code"`
	Rule    string `json:"rule"`
}

// FinalSeal is what the seal says about this look.
type FinalSeal struct {
	Key         string `json:"key"`
	Fingerprint string `json:"fp"`
	Release     string `json:"release"`
	Attempt     string `json:"attempt"`
	Nonce       string `json:"nonce"`
	Look
	Overrides []Override `json:"overrides"`
	Salvaged  bool       `json:"salvaged"`
}

// Look counts how often the tasks of a held-out split were observed before.
type Look struct {
	Number        int        `json:"look"` // 1 is the first
	ByTask        TaskLooks  `json:"looks_by_task"`
	Edited        []string   `json:"tasks_edited"`
	Added         []string   `json:"tasks_added"`
	Removed       []string   `json:"tasks_removed"`
	RenamedFrom   *string    `json:"renamed_from"` // the suite's name at the last look, where it had another
	ScorerChanged bool       `json:"scorer_changed"`
	Previous      []PastLook `json:"previous"`     // oldest first
	Contaminated  []string   `json:"contaminated"` // ids that were seen as train or val
}

// TaskLooks says how many tasks were observed before.
type TaskLooks struct {
	Fresh  int     `json:"fresh"`
	Reused int     `json:"reused"`
	Max    int     `json:"max"`  // earlier looks at the most observed task
	Mean   float64 `json:"mean"` // earlier looks a task
}

// PastLook is an earlier observation of the same tasks.
type PastLook struct {
	Suite   string `json:"suite"`
	Release string `json:"release"`
	Attempt string `json:"attempt"`
	Time    string `json:"date"`
	Number  int    `json:"look"`
	Seq     int    `json:"seq"` // of its record
	// Result is the digest of that look's final.json, null where none was committed.
	Result *string `json:"result"`
}

// Override is a deliberate further look. There is no silent one.
type Override struct {
	Reason     string `json:"reason"`
	Actor      string `json:"actor"`
	RunURL     string `json:"run_url"`
	ObservedBy string `json:"observed_by"` // the attempt that had looked before
}

// FinalLedger says where the look is recorded.
type FinalLedger struct {
	ID         string `json:"id"`
	Scope      string `json:"scope"` // remote, or local: a ledger that no other machine sees
	Ref        string `json:"ref"`
	Genesis    string `json:"genesis"`
	Born       string `json:"born"` // when genesis was written
	Reserved   string `json:"reserved"`
	Observed   string `json:"observed"`
	HeadBefore string `json:"head_before"`
	Seq        int    `json:"seq"`
}

// Source is the code or the folder that an arm was made of.
type Source struct {
	Commit string `json:"commit"`
	Ref    string `json:"ref"`
	Dir    string `json:"dir"`    // a folder within the commit, "" for all of it
	Digest string `json:"digest"` // of its content
}

// FinalPlan is what was reserved before the look.
type FinalPlan struct {
	Digest   string `json:"digest"`
	Trials   int    `json:"trials"`
	BaseSeed int64  `json:"base_seed"`
	NTasks   int    `json:"n_tasks"`
	NCells   int    `json:"n_cells"`
}

// CIRun is the job that did something. Its fields are "" outside a forge.
type CIRun struct {
	Provider string `json:"provider"`
	ID       string `json:"run_id"`
	Attempt  string `json:"run_attempt"`
	URL      string `json:"url"`
	Actor    string `json:"actor"`
	SHA      string `json:"sha"`
	Ref      string `json:"ref"`
}
