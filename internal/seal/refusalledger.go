package seal

import (
	"cmp"
	"fmt"
)

// Holder says who wrote a record, as the ledger has it. Fields may be "".
type Holder struct {
	Attempt string
	RunURL  string
	Time    string // as the record has it
	Look    int    // 0 where none happened
	Seq     int    // the record's number
}

// Held (S06) refuses a key that another attempt has reserved.
func Held(key string, h Holder) Refusal {
	return Refusal{
		ID: "S06", Exit: exitSealed,
		What: fmt.Sprintf("Attempt %s%s holds the reservation for %s. Nothing has been observed.", h.Attempt, where(h.RunURL, h.Time), key),
		Do: []string{
			"wait for it",
			fmt.Sprintf("if it is dead: `capeval-ci finalize --supersede %s`; safe, the old job is fenced off", h.Attempt),
		},
		Never: "two jobs cannot look: the first reservation wins.",
	}
}

// Looked (S07) refuses a key that was observed and not committed. artifact names
// where that job left its files, "" when unknown.
func Looked(h Holder, artifact string) Refusal {
	finished := "a finished result"
	if artifact != "" {
		finished += " in artifact " + artifact
	}
	return Refusal{
		ID: "S07", Exit: exitSealed,
		What: fmt.Sprintf("Test was already LOOKED AT by attempt %s%s and no result was committed. Scoring again would make the headline a second look.",
			h.Attempt, where(h.RunURL, fmt.Sprintf("look #%d", h.Look))),
		Do: []string{
			finished + ": `capeval-ci seal commit --from DIR` (no new trial)",
			"a partial one: `capeval-ci finalize --salvage DIR` (missing trials stay missing)",
			"a deliberate second look: `--relook-reason '...'`; published in the ledger, final.json, summary and attestation",
		},
		Never: noReset,
	}
}

// Committed (S08) refuses a key that was finalized. delta is the test delta as
// text, "" without a baseline; result is where the result can be read.
func Committed(key string, h Holder, delta, final, result string) Refusal {
	what := fmt.Sprintf("%s was finalized by attempt %s%s:", key, h.Attempt, where("", h.Time))
	if delta != "" {
		what += fmt.Sprintf(" test_delta %s,", delta)
	}
	what += fmt.Sprintf(" final.json %s, ledger record #%d.", final, h.Seq)
	return Refusal{
		ID: "S08", Exit: exitSealed, What: what,
		Do:    []string{"read that result: " + cmp.Or(result, cmp.Or(h.RunURL, "final.json of that release")), fmt.Sprintf("a new release gets its own look and is disclosed as look #%d", h.Look+1)},
		Never: noReset,
	}
}

// LedgerMissing (S09) refuses when the pinned ledger is not there.
func LedgerMissing(id, genesis, ref, remote string) Refusal {
	return Refusal{
		ID: "S09", Exit: exitIntegrity,
		What:  fmt.Sprintf("capeval.yaml pins ledger %s (genesis %s), but %s does not exist on %s.", cmp.Or(id, "(unnamed)"), genesis, ref, remote),
		Do:    []string{fmt.Sprintf("restore it from any clone: `git push %s <sha>:%s`; an earlier final.json names the head", remote, ref)},
		Never: "it is never re-created silently: a new ledger would forget every look.",
	}
}

// LedgerRewound (S10) refuses a ledger that ends before a checkpoint, or does
// not hold what it saw.
func LedgerRewound(ends, checkpoint int, at, head, ref string) Refusal {
	return Refusal{
		ID: "S10", Exit: exitIntegrity,
		What:  fmt.Sprintf("The ledger ends at #%d; the checkpoint%s says #%d (%s), which is not among its records.", ends, ofDate(at), checkpoint, head),
		Do:    []string{fmt.Sprintf("someone rewrote %s: restore %s; see `capeval-ci seal verify`", ref, head)},
		Never: "a shorter ledger is not accepted: it has forgotten a look.",
	}
}

func ofDate(at string) string {
	if at == "" {
		return ""
	}
	return " of " + at
}

// LedgerCorrupt (S11) refuses a chain with a record that is no append.
func LedgerCorrupt(seq int, id, reason, good string) Refusal {
	return Refusal{
		ID: "S11", Exit: exitIntegrity,
		What:  fmt.Sprintf("Record #%d (%s) is not an append: %s.", seq, cmp.Or(id, "no id"), reason),
		Do:    []string{"remove it with an administrator; the last good head is " + cmp.Or(good, "unknown")},
		Never: "a ledger that was changed by hand proves nothing.",
	}
}

// LedgerUnreachable (S12) refuses when the ledger cannot be read; said is the
// last thing that the store said.
func LedgerUnreachable(remote, said string) Refusal {
	return Refusal{
		ID: "S12", Exit: exitInfra,
		What:  fmt.Sprintf("Cannot read the ledger from %s: %s. No test trial was run.", remote, said),
		Do:    []string{"try again; nothing was burned"},
		Never: "without the ledger nobody knows how often test was looked at.",
	}
}

// LedgerRefused (S13) refuses when a record cannot be written.
func LedgerRefused(remote, ref, said string) Refusal {
	return Refusal{
		ID: "S13", Exit: exitInfra,
		What:  fmt.Sprintf("%s refused the record: %s. No test trial was run.", remote, said),
		Do:    []string{fmt.Sprintf("give the job `permissions: contents: write`, or allow %s in the ruleset", ref)},
		Never: "pull requests from forks cannot finalize, by design.",
	}
}

// Unrecorded (S13) refuses every trial after the look could not be recorded: err
// is what the attempt to record it said.
func Unrecorded(err error) Refusal {
	return Refusal{
		ID: "S13", Exit: exitInfra,
		What:  fmt.Sprintf("The look could not be recorded on the ledger: %v. No test trial was run.", err),
		Do:    []string{"mend what it says; then " + again},
		Never: "a look that is not on the ledger is not taken.",
	}
}

// Unjournaled (S13) refuses every further trial after the journal of grants could
// not be written. looked says whether the look is on the ledger already.
func Unjournaled(err error, looked bool) Refusal {
	r := Refusal{
		ID: "S13", Exit: exitInfra,
		What:  fmt.Sprintf("%v. No test trial was run.", err),
		Do:    []string{"make room on the disk; then " + again},
		Never: "a grant that is not journaled cannot be told from a forged one.",
	}
	if looked {
		r.Exit = exitLooked
		r.What = fmt.Sprintf("%v. The look is on the ledger; no further test trial is run.", err)
		r.Do = []string{"make room on the disk", "`capeval-ci finalize --salvage DIR` (missing trials stay missing)"}
	}
	return r
}

// Contention (S14) refuses after others wrote first again and again.
func Contention(writers, times int) Refusal {
	return Refusal{
		ID: "S14", Exit: exitInfra,
		What:  fmt.Sprintf("%d other writers got in first %d times. No test trial was run.", writers, times),
		Do:    []string{"try again"},
		Never: "the ledger has one writer at a time.",
	}
}

// Uncommitted (S15) says that the commit record could not be stored after the
// look, and that dir holds the result.
func Uncommitted(look int, reason, dir string) Refusal {
	return Refusal{
		ID: "S15", Exit: exitLooked,
		What:  fmt.Sprintf("Test was scored (look #%d) and final.json written, but the commit record could not be stored: %s.", look, reason),
		Do:    []string{"keep " + dir, "run `capeval-ci seal commit --from " + dir + "`"},
		Never: "do NOT run finalize again: it would be another look.",
	}
}
