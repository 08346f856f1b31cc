package ledger

import "context"

// Store keeps one ledger. Its answers are certain: a nil error of Append means
// that the record was seen on the ledger after it was written.
type Store interface {
	// Head reads and verifies the whole ledger. Its errors are ErrMissing,
	// ErrUnavailable and ErrCorrupt.
	Head(ctx context.Context) (Snapshot, error)

	// Append adds r after the last record of s, on which the decision to write it
	// was made, and returns the ledger with it. The record's number, prev and
	// version are filled in. A record that no law allows is a *Refusal; otherwise
	// the errors are ErrStale when the ledger is not s any more, ErrReadOnly,
	// ErrUnavailable, and those of Head. A record that is on the ledger already
	// as the successor of s, byte for byte, was written by an earlier call: nil.
	Append(ctx context.Context, s Snapshot, r Record) (Snapshot, error)
}

// Creator is a store in which a ledger can be made.
type Creator interface {
	Store

	// Init makes the ledger with a genesis record. No other call makes one. It
	// refuses with ErrExists when there is one, whatever it holds.
	Init(ctx context.Context, genesis Record) (Snapshot, error)
}
