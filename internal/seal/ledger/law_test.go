package ledger_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
	"pgregory.net/rapid"
)

func refused(t *testing.T, why string, err error, id string) *ledger.Refusal {
	t.Helper()
	var r *ledger.Refusal
	if !errors.As(err, &r) || r.ID != id || ledger.ID(err) != id {
		t.Errorf("%s: %v, want %s", why, err, id)
		return &ledger.Refusal{}
	}
	return r
}

// TestStates walks one key through its states and asks at each who may write.
func TestStates(t *testing.T) {
	at := storetest.Time()
	a, b := storetest.Attempt("refunds", "v1", "A"), storetest.Attempt("refunds", "V1 ", "B")
	k, err := a.Key()
	if err != nil {
		t.Fatal(err)
	}
	reserve := func(s chain, a ledger.Attempt, terms ledger.Terms) error {
		_, err := s.Reserve(a, terms, at)
		return err
	}
	observe := func(s chain, a ledger.Attempt) error {
		_, err := s.Observe(a, ledger.NonceSHA256("n"), at)
		return err
	}
	commit := func(s chain, id, nonce string) error {
		_, err := s.Commit(id, nonce, storetest.Result(id), ledger.Run{}, at)
		return err
	}

	free := begin(t)
	refused(t, "a look without a reservation", observe(free, a), "S03")
	refused(t, "a result without a look", commit(free, "A", "x"), "S03")

	held := free.add(free.Reserve(a, ledger.Terms{}, at))
	r := refused(t, "another release job", reserve(held, b, ledger.Terms{}), "S06")
	if r.Attempt != "A" || r.Run.URL != "https://ci.example/A" || r.Time != "2026-11-30T21:17:00Z" || r.Seq != 2 || r.Key != k {
		t.Errorf("S06 says %+v", r)
	}
	refused(t, "a supersession of somebody else", reserve(held, b, ledger.Terms{Supersede: "Z"}), "S06")
	refused(t, "a look by another", observe(held, b), "S06")
	refused(t, "a result before the look", commit(held, "A", storetest.Nonce("A")), "S03")
	if reserve(held, a, ledger.Terms{}) == nil {
		t.Error("the same attempt reserved twice")
	}
	rerun := b
	rerun.Run = a.Run
	refused(t, "the same run attempt", reserve(held, rerun, ledger.Terms{}), "S06")
	rerun.Run.RunAttempt = 2
	if err := reserve(held, rerun, ledger.Terms{}); err != nil {
		t.Errorf("a re-run of the same CI run: %v", err)
	}
	nameless := b
	nameless.Run = ledger.Run{RunAttempt: 2}
	refused(t, "a run without an id", reserve(held, nameless, ledger.Terms{}), "S06")

	taken := held.add(held.Reserve(b, ledger.Terms{Supersede: "A"}, at))
	if st := taken.State(k); st.Holder() != "B" || taken.Entries[2].Record.Supersedes != "A" {
		t.Errorf("superseded: %+v", st)
	}
	if r := refused(t, "the fenced attempt", observe(taken, a), "S06"); r.Attempt != "B" {
		t.Errorf("it names %s", r.Attempt)
	}
	_, err = taken.Abort("A", "", ledger.Run{}, at)
	refused(t, "an abort by the fenced attempt", err, "S06")
	given := taken.add(taken.Abort("B", "dirty tree", ledger.Run{}, at))
	if st := given.State(k); st.Phase != ledger.Free {
		t.Errorf("given back: %+v", st)
	}
	refused(t, "a look after giving back", observe(given, b), "S03")

	for what, change := range map[string]func(*ledger.Attempt){
		"candidate": func(a *ledger.Attempt) { a.Candidate = "git:other" },
		"baseline":  func(a *ledger.Attempt) { a.Baseline = "git:base" },
		"scorer":    func(a *ledger.Attempt) { a.Scorer = ledger.Digest(nil) },
		"plan":      func(a *ledger.Attempt) { a.Plan.Trials++ },
	} {
		other := a
		change(&other)
		if r := refused(t, "another "+what, observe(held, other), "S20"); r.What != what {
			t.Errorf("another %s: it says %q", what, r.What)
		}
	}
	edited := a
	edited.Tasks = []ledger.Task{a.Tasks[0], {ID: a.Tasks[1].ID, Digest: ledger.Digest([]byte("edited"))}}
	if r := refused(t, "edited tasks", observe(held, edited), "S04"); r.Task != a.Tasks[1].ID {
		t.Errorf("the first difference is %q", r.Task)
	}

	looked := held.observe(a)
	if r := refused(t, "after the look", reserve(looked, b, ledger.Terms{}), "S07"); r.Look != 1 || r.Attempt != "A" {
		t.Errorf("S07 says %+v", r)
	}
	refused(t, "a supersession after the look", reserve(looked, b, ledger.Terms{Supersede: "A"}), "S07")
	refused(t, "a second look by the same attempt", observe(looked, a), "S07")
	_, err = looked.Abort("A", "", ledger.Run{}, at)
	refused(t, "an abort after the look", err, "S07")
	refused(t, "another nonce", commit(looked, "A", "guess"), "S20")
	refused(t, "relook over the limit", reserve(looked, b, ledger.Terms{Relook: "why", MaxLooks: 1}), "S19")

	again := looked.add(looked.Reserve(b, ledger.Terms{Relook: "the scorer crashed"}, at))
	if e := again.Entries[3].Record; e.Kind != ledger.Relook || e.Look != 2 || e.Supersedes != "A" {
		t.Errorf("a relook is %+v", e)
	}
	refused(t, "the first look's result while a relook is held", commit(again, "A", storetest.Nonce("A")), "S06")
	back := again.add(again.Abort("B", "", ledger.Run{}, at))
	if st := back.State(k); st.Phase != ledger.HeldObserved || st.Holder() != "A" {
		t.Errorf("a relook given back: %+v, want the look of before", st)
	}
	if err := commit(back, "A", storetest.Nonce("A")); err != nil {
		t.Errorf("the first look's result after a relook was given back: %v", err)
	}
	second := again.observe(b).commit("B")
	if st := second.State(k); st.Phase != ledger.Closed || len(st.Overrides) != 1 || st.Overrides[0] != (ledger.Override{ObservedBy: "A", Reason: "the scorer crashed", RunURL: "https://ci.example/B"}) {
		t.Errorf("after the relook: %+v", st)
	}

	saved := looked.add(looked.Salvage("A", storetest.Nonce("A"), "killed", ledger.Run{}, at))
	if _, err := saved.Salvage("A", storetest.Nonce("A"), "killed", ledger.Run{}, at); err == nil {
		t.Error("salvaged twice")
	}
	closed := saved.commit("A")
	r = refused(t, "after the result", reserve(closed, b, ledger.Terms{}), "S08")
	if r.Digest != storetest.Result("A").FinalSHA256 || r.Delta == nil || *r.Delta != 0.125 || r.Seq != 5 || r.Look != 1 {
		t.Errorf("S08 says %+v", r)
	}
	refused(t, "a relook after the result", reserve(closed, b, ledger.Terms{Relook: "please"}), "S08")
	refused(t, "a second result", commit(closed, "A", storetest.Nonce("A")), "S08")
	for why, change := range map[string]func(*ledger.Attempt){
		"another seed":      func(a *ledger.Attempt) { a.Plan.BaseSeed = 99 },
		"more trials":       func(a *ledger.Attempt) { a.Plan.Trials = 50 },
		"another candidate": func(a *ledger.Attempt) { a.Candidate = "git:z" },
		"another scorer":    func(a *ledger.Attempt) { a.Scorer = "" },
	} {
		other := b
		change(&other)
		refused(t, why+" for the same release", reserve(closed, other, ledger.Terms{}), "S08")
	}
	next := storetest.Attempt("refunds", "v2", "C")
	if r := refused(t, "the next release over the limit", reserve(closed, next, ledger.Terms{MaxLooks: 1}), "S19"); r.Looks != 1 || r.Max != 1 {
		t.Errorf("S19 says %+v", r)
	}
	if err := reserve(closed, next, ledger.Terms{MaxLooks: 2}); err != nil {
		t.Errorf("the next release within the limit: %v", err)
	}

	var slots ledger.Slots
	if err := errors.Join(slots.Take("FINAL", "a", 0), slots.Take("FINAL_seed", "a", 0), slots.Take("FINAL", "a", 1)); err != nil {
		t.Error(err)
	}
	refused(t, "a trial twice", slots.Take("FINAL", "a", 1), "S05")
}

// TestAnyWriters lets writers do anything in any order, and holds the ledger to
// what must be true of it whatever they do.
func TestAnyWriters(t *testing.T) {
	at := storetest.Time()
	rapid.Check(t, func(rt *rapid.T) {
		s := begin(t)
		looked := map[string]bool{} // attempts whose observed record was taken
		for i := range rapid.IntRange(1, 30).Draw(rt, "acts") {
			id := fmt.Sprint(rapid.IntRange(0, 5).Draw(rt, "attempt"))
			a := storetest.Attempt("refunds", rapid.SampledFrom([]string{"v1", "v2"}).Draw(rt, "release"), id)
			nonce := storetest.Nonce(id)
			var r ledger.Record
			var err error
			switch rapid.IntRange(0, 6).Draw(rt, "act") {
			case 0:
				r, err = s.Reserve(a, ledger.Terms{}, at)
			case 1:
				r, err = s.Reserve(a, ledger.Terms{Supersede: fmt.Sprint(rapid.IntRange(0, 5).Draw(rt, "of"))}, at)
			case 2:
				r, err = s.Reserve(a, ledger.Terms{Relook: "because"}, at)
			case 3:
				r, err = s.Observe(a, ledger.NonceSHA256(nonce), at)
			case 4:
				r, err = s.Commit(id, nonce, storetest.Result(id), ledger.Run{}, at)
			case 5:
				r, err = s.Abort(id, "", ledger.Run{}, at)
			case 6:
				r, err = s.Salvage(id, nonce, "", ledger.Run{}, at)
			}
			if err != nil {
				continue
			}
			if r.Kind == ledger.Observed {
				if looked[id] {
					rt.Fatalf("act %d: attempt %s looks twice", i, id)
				}
				if want := len(looked) + 1; r.Look != want { // the tasks are the same in every release
					rt.Fatalf("act %d: look %d, want %d", i, r.Look, want)
				}
				looked[id] = true
			}
			s = s.add(r, nil)
		}
		closed, keys := map[string]int{}, map[string]int{}
		for _, e := range s.Entries {
			r := e.Record
			if closed[r.Key] > 0 && r.Key != "" {
				rt.Fatalf("record #%d after %s was closed by #%d", r.Seq, r.Key, closed[r.Key])
			}
			switch r.Kind {
			case ledger.Committed:
				closed[r.Key] = r.Seq
				if !looked[r.Attempt] {
					rt.Fatalf("attempt %s has a result and never looked", r.Attempt)
				}
			case ledger.Observed:
				if keys[r.Key]++; keys[r.Key] > 1 && len(s.State(ledger.Key{Suite: r.Suite, FP: r.FP, Release: r.Release}).Overrides) == 0 {
					rt.Fatalf("%s was looked at %d times without a reason", r.Key, keys[r.Key])
				}
			}
		}
		if again, err := ledger.NewSnapshot(s.Entries, s.Scope); err != nil || again.Head != s.Head {
			rt.Fatalf("read again: %v", err)
		}
	})
}
