// Package ledger remembers every look at a test split: an append-only chain of
// records, the stores that keep it, and the laws that say who may write next.
//
//	s, err := store.Head(ctx)
//	r, err := s.Reserve(attempt, ledger.Terms{}, now) // a *Refusal says who was first
//	s, err = store.Append(ctx, s, r)                  // ErrStale: somebody else wrote, ask again
//
// It promises that a record is never changed or taken away unnoticed: each holds
// the SHA-256 of the bytes before it, a chain that breaks a law is refused with
// [ErrCorrupt], and one that was cut or built anew is found by a [Checkpoint]. It
// promises that of two writers who decided on the same snapshot one gets nil and
// the other [ErrStale].
//
// It reads no clock and draws no randomness: times, attempts and nonces arrive as
// arguments. It runs no task and prints nothing.
package ledger
