package ledger

// Kind says what a record is.
type Kind string

// The kinds of records. A finalize writes Reserved, Observed and Committed.
const (
	Genesis   Kind = "genesis"   // the first record, and only the first
	Policy    Kind = "policy"    // tasks that were seen as train or val
	Reserved  Kind = "reserved"  // an attempt claims a key; nothing was looked at
	Observed  Kind = "observed"  // written before the first test trial: a look
	Committed Kind = "committed" // the digest of the published result
	Aborted   Kind = "aborted"   // a reservation given back; nothing was looked at
	Salvaged  Kind = "salvaged"  // the result will be that of an unfinished look
	Relook    Kind = "relook"    // a reservation after a look, with its reason
)

// Version is the format of the records that this package writes and reads.
const Version = 1

// Record is one entry of the ledger. The zero value of a field means that the
// record does not say; which fields a kind needs and may have is checked by
// [Encode] and [Decode].
//
// The fields stand in the order of their JSON keys, which is the order of the
// bytes.
type Record struct {
	Attempt     string   `json:"attempt,omitempty"`
	Baseline    string   `json:"baseline,omitempty"`
	Candidate   string   `json:"candidate,omitempty"`
	FP          string   `json:"fp,omitempty"`
	Key         string   `json:"key,omitempty"`
	Kind        Kind     `json:"kind"`
	Ledger      string   `json:"ledger,omitempty"` // genesis: the ledger's name, drawn once
	Look        int      `json:"look,omitempty"`
	Nonce       string   `json:"nonce,omitempty"` // committed, salvaged: proves that it comes from the attempt
	NonceSHA256 string   `json:"nonce_sha256,omitempty"`
	Overlap     *Overlap `json:"overlap,omitempty"`
	Plan        *Plan    `json:"plan,omitempty"`
	Prev        string   `json:"prev,omitempty"` // "sha256:" of the bytes of the record before
	Reason      string   `json:"reason,omitempty"`
	Release     string   `json:"release,omitempty"`
	Result      *Result  `json:"result,omitempty"`
	Run         *Run     `json:"run,omitempty"`
	Scorer      string   `json:"scorer,omitempty"`
	Seq         int      `json:"seq"` // from 1
	Suite       string   `json:"suite,omitempty"`
	Supersedes  string   `json:"supersedes,omitempty"` // the attempt that this one fences off or looks behind
	Tasks       []Task   `json:"tasks,omitempty"`
	TasksSHA256 string   `json:"tasks_sha256,omitempty"`
	TS          string   `json:"ts"` // UTC, whole seconds, RFC 3339; no decision uses it
	V           int      `json:"v"`
}

// Plan is what an attempt will run, pinned before it looks.
type Plan struct {
	BaseSeed int64  `json:"base_seed"`
	SHA256   string `json:"sha256,omitempty"` // of the whole plan, where the caller has one
	Trials   int    `json:"trials"`
}

// Run says where an attempt runs. Two attempts are of one run when provider and
// run id are equal and not empty.
type Run struct {
	Actor      string `json:"actor,omitempty"`
	Provider   string `json:"provider,omitempty"`
	Ref        string `json:"ref,omitempty"`
	RunAttempt int    `json:"run_attempt,omitempty"`
	RunID      string `json:"run_id,omitempty"`
	SHA        string `json:"sha,omitempty"`
	URL        string `json:"url,omitempty"`
}

// Result names the published result of a look.
type Result struct {
	FinalSHA256 string   `json:"final_sha256"`         // of the bytes of final.json
	Status      string   `json:"status,omitempty"`     // as in final.json
	TestDelta   *float64 `json:"test_delta,omitempty"` // nil without a baseline
}

// Overlap counts the tasks of a split by whether a look held them before.
type Overlap struct {
	Fresh  int `json:"fresh"`
	Reused int `json:"reused"`
}
