package record

import (
	"encoding/json"

	"github.com/capeval/capeval/stats"
)

// TrialSchema names the form of one line of trials.jsonl.
const TrialSchema = "capeval.trial/v1"

// Split says what a task may be used for.
type Split string

// The splits. Test is the held-out one: it runs in the sealed finalize job and
// nowhere else.
const (
	Train Split = "train"
	Val   Split = "val"
	Test  Split = "test"
)

// Valid reports whether s is one of the three splits.
func (s Split) Valid() bool { return s == Train || s == Val || s == Test }

// Status says whether a trial produced a measurement.
type Status string

// A trial is scored when it has a reward and missing when it has none.
const (
	Scored  Status = "scored"
	Missing Status = "missing"
)

// Cause says who is at fault for a failure. The list is closed.
type Cause string

// The causes of a missing trial: somebody else's fault.
const (
	CauseSetup         Cause = "setup"
	CauseRunner        Cause = "runner"
	CauseRateLimit     Cause = "rate_limit"
	CauseScorer        Cause = "scorer"
	CauseScorerTimeout Cause = "scorer_timeout"
	CauseInvalidScore  Cause = "invalid_score"
	CausePanic         Cause = "panic"
	CauseInterrupted   Cause = "interrupted"
	CauseSkipped       Cause = "skipped"
	CauseNotStarted    Cause = "not_started"
)

// The causes of a scored 0 that is the agent's own failure.
const (
	CauseExpectation  Cause = "expectation"
	CauseAgentError   Cause = "agent_error"
	CauseAgentTimeout Cause = "agent_timeout"
	CauseAgentLimit   Cause = "agent_limit"
)

// Missing reports whether c makes a trial missing.
func (c Cause) Missing() bool {
	switch c {
	case CauseSetup, CauseRunner, CauseRateLimit, CauseScorer, CauseScorerTimeout,
		CauseInvalidScore, CausePanic, CauseInterrupted, CauseSkipped, CauseNotStarted:
		return true
	}
	return false
}

// Agent reports whether c is the agent's own failure, a reward of 0.
func (c Cause) Agent() bool {
	switch c {
	case CauseExpectation, CauseAgentError, CauseAgentTimeout, CauseAgentLimit:
		return true
	}
	return false
}

// Cell is one task x trial of a run's plan.
type Cell struct {
	Task  string `json:"task"`
	Trial int    `json:"trial"` // counts from 0
}

// Trial is what one attempt at one cell left behind: a line of trials.jsonl.
type Trial struct {
	Schema  string `json:"schema"`
	Run     string `json:"run"`
	Suite   string `json:"suite"`
	Split   Split  `json:"split"`
	Arm     string `json:"arm"`
	Task    string `json:"task"`
	Trial   int    `json:"trial"`   // counts from 0
	Attempt int    `json:"attempt"` // counts from 1; 0 when the cell never started
	Seed    int64  `json:"seed"`    // base seed + trial

	Reward   stats.Estimate `json:"reward"` // in [0,1]; undefined when missing
	Status   Status         `json:"status"`
	Cause    Cause          `json:"cause"`
	Message  string         `json:"message"`  // why, for a reader
	Feedback string         `json:"feedback"` // what the scorer said
	Notes    []string       `json:"notes,omitempty"`

	Cluster       string `json:"cluster"`
	ContentDigest string `json:"content_digest"`
	OutputDigest  string `json:"output_digest"` // "" when the trial kept no output
	Cached        bool   `json:"cached"`

	Metrics map[string]float64 `json:"metrics"` // cost_usd, tokens and the user's own
	Units   map[string]string  `json:"units,omitempty"`
	Started string             `json:"started"` // RFC 3339, UTC; "" when unknown
	Seconds float64            `json:"seconds"`

	// Extra holds the keys that this form does not know, as they were written.
	Extra map[string]json.RawMessage `json:"-"`
}
