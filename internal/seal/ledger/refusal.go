package ledger

import "fmt"

// Refusal says that the ledger does not allow an act, under the number by which
// the seal's texts know it, with the fields they need. Nothing was looked at by
// the act that was refused.
//
//	S03  Attempt's job has ended, or it never reserved; Phase
//	S04  the tasks are not those that Attempt reserved; Want, Got, Task
//	S05  Role, Task and Trial were granted once already
//	S06  Attempt holds the reservation; Run, Time, Seq
//	S07  Attempt looked and committed nothing; Run, Time, Look, Seq
//	S08  Attempt committed; Run, Time, Look, Digest, Delta, Seq
//	S19  the split was looked at Looks times, and Max are allowed
//	S20  What was pinned as Want, and is Got
type Refusal struct {
	ID      string
	Key     Key
	Attempt string
	Run     Run
	Time    string // of the record, as it has it
	Seq     int
	Look    int
	Phase   Phase

	Digest string   // of final.json
	Delta  *float64 // nil without a baseline

	Looks, Max      int
	Role, Task      string
	Trial           int
	What, Want, Got string
}

// Error says what happened, in one sentence or two.
func (r *Refusal) Error() string {
	return r.ID + ": " + r.what()
}

func (r *Refusal) what() string {
	switch r.ID {
	case "S03":
		state := r.Phase
		if state == Free {
			state = "no reservation"
		}
		return fmt.Sprintf("attempt %s does not hold what it needs of %s (ledger: %s)", r.Attempt, r.Key, state)
	case "S04":
		return fmt.Sprintf("the test split has %s, attempt %s reserved %s; the first difference is task %q", r.Got, r.Attempt, r.Want, r.Task)
	case "S05":
		return fmt.Sprintf("trial %s/%s/%d was already granted once in this finalize", r.Role, r.Task, r.Trial)
	case "S06":
		return fmt.Sprintf("attempt %s%s holds the reservation for %s; nothing has been observed", r.Attempt, r.where(), r.Key)
	case "S07":
		return fmt.Sprintf("test was already looked at by attempt %s%s, look #%d, and no result was committed", r.Attempt, r.where(), r.Look)
	case "S08":
		delta := ""
		if r.Delta != nil {
			delta = fmt.Sprintf(": test_delta %g", *r.Delta)
		}
		return fmt.Sprintf("%s was finalized by attempt %s%s%s, final.json %s, ledger record #%d", r.Key, r.Attempt, r.where(), delta, r.Digest, r.Seq)
	case "S19":
		return fmt.Sprintf("this test split has been looked at %d times; looks.max is %d", r.Looks, r.Max)
	}
	return fmt.Sprintf("attempt %s pinned %s %q, found %q", r.Attempt, r.What, r.Want, r.Got)
}

func (r *Refusal) where() string {
	if r.Run.URL == "" {
		return " (" + r.Time + ")"
	}
	return fmt.Sprintf(" (run %s, %s)", r.Run.URL, r.Time)
}

// refuse says who was first.
func refuse(st State) *Refusal {
	e, r := st.Reserved, &Refusal{ID: "S06", Phase: st.Phase}
	switch st.Phase {
	case HeldObserved:
		e, r.ID = st.Observed, "S07"
	case Closed:
		e, r.ID = st.Committed, "S08"
		r.Digest, r.Delta = e.Record.Result.FinalSHA256, e.Record.Result.TestDelta
	}
	rec := &e.Record
	r.Key, r.Attempt, r.Time, r.Seq, r.Look = rec.key(), rec.Attempt, rec.TS, rec.Seq, rec.Look
	if st.Phase == Closed {
		r.Look = st.Observed.Record.Look
	}
	if rec.Run != nil {
		r.Run = *rec.Run
	}
	return r
}
