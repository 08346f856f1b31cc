package ledger

// Phase says how far a key has come.
type Phase string

// The phases of a key.
const (
	Free         Phase = ""          // nobody holds it, and nobody looked
	HeldReserved Phase = "reserved"  // by the last reservation, relooks included
	HeldObserved Phase = "observed"  // looked at, no result
	Closed       Phase = "committed" // for ever
)

// State is what the ledger says of one key. The entries are nil where there is
// none; Observed may be that of a look before the reservation that holds the key.
type State struct {
	Phase     Phase
	Reserved  *Entry // the last reservation: only it may write observed
	Observed  *Entry // the last look
	Salvaged  *Entry // of the last look
	Committed *Entry
	Overrides []Override // every reservation of the key that gave a reason, in order
}

// Holder returns the attempt that may write the next record, "" when there is
// none.
func (s State) Holder() string {
	switch s.Phase {
	case HeldReserved:
		return s.Reserved.Record.Attempt
	case HeldObserved:
		return s.Observed.Record.Attempt
	}
	return ""
}

// Override is a reservation that went past a rule with a reason, as final.json
// tells it: a deliberate second look, or a look at tasks that were shown before.
type Override struct {
	Actor      string `json:"actor"`
	ObservedBy string `json:"observed_by"` // the attempt whose look came first, "" for none
	Reason     string `json:"reason"`
	RunURL     string `json:"run_url"`
}

// State returns what the ledger says of k.
func (s Snapshot) State(k Key) State {
	if s.book == nil {
		return State{}
	}
	if st := s.book.keys[k]; st != nil {
		return *st
	}
	return State{}
}

// book is what a chain amounts to: the state of every key, and who saw what.
type book struct {
	keys     map[Key]*State
	attempts map[string]*Entry // each attempt's reservation
	seen     seen
}

func newBook() *book {
	return &book{keys: map[Key]*State{}, attempts: map[string]*Entry{}, seen: newSeen()}
}

// add takes e into the book, when the laws allow it.
func (b *book) add(e *Entry) error {
	r := &e.Record
	if err := b.allow(r); err != nil {
		return err
	}
	if r.Kind == Policy {
		b.seen.policy(r.Suite, r.Tasks)
		return nil
	}
	if r.Kind == Genesis {
		return nil
	}
	st := b.keys[r.key()]
	if st == nil {
		st = &State{}
		b.keys[r.key()] = st
	}
	switch r.Kind {
	case Relook, Reserved:
		st.Phase, st.Reserved = HeldReserved, e
		b.attempts[r.Attempt] = e
		if r.Reason == "" {
			break
		}
		o := Override{Reason: r.Reason}
		if r.Kind == Relook {
			o.ObservedBy = r.Supersedes
		}
		if r.Run != nil {
			o.Actor, o.RunURL = r.Run.Actor, r.Run.URL
		}
		st.Overrides = append(st.Overrides[:len(st.Overrides):len(st.Overrides)], o)
	case Observed:
		st.Phase, st.Observed, st.Salvaged = HeldObserved, e, nil
		b.seen.look(e)
	case Aborted:
		if st.Phase = Free; st.Observed != nil {
			st.Phase = HeldObserved // the look of before stays one
		}
	case Salvaged:
		st.Salvaged = e
	case Committed:
		st.Phase, st.Committed = Closed, e
	}
	return nil
}
