package storetest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// Place is where one ledger lies. Open returns another handle on it, as another
// process on another machine would have; it is called from several goroutines.
type Place interface {
	Open(t testing.TB) ledger.Creator
}

// Time is when everything in these tests happens.
func Time() time.Time { return time.Date(2026, 11, 30, 21, 17, 0, 0, time.UTC) }

// Long says that the long form of the tests was asked for.
func Long() bool { return os.Getenv("CAPEVAL_LONG") != "" }

// Genesis returns the first record of a ledger.
func Genesis() ledger.Record {
	return ledger.NewGenesis("orchard", ledger.Run{Actor: "maintainer"}, Time())
}

// Attempt returns an attempt of suite and release by the job id.
func Attempt(suite, release, id string) ledger.Attempt {
	return ledger.Attempt{
		ID: id, Suite: suite, Release: release, Candidate: "git:" + release, Scorer: ledger.Digest([]byte("scorer")),
		Tasks: []ledger.Task{
			{ID: suite + "-late", Digest: ledger.Digest([]byte(suite + " late"))},
			{ID: suite + "-twice", Digest: ledger.Digest([]byte(suite + " twice"))},
		},
		Plan: ledger.Plan{BaseSeed: 7, Trials: 4},
		Run:  ledger.Run{Provider: "ci", RunID: "run-" + id, RunAttempt: 1, URL: "https://ci.example/" + id},
	}
}

// Nonce returns the nonce of the attempt id.
func Nonce(id string) string { return "nonce of " + id }

// Result returns the result of the attempt id.
func Result(id string) ledger.Result {
	d := 0.125
	return ledger.Result{FinalSHA256: ledger.Digest([]byte("final " + id)), Status: "complete", TestDelta: &d}
}

// Made makes a ledger at p and returns a handle and its snapshot.
func Made(t testing.TB, p Place) (ledger.Creator, ledger.Snapshot) {
	t.Helper()
	c := p.Open(t)
	s, err := c.Init(context.Background(), Genesis())
	if err != nil {
		t.Fatalf("Init: %v", err)
	}
	return c, s
}

// Finalize writes the three records of a, one after another.
func Finalize(t testing.TB, c ledger.Store, a ledger.Attempt) ledger.Snapshot {
	t.Helper()
	s, err := finalize(context.Background(), c, a, ledger.Terms{}, func() {})
	if err != nil {
		t.Fatalf("finalize %s: %v", a.ID, err)
	}
	return s
}

// Policy writes one record, of a val task named id.
func Policy(t testing.TB, c ledger.Store, id string) {
	t.Helper()
	_, err := step(context.Background(), c, func(ledger.Snapshot) (ledger.Record, error) {
		return ledger.NewPolicy("refunds", []ledger.Task{{ID: id, Split: "val"}}, ledger.Run{}, Time()), nil
	})
	if err != nil {
		t.Fatalf("policy %s: %v", id, err)
	}
}

// finalize does what the command does: it decides on a snapshot, writes, and
// decides anew when somebody else wrote. looked is called when test trials may
// run.
func finalize(ctx context.Context, c ledger.Store, a ledger.Attempt, terms ledger.Terms, looked func()) (ledger.Snapshot, error) {
	_, err := step(ctx, c, func(s ledger.Snapshot) (ledger.Record, error) { return s.Reserve(a, terms, Time()) })
	if err != nil {
		return ledger.Snapshot{}, err
	}
	_, err = step(ctx, c, func(s ledger.Snapshot) (ledger.Record, error) {
		return s.Observe(a, ledger.NonceSHA256(Nonce(a.ID)), Time())
	})
	if err != nil {
		return ledger.Snapshot{}, err
	}
	looked()
	return step(ctx, c, func(s ledger.Snapshot) (ledger.Record, error) {
		return s.Commit(a.ID, Nonce(a.ID), Result(a.ID), a.Run, Time())
	})
}

func step(ctx context.Context, c ledger.Store, decide func(ledger.Snapshot) (ledger.Record, error)) (ledger.Snapshot, error) {
	const tries = 40
	for n := 1; ; n++ {
		s, err := c.Head(ctx)
		if err != nil {
			return s, err
		}
		r, err := decide(s)
		if err != nil {
			return s, err
		}
		s, err = c.Append(ctx, s, r)
		if ledger.ID(err) != "S14" || n == tries {
			if err != nil {
				err = fmt.Errorf("try %d: %w", n, err)
			}
			return s, err
		}
	}
}
