package seal

import (
	"cmp"
	"fmt"
	"strings"
)

// The exit codes that a refusal owes.
const (
	exitUsage     = 2 // nothing ran
	exitSealed    = 4 // this call ran no test trial
	exitIntegrity = 5 // numbers are not data
	exitInfra     = 6 // before any look: may be tried again
	exitLooked    = 7 // a look happened and no result was committed
)

// Refusal is a message with a fixed shape, so that it is recognised in any log.
// It is an error.
type Refusal struct {
	ID    string   `json:"id"`   // S01 to S24
	Exit  int      `json:"exit"` // the exit code that the command owes it
	What  string   `json:"what"`
	Lines []string `json:"lines,omitempty"` // evidence
	Do    []string `json:"do,omitempty"`
	Never string   `json:"never,omitempty"` // what is no way out, "" for nothing
}

// Error returns the whole message, several lines without a newline at the end.
func (r Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "capeval: %s [%s]\n%s\n", r.word(), r.ID, r.What)
	for _, l := range r.Lines {
		fmt.Fprintf(&b, "  %s\n", l)
	}
	for _, d := range r.Do {
		fmt.Fprintf(&b, "Do: %s\n", d)
	}
	if r.Never != "" {
		fmt.Fprintf(&b, "Not an option: %s\n", r.Never)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// word says in one what kind of refusal it is.
func (r Refusal) word() string {
	switch r.Exit {
	case exitUsage:
		return "USAGE"
	case exitIntegrity:
		return "INTEGRITY"
	case exitInfra:
		return "INFRASTRUCTURE"
	case exitLooked:
		return "LOOKED"
	}
	return "SEALED"
}

const (
	onVal      = "measure on val: `capeval-ci run --split val`"
	again      = "start finalize again; nothing was burned"
	noVariable = "there is no variable that opens the test split; it is looked at once a release, in the finalize job."
	noReset    = "no file, cache or variable resets this: the ledger remembers the look."
)

// where says in which CI run, and when, something was written.
func where(run, at string) string {
	switch {
	case run != "" && at != "":
		return fmt.Sprintf(" (run %s, %s)", run, at)
	case run+at != "":
		return fmt.Sprintf(" (%s)", cmp.Or(run, at))
	}
	return ""
}

// some lists at most ten of many.
func some(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
