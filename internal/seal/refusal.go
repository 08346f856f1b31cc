// Package seal keeps the test split shut: it holds the texts with which the
// library refuses test tasks outside the one finalize job.
//
// A refusal names what happened, what to do, and what is no way out. It promises
// that nothing of a test task ran before it was made.
package seal

import (
	"fmt"
	"strings"
)

// refusal is a message with a fixed shape, so that it is recognised in any log.
type refusal struct {
	id    string
	what  string
	do    []string
	never string
}

func (r refusal) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "capeval: SEALED [%s]\n%s\n", r.id, r.what)
	for _, d := range r.do {
		fmt.Fprintf(&b, "Do: %s\n", d)
	}
	fmt.Fprintf(&b, "Not an option: %s", r.never)
	return b.String()
}

const (
	onVal      = "measure on val: `capeval-ci run --split val`"
	noVariable = "there is no variable that opens the test split; it is looked at once a release, in the finalize job."
)

// NoGrant refuses a task of the test split that was asked for by name.
func NoGrant(task string) string {
	return refusal{
		id:    "S01",
		what:  fmt.Sprintf("Task %q belongs to the sealed test split. This process is not the finalize job, so nothing of it was built or run.", task),
		do:    []string{onVal},
		never: noVariable,
	}.String()
}

// AskedFor refuses a request for the whole test split, which origin (a flag, a
// variable, a file) made.
func AskedFor(origin string) string {
	return refusal{
		id:    "S01",
		what:  origin + " asks for the sealed test split. This is not the finalize job, so nothing was built or run.",
		do:    []string{onVal},
		never: noVariable,
	}.String()
}

// OnlySealed refuses a selection that leaves nothing but n sealed tasks.
func OnlySealed(n int) string {
	return refusal{
		id:    "S02",
		what:  fmt.Sprintf("The selection leaves only sealed tasks (%d declared), and none of them ran. Nothing was measured; this is not a pass.", n),
		do:    []string{"change the filter or the focus, or use val"},
		never: "a filter cannot select sealed tasks: outside the finalize job they are not built.",
	}.String()
}

// DeadGrant refuses a process that carries a grant nobody answers for.
func DeadGrant() string {
	return refusal{
		id:    "S03",
		what:  "CAPEVAL_SEAL_GRANT is set, but no finalize job stands behind it: its job has ended, or it never was one.",
		do:    []string{"unset CAPEVAL_SEAL_GRANT, then " + onVal},
		never: "a grant cannot be copied: it dies with its job.",
	}.String()
}
