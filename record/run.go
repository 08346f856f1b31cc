package record

// RunSchema names the form of run.json.
const RunSchema = "capeval.run/v1"

// Run is what was planned before the first trial: run.json. The denominator of
// every number comes from here, never from what came back.
type Run struct {
	Schema   string `json:"schema"`
	ID       string `json:"id"`
	Suite    string `json:"suite"`
	Package  string `json:"package"` // import path, or the folder where it is not known
	Split    Split  `json:"split"`
	Arm      string `json:"arm"`
	BaseSeed int64  `json:"base_seed"`
	Trials   int    `json:"trials"` // trials a task, where a task does not say otherwise
	Workers  int    `json:"workers"`
	Procs    int    `json:"procs"`
	Shard    *Shard `json:"shard"` // null when the run is whole
	Attempt  int    `json:"attempt"`

	// Subset says that a selection (focus, filter, pending) was in force, so
	// that the run speaks only of what it selected.
	Subset bool `json:"subset"`
	// Plan holds every task of the split as declared, sorted by id.
	Plan []PlanTask `json:"plan"`
	// Sealed counts the test-split tasks that were declared and not built.
	Sealed int `json:"sealed"`

	PassThreshold float64 `json:"pass_threshold"`
	ScorerDigest  string  `json:"scorer_digest"`
	Git           Git     `json:"git"`
	Versions      Version `json:"versions"`
	Started       string  `json:"started"` // RFC 3339, UTC
	Ended         string  `json:"ended"`   // "" while running
	Stopped       string  `json:"stopped"` // why trials stopped being started: "", "budget", "interrupted", ...
	Dry           bool    `json:"dry"`
}

// PlanTask is one declared task: its cells are trials 0 to Trials-1.
type PlanTask struct {
	Task          string `json:"task"`
	Trials        int    `json:"trials"`
	Cluster       string `json:"cluster,omitempty"`
	ContentDigest string `json:"content_digest"`
	Location      string `json:"location,omitempty"` // file:line below the module
	// Deselected lists the trials that a selection left out, ascending. They
	// stay in the plan and outside n_cells.
	Deselected []int `json:"deselected,omitempty"`
	// Elsewhere lists the trials that belong to other shards, ascending. In the
	// result of this shard they are absent.
	Elsewhere []int `json:"elsewhere,omitempty"`
}

// Shard is one of Count parts of a run. Index counts from 1.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Git is the state of the user's checkout. Commit is "" outside a repository.
type Git struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"`
}

// Version names the software that ran.
type Version struct {
	Capeval string `json:"capeval"`
	Go      string `json:"go"`
	Ginkgo  string `json:"ginkgo"`
}
