package ledger

import "fmt"

// FinalSeal is the `seal` of final.json: which look the published result is.
type FinalSeal struct {
	Attempt   string     `json:"attempt"`
	FP        string     `json:"fp"`
	Key       string     `json:"key"`
	Nonce     string     `json:"nonce"`
	Overrides []Override `json:"overrides"`
	Release   string     `json:"release"`
	Salvaged  bool       `json:"salvaged"`
	Look
}

// FinalLedger is the `ledger` of final.json: where the look is written down.
type FinalLedger struct {
	Genesis    string `json:"genesis"`
	HeadBefore string `json:"head_before"` // before the reservation
	ID         string `json:"id"`          // the ledger's own name
	Observed   string `json:"observed"`
	Ref        string `json:"ref"` // "" where the store has none
	Reserved   string `json:"reserved"`
	Scope      string `json:"scope"`
	Seq        int    `json:"seq"` // of the observed record
}

// Final returns what final.json says of the look of attempt id, whose nonce it
// reveals, on a ledger that lies under ref. It is the same whatever was written
// after the look, but for the result of earlier ones and a salvage. It is an
// error when id has not looked.
func (s Snapshot) Final(id, nonce, ref string) (FinalSeal, FinalLedger, error) {
	var obs *Entry
	for i := range s.Entries {
		if r := &s.Entries[i].Record; r.Kind == Observed && r.Attempt == id {
			obs = &s.Entries[i]
		}
	}
	if obs == nil {
		return FinalSeal{}, FinalLedger{}, fmt.Errorf("ledger: attempt %q has looked at nothing", id)
	}
	r := &obs.Record
	if got := NonceSHA256(nonce); got != r.NonceSHA256 {
		return FinalSeal{}, FinalLedger{}, &Refusal{ID: "S20", Key: r.key(), Attempt: id, What: "nonce_sha256", Want: r.NonceSHA256, Got: got}
	}
	before, err := NewSnapshot(s.Entries[:r.Seq-1:r.Seq-1], s.Scope)
	if err != nil {
		return FinalSeal{}, FinalLedger{}, err
	}
	res := s.reservation(id)
	st := s.State(r.key())
	seal := FinalSeal{
		Attempt: id, FP: r.FP, Key: r.Key, Nonce: nonce, Release: r.Release, Overrides: []Override{},
		Salvaged: st.Salvaged != nil && st.Salvaged.Record.Attempt == id,
		Look:     before.Look(Split{Suite: r.Suite, Scorer: r.Scorer, Tasks: r.Tasks}),
	}
	seal.Overrides = append(seal.Overrides, before.State(r.key()).Overrides...)
	return seal, FinalLedger{
		Genesis: s.Genesis, HeadBefore: s.Entries[res.Record.Seq-2].ID, ID: s.Name(), Observed: obs.ID,
		Ref: ref, Reserved: res.ID, Scope: s.Scope, Seq: r.Seq,
	}, nil
}
