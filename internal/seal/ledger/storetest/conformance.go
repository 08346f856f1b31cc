package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// Run tries a kind of store. fresh returns a new place without a ledger.
func Run(t *testing.T, scope string, fresh func(t *testing.T) Place) {
	t.Run("nothing there", func(t *testing.T) { testMissing(t, fresh(t)) })
	t.Run("made once", func(t *testing.T) { testInit(t, fresh(t)) })
	t.Run("one finalize", func(t *testing.T) { testFinalize(t, scope, fresh(t)) })
	t.Run("one winner on a snapshot", func(t *testing.T) { testStale(t, fresh(t)) })
	t.Run("the same record again", func(t *testing.T) { testAgain(t, fresh(t)) })
	t.Run("what the laws forbid", func(t *testing.T) { testForbidden(t, fresh(t)) })
	t.Run("a context that is over", func(t *testing.T) { testCancelled(t, fresh(t)) })
	t.Run("text of every kind", func(t *testing.T) { testText(t, fresh(t)) })
	races(t, fresh)
}

var background = context.Background()

func testMissing(t *testing.T, p Place) {
	c := p.Open(t)
	if s, err := c.Head(background); !errors.Is(err, ledger.ErrMissing) || s.Head != "" {
		t.Errorf("Head: %v, %v, want ErrMissing", s.Head, err)
	}
	r := ledger.NewPolicy("s", []ledger.Task{{ID: "a", Split: "val"}}, ledger.Run{}, Time())
	if _, err := c.Append(background, ledger.Snapshot{}, r); !errors.Is(err, ledger.ErrMissing) {
		t.Errorf("Append to no ledger: %v, want ErrMissing", err)
	}
	if _, err := c.Init(background, r); err == nil {
		t.Error("a ledger was made with a policy record")
	}
	if _, err := p.Open(t).Head(background); !errors.Is(err, ledger.ErrMissing) {
		t.Errorf("after what was refused: %v, want ErrMissing still", err)
	}
}

func testInit(t *testing.T, p Place) {
	c, s := Made(t, p)
	if len(s.Entries) != 1 || s.Genesis != s.Head || s.Name() != "orchard" {
		t.Errorf("made %d records, genesis %s, head %s, name %q", len(s.Entries), s.Genesis, s.Head, s.Name())
	}
	other := Genesis()
	other.Ledger = "meadow"
	for who, c := range map[string]ledger.Creator{"the maker": c, "another": p.Open(t)} {
		if _, err := c.Init(background, other); !errors.Is(err, ledger.ErrExists) {
			t.Errorf("Init by %s: %v, want ErrExists", who, err)
		}
	}
	if now, err := p.Open(t).Head(background); err != nil || now.Head != s.Head {
		t.Errorf("after a second Init: %s, %v, want %s", now.Head, err, s.Head)
	}
}

func testFinalize(t *testing.T, scope string, p Place) {
	c, first := Made(t, p)
	a := Attempt("refunds", "v1.0", "A")
	end := Finalize(t, c, a)
	s, err := p.Open(t).Head(background)
	if err != nil {
		t.Fatal(err)
	}
	if s.Scope != scope || s.Head != end.Head || s.Genesis != first.Genesis || len(s.Entries) != 4 {
		t.Errorf("another reads scope %s, head %s, genesis %s, %d records; want %s, %s, %s, 4", s.Scope, s.Head, s.Genesis, len(s.Entries), scope, end.Head, first.Genesis)
	}
	for i, e := range s.Entries {
		data, err := ledger.Encode(e.Record)
		if err != nil || ledger.Digest(data) != e.Digest || e.Record.Seq != i+1 || i > 0 && e.Record.Prev != s.Entries[i-1].Digest {
			t.Errorf("record %d is %+v, %v", i+1, e, err)
		}
	}
	k, _ := a.Key()
	if st := s.State(k); st.Phase != ledger.Closed || st.Committed.Record.Result.FinalSHA256 != Result("A").FinalSHA256 {
		t.Errorf("the key is %+v", st)
	}
	if err := s.Check(first.Genesis, first.Checkpoint(), end.Checkpoint()); err != nil {
		t.Errorf("against its own checkpoints: %v", err)
	}
}

func testStale(t *testing.T, p Place) {
	c, s := Made(t, p)
	late := p.Open(t)
	old, err := late.Head(background)
	if err != nil {
		t.Fatal(err)
	}
	a, b := Attempt("refunds", "v1", "A"), Attempt("refunds", "v1", "B")
	r, err := s.Reserve(a, ledger.Terms{}, Time())
	if err != nil {
		t.Fatal(err)
	}
	s, err = c.Append(background, s, r)
	if err != nil {
		t.Fatal(err)
	}
	other, err := old.Reserve(b, ledger.Terms{}, Time())
	if err != nil {
		t.Fatal(err)
	}
	if now, err := late.Append(background, old, other); !errors.Is(err, ledger.ErrStale) || now.Head != old.Head {
		t.Errorf("the second: %v, head %s; want ErrStale and its own snapshot", err, now.Head)
	}
	now, err := late.Head(background)
	if err != nil || now.Head != s.Head {
		t.Errorf("after the race: %s, %v", now.Head, err)
	}
	// A snapshot stays stale, however far the ledger has gone.
	Finalize(t, c, Attempt("orders", "v1", "C"))
	if _, err := late.Append(background, old, other); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("four records later: %v, want ErrStale", err)
	}
}

func testAgain(t *testing.T, p Place) {
	c, s := Made(t, p)
	r, err := s.Reserve(Attempt("refunds", "v1", "A"), ledger.Terms{}, Time())
	if err != nil {
		t.Fatal(err)
	}
	one, err := c.Append(background, s, r)
	if err != nil {
		t.Fatal(err)
	}
	for who, c := range map[string]ledger.Store{"the writer": c, "another": p.Open(t)} {
		if two, err := c.Append(background, s, r); err != nil || two.Head != one.Head || len(two.Entries) != 2 {
			t.Errorf("the same record by %s: head %s with %d records, %v; want %s with 2", who, two.Head, len(two.Entries), err, one.Head)
		}
	}
	Finalize(t, c, Attempt("orders", "v1", "C"))
	if now, err := p.Open(t).Append(background, s, r); err != nil || len(now.Entries) != 5 {
		t.Errorf("the same record after three others: %d records, %v; want 5", len(now.Entries), err)
	}
}

func testForbidden(t *testing.T, p Place) {
	c, s := Made(t, p)
	a := Attempt("refunds", "v1", "A")
	reserve, err := s.Reserve(a, ledger.Terms{}, Time())
	if err != nil {
		t.Fatal(err)
	}
	observe := reserve
	observe.Kind, observe.NonceSHA256 = ledger.Observed, ledger.NonceSHA256("x")
	lie := reserve
	lie.Look = 2
	unknown := reserve
	unknown.Kind = "amended"
	empty := reserve
	empty.Attempt = ""
	for why, r := range map[string]ledger.Record{"a look without a reservation": observe, "a wrong look": lie, "an unknown kind": unknown, "no attempt": empty, "a second genesis": Genesis()} {
		if _, err := c.Append(background, s, r); err == nil {
			t.Errorf("%s was taken", why)
		}
	}
	var refusal *ledger.Refusal
	if _, err := c.Append(background, s, observe); !errors.As(err, &refusal) || refusal.ID != "S03" {
		t.Errorf("a look without a reservation: %v, want S03", err)
	}
	if now, err := c.Head(background); err != nil || len(now.Entries) != 1 {
		t.Errorf("the ledger has %d records, %v; want genesis alone", len(now.Entries), err)
	}
}

func testCancelled(t *testing.T, p Place) {
	c, s := Made(t, p)
	r, err := s.Reserve(Attempt("refunds", "v1", "A"), ledger.Terms{}, Time())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := c.Head(ctx); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Head: %v, want ErrUnavailable", err)
	}
	if _, err := c.Append(ctx, s, r); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Append: %v, want ErrUnavailable", err)
	}
	if now, err := p.Open(t).Head(background); err != nil || len(now.Entries) != 1 {
		t.Errorf("the ledger has %d records, %v; want genesis alone", len(now.Entries), err)
	}
}

func testText(t *testing.T, p Place) {
	c, s := Made(t, p)
	a := Attempt("réfunds/\u05d0 <b>&\"\\", "v1 \u2028-\u03b2", "A")
	if _, err := s.Reserve(a, ledger.Terms{}, Time()); err == nil {
		t.Error("a release with a line separator was taken")
	}
	a.Release = " V1 β <&> "
	Finalize(t, c, a)
	now, err := p.Open(t).Head(background)
	if err != nil || now.Entries[1].Record.Release != "v1 β <&>" || now.Entries[1].Record.Suite != a.Suite {
		t.Errorf("read %+v, %v", now.Entries[1].Record, err)
	}
}
