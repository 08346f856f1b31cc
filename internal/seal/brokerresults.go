package seal

import (
	"encoding/json"
	"slices"

	"github.com/capeval/capeval/record"
)

// ReceiptKey is the key of a trial's record that holds its receipt.
const ReceiptKey = "receipt"

// Results says which trials of a sealed run count.
type Results struct {
	// Kept are the scored trials whose receipt the journal holds, and those that
	// are missing, which claim nothing.
	Kept []record.Trial
	// Unproven are scored trials that nobody granted: they count for nothing, and
	// somebody made them.
	Unproven []record.Trial
	// Lost are the trials that were granted and left no record with their receipt:
	// missing data, never a 0.
	Lost []Slot
}

// Results sifts the trials of one suite in one role, which is their arm. A
// receipt is good for one record: a second record with it is unproven.
func (g Grants) Results(role Role, suite string, trials []record.Trial) Results {
	var r Results
	proven := map[Slot]bool{}
	for _, t := range trials {
		s := Slot{Role(t.Arm), t.Suite, t.Task, t.Trial}
		ok := s.Role == role && s.Suite == suite && t.Split == record.Test && !proven[s] && g.Accepts(s, receiptOf(t))
		if ok {
			proven[s] = true
		}
		if ok || t.Status == record.Missing {
			r.Kept = append(r.Kept, t)
		} else {
			r.Unproven = append(r.Unproven, t)
		}
	}
	for _, s := range g.Granted() {
		if s.Role == role && s.Suite == suite && !proven[s] {
			r.Lost = append(r.Lost, s)
		}
	}
	slices.SortFunc(r.Lost, Slot.compare)
	return r
}

func receiptOf(t record.Trial) string {
	var receipt string
	_ = json.Unmarshal(t.Extra[ReceiptKey], &receipt) // none is ""
	return receipt
}
