package ledger

import (
	"fmt"
)

// allow says whether r may follow what the book holds: nil, or a *Refusal when
// somebody else was first, or another error when no tool would write it.
func (b *book) allow(r *Record) error {
	if r.Kind == Genesis || r.Kind == Policy {
		return nil // who may write them is a matter of place, not of state
	}
	st := State{}
	if s := b.keys[r.key()]; s != nil {
		st = *s
	}
	switch r.Kind {
	case Reserved:
		return b.allowReserved(st, r)
	case Relook:
		return b.allowRelook(st, r)
	case Observed:
		return b.allowObserved(st, r)
	case Aborted:
		return allowHolder(st, r, HeldReserved)
	case Salvaged:
		if err := allowNonce(st, r); err != nil {
			return err
		}
		if st.Salvaged != nil {
			return fmt.Errorf("attempt %s was salvaged by record #%d already", r.Attempt, st.Salvaged.Record.Seq)
		}
		return nil
	case Committed:
		if err := allowNonce(st, r); err != nil {
			return err
		}
		return samePins(&b.attempts[r.Attempt].Record, r)
	}
	return fmt.Errorf("found the unknown kind %q", r.Kind)
}

func (b *book) allowReserved(st State, r *Record) error {
	switch {
	case st.Phase == HeldObserved || st.Phase == Closed:
		return refuse(st)
	case st.Phase == HeldReserved && r.Supersedes != st.Holder():
		return refuse(st)
	case st.Phase == Free && r.Supersedes != "":
		return fmt.Errorf("attempt %s supersedes %s, and nobody holds %s", r.Attempt, r.Supersedes, r.Key)
	}
	return b.allowNew(r)
}

func (b *book) allowRelook(st State, r *Record) error {
	switch {
	case st.Phase != HeldObserved && st.Phase != Free:
		return refuse(st)
	case st.Phase == Free || r.Supersedes != st.Holder():
		return fmt.Errorf("attempt %s looks again behind %s, and the last look at %s is by %q", r.Attempt, r.Supersedes, r.Key, st.Holder())
	}
	return b.allowNew(r)
}

// allowNew wants an attempt that is new to the ledger, and true figures.
func (b *book) allowNew(r *Record) error {
	if e := b.attempts[r.Attempt]; e != nil {
		return fmt.Errorf("attempt %s was reserved by record #%d already", r.Attempt, e.Record.Seq)
	}
	return b.trueLook(r)
}

// trueLook wants the look and overlap that the ledger says, so that nobody can
// write a first look that is a second.
func (b *book) trueLook(r *Record) error {
	n := b.seen.count(r.Tasks)
	if r.Look != n.look() || *r.Overlap != n.overlap() {
		return fmt.Errorf("it says look %d with %d fresh and %d reused tasks, the ledger says look %d with %d and %d",
			r.Look, r.Overlap.Fresh, r.Overlap.Reused, n.look(), n.overlap().Fresh, n.overlap().Reused)
	}
	return nil
}

func (b *book) allowObserved(st State, r *Record) error {
	if err := allowHolder(st, r, HeldReserved); err != nil {
		return err
	}
	if err := samePins(&st.Reserved.Record, r); err != nil {
		return err
	}
	return b.trueLook(r)
}

// allowHolder wants the phase, and r to come from the attempt that holds the key:
// an attempt that was superseded is fenced off.
func allowHolder(st State, r *Record, phase Phase) error {
	switch {
	case st.Phase == phase && st.Holder() == r.Attempt:
		return nil
	case st.Phase == Free || st.Phase == HeldReserved && st.Holder() == r.Attempt:
		return &Refusal{ID: "S03", Key: r.key(), Attempt: r.Attempt, Phase: st.Phase}
	}
	return refuse(st)
}

// allowNonce wants the proof that r comes from the attempt of the last look.
func allowNonce(st State, r *Record) error {
	if err := allowHolder(st, r, HeldObserved); err != nil {
		return err
	}
	if want, got := st.Observed.Record.NonceSHA256, NonceSHA256(r.Nonce); got != want {
		return &Refusal{ID: "S20", Key: r.key(), Attempt: r.Attempt, What: "nonce_sha256", Want: want, Got: got}
	}
	return nil
}

// NonceSHA256 returns what observed publishes of a nonce.
func NonceSHA256(nonce string) string { return Digest([]byte(nonce)) }

// samePins wants in r what its reservation pinned.
func samePins(reserved, r *Record) error {
	if reserved.TasksSHA256 != r.TasksSHA256 {
		ref := &Refusal{ID: "S04", Key: r.key(), Attempt: r.Attempt, What: "tasks", Want: reserved.TasksSHA256, Got: r.TasksSHA256}
		ref.Task = firstDifference(reserved.Tasks, r.Tasks)
		return ref
	}
	for _, p := range []struct{ what, want, got string }{
		{"candidate", reserved.Candidate, r.Candidate},
		{"baseline", reserved.Baseline, r.Baseline},
		{"scorer", reserved.Scorer, r.Scorer},
		{"plan", planText(reserved.Plan), planText(r.Plan)},
	} {
		if p.want != p.got {
			return &Refusal{ID: "S20", Key: r.key(), Attempt: r.Attempt, What: p.what, Want: p.want, Got: p.got}
		}
	}
	return nil
}

func planText(p *Plan) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%d trials from base seed %d %s", p.Trials, p.BaseSeed, p.SHA256)
}

// firstDifference returns the id of the first task, by id, that is not the same
// in both lists; "" when r lists none.
func firstDifference(want, got []Task) string {
	if len(got) == 0 {
		return ""
	}
	for i, t := range want {
		if i >= len(got) || got[i].ID > t.ID || got[i] != t && got[i].ID == t.ID {
			return t.ID
		}
		if got[i] != t {
			return got[i].ID
		}
	}
	if len(got) > len(want) {
		return got[len(want)].ID
	}
	return ""
}
