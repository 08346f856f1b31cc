package agentexec

// The causes a command can end with, from the closed list of records.
const (
	causeRunner       = "runner"
	causeInterrupted  = "interrupted"
	causeAgentError   = "agent_error"
	causeAgentTimeout = "agent_timeout"
)

// Failure says why a command gave no answer, and whose fault that is.
type Failure struct {
	cause   string
	message string
	err     error
}

// Error returns one line: what happened, and the last line of stderr if any.
func (f *Failure) Error() string { return f.message }

// Cause returns the cause to record: runner, interrupted, agent_error or
// agent_timeout, or what the context's own cause says.
func (f *Failure) Cause() string { return f.cause }

// Unwrap returns the error below, or nil when the command ended by itself.
func (f *Failure) Unwrap() error { return f.err }
