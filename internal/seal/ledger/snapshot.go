package ledger

import (
	"fmt"
	"slices"
)

// MaxRecords is the largest number a record can have: six digits of its name.
const MaxRecords = 999_999

// The scopes of a ledger: how far its memory reaches.
const (
	ScopeRemote = "remote" // it outlives this machine
	ScopeLocal  = "local"  // it is forgotten with this disk
)

// Entry is a record with what names it.
type Entry struct {
	Record Record
	ID     string // its commit, or its digest where the store has no commits
	Digest string // "sha256:" of its bytes
}

// Snapshot is a verified ledger at one moment. It does not change; the zero value
// is no ledger.
type Snapshot struct {
	Entries []Entry // Entries[i] has number i+1
	Head    string  // the id of the last entry
	Genesis string  // the id of the first
	Scope   string

	book *book
}

// NewSnapshot verifies entries and returns them as a ledger: numbers and prev
// must match, and every record must be one that the laws allowed its writer. An
// error is a [*CorruptError].
func NewSnapshot(entries []Entry, scope string) (Snapshot, error) {
	b := newBook()
	good, prev := "", ""
	for i := range entries {
		e := &entries[i]
		reason := ""
		switch r := &e.Record; {
		case r.Seq != i+1:
			reason = fmt.Sprintf("it says that it is record #%d", r.Seq)
		case r.Prev != prev:
			reason = fmt.Sprintf("its prev is %q, the record before it has %q", r.Prev, prev)
		default:
			if err := b.add(e); err != nil {
				reason = err.Error()
			}
		}
		if reason != "" {
			return Snapshot{}, &CorruptError{Seq: i + 1, ID: e.ID, Reason: reason, LastGood: good}
		}
		good, prev = e.ID, e.Digest
	}
	if len(entries) == 0 {
		return Snapshot{}, ErrMissing
	}
	return Snapshot{Entries: entries, Head: good, Genesis: entries[0].ID, Scope: scope, book: b}, nil
}

// Prepare returns r as the successor of s: numbered, chained, allowed by the
// laws, with its bytes. Stores call it before they write.
func (s Snapshot) Prepare(r Record) (Record, []byte, error) {
	if s.book == nil {
		return r, nil, fmt.Errorf("%w: only Init makes one", ErrMissing)
	}
	r.V, r.Seq, r.Prev = Version, len(s.Entries)+1, s.last().Digest
	data, err := Encode(r)
	if err != nil {
		return r, nil, fmt.Errorf("ledger: record #%d: %w", r.Seq, err)
	}
	return r, data, s.book.allow(&r)
}

// PrepareGenesis returns the bytes of the first record of a ledger.
func PrepareGenesis(r Record) (Record, []byte, error) {
	r.V, r.Seq, r.Prev = Version, 1, ""
	if r.Kind != Genesis {
		return r, nil, fmt.Errorf("ledger: found a %s record, a ledger begins with genesis", r.Kind)
	}
	data, err := Encode(r)
	if err != nil {
		return r, nil, fmt.Errorf("ledger: genesis: %w", err)
	}
	return r, data, nil
}

// With returns the ledger with e added. The stores call it when e was written.
func (s Snapshot) With(e Entry) (Snapshot, error) {
	return NewSnapshot(append(slices.Clip(s.Entries), e), s.Scope)
}

func (s Snapshot) last() *Entry { return &s.Entries[len(s.Entries)-1] }

// Name returns the ledger's own name, which genesis carries.
func (s Snapshot) Name() string {
	if len(s.Entries) == 0 {
		return ""
	}
	return s.Entries[0].Record.Ledger
}
