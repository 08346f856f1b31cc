package ledger

import (
	"errors"
	"fmt"
)

// What a store answers when it cannot do what it was asked. Each is the cause of
// an error that says more.
var (
	// ErrMissing: there is no ledger where one was expected.
	ErrMissing = errors.New("the ledger is missing")
	// ErrExists: Init found a ledger.
	ErrExists = errors.New("a ledger exists already")
	// ErrUnavailable: the store could not be asked, or did not take the record.
	// The record is not on the ledger as far as the ledger could be asked.
	ErrUnavailable = errors.New("the ledger is unavailable")
	// ErrReadOnly: the store refuses to be written to by this caller.
	ErrReadOnly = errors.New("the ledger cannot be written")
	// ErrStale: somebody else wrote after the snapshot was taken.
	ErrStale = errors.New("the ledger has moved on")
	// ErrCorrupt: the chain breaks a law. The error is a *CorruptError.
	ErrCorrupt = errors.New("the ledger is corrupt")
	// ErrAnother: this is not the ledger that is pinned.
	ErrAnother = errors.New("this is another ledger")
	// ErrRewound: what a checkpoint saw is not on the ledger.
	ErrRewound = errors.New("the ledger was rewound")
)

// CorruptError says which record is no append, and why.
type CorruptError struct {
	Seq      int    // its number, 0 when it has none
	ID       string // its commit, or the digest of its bytes; "" when unknown
	Reason   string
	LastGood string // the id of the last record before it; "" when there is none
}

// Error says it in the words of S11.
func (e *CorruptError) Error() string {
	at := "a record"
	if e.Seq > 0 {
		at = fmt.Sprintf("record #%d", e.Seq)
	}
	if e.ID != "" {
		at += " (" + e.ID + ")"
	}
	s := fmt.Sprintf("%v: %s is not an append: %s", ErrCorrupt, at, e.Reason)
	if e.LastGood != "" {
		s += "; the last good head is " + e.LastGood
	}
	return s
}

// Unwrap returns [ErrCorrupt].
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// ID returns the number under which the seal's texts know err: "S06" for a
// refusal that says so, "S09" to "S14" for a store's answers; "" for any other.
func ID(err error) string {
	var r *Refusal
	if errors.As(err, &r) {
		return r.ID
	}
	for _, s := range []struct {
		cause error
		id    string
	}{
		{ErrCorrupt, "S11"}, {ErrRewound, "S10"}, {ErrAnother, "S09"}, {ErrMissing, "S09"},
		{ErrStale, "S14"}, {ErrReadOnly, "S13"}, {ErrUnavailable, "S12"},
	} {
		if errors.Is(err, s.cause) {
			return s.id
		}
	}
	return ""
}
