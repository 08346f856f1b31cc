package record

// StartSchema names the form of a start mark.
const StartSchema = "capeval.start/v1"

// Start marks the beginning of one attempt in a journal. A start without the
// trial that ends it is a trial that was in flight when its process died:
// missing, interrupted.
type Start struct {
	Schema  string `json:"schema"`
	Run     string `json:"run,omitempty"`
	Suite   string `json:"suite,omitempty"` // "" means that of the trials around it
	Split   Split  `json:"split,omitempty"`
	Arm     string `json:"arm,omitempty"`
	Task    string `json:"task"`
	Trial   int    `json:"trial"`   // counts from 0
	Attempt int    `json:"attempt"` // counts from 1
	Seed    int64  `json:"seed"`
	Started string `json:"started"` // RFC 3339, UTC
}

// interrupted returns the trial that a start without an end stands for.
func (s Start) interrupted() Trial {
	return Trial{
		Schema: TrialSchema, Run: s.Run, Suite: s.Suite, Split: s.Split, Arm: s.Arm,
		Task: s.Task, Trial: s.Trial, Attempt: s.Attempt, Seed: s.Seed, Started: s.Started,
		Status: Missing, Cause: CauseInterrupted, Message: "started and never ended",
	}
}

// under fills in the suite, split and arm that s leaves open.
func (s *Start) under(k Key) {
	if s.Suite == "" {
		s.Suite = k.Suite
	}
	if s.Split == "" {
		s.Split = k.Split
	}
	if s.Arm == "" {
		s.Arm = k.Arm
	}
}
