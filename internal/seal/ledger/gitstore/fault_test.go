package gitstore_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

// steps are the three records of a finalize, each decided on the ledger before.
var steps = []struct {
	name   string
	decide func(s ledger.Snapshot, a ledger.Attempt) (ledger.Record, error)
}{
	{"reserve", func(s ledger.Snapshot, a ledger.Attempt) (ledger.Record, error) {
		return s.Reserve(a, ledger.Terms{}, storetest.Time())
	}},
	{"observe", func(s ledger.Snapshot, a ledger.Attempt) (ledger.Record, error) {
		return s.Observe(a, ledger.NonceSHA256(storetest.Nonce(a.ID)), storetest.Time())
	}},
	{"commit", func(s ledger.Snapshot, a ledger.Attempt) (ledger.Record, error) {
		return s.Commit(a.ID, storetest.Nonce(a.ID), storetest.Result(a.ID), a.Run, storetest.Time())
	}},
}

// finalizeUnder makes a ledger, and lets every record of a finalize meet the
// fault before the healthy server.
func finalizeUnder(t *testing.T, f *forge, r *gitstore.Remote, n int, act fault, want error, words string) {
	t.Helper()
	s, err := r.Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	a := storetest.Attempt("refunds", "v1", "A")
	for _, step := range steps {
		rec, err := step.decide(s, a)
		if err != nil {
			t.Fatal(err)
		}
		if want != nil && step.name != "observe" && !storetest.Long() {
			if s, err = r.Append(background, s, rec); err != nil {
				t.Fatal(err)
			}
			continue
		}
		f.set(n, act)
		now, err := r.Append(background, s, rec)
		f.set(0, nil)
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Fatalf("%s: %v, want %v", step.name, err, want)
		}
		if want != nil {
			if !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), token) {
				t.Errorf("%s: the message is %q, want %q in it", step.name, err, words)
			}
			if left, err := r.Head(background); err != nil || left.Head != s.Head {
				t.Fatalf("%s: the ledger is at %s, %v; want it as it was", step.name, left.Head, err)
			}
			if now, err = r.Append(background, s, rec); err != nil { // nothing was burned
				t.Fatalf("%s, the server being well again: %v", step.name, err)
			}
		}
		if len(now.Entries) != len(s.Entries)+1 {
			t.Fatalf("%s: %d records after %d", step.name, len(now.Entries), len(s.Entries))
		}
		s = now
	}
	if got := run(t, f.bare, "rev-list", "--count", "capeval-ledger"); got != "4" {
		t.Errorf("the server has %s commits, want 4: one a record", got)
	}
}

func TestFaultsOfAServer(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int // how often
		act   fault
		want  error
		words string
	}{
		{"the answer is lost", 1, loseAnswer, nil, ""},
		{"the line is dropped once", 1, drop, nil, ""},
		{"the line is dropped for good", -1, drop, ledger.ErrUnavailable, "record #"},
		{"an internal error", -1, answer(500), ledger.ErrUnavailable, "500"},
		{"writing is forbidden", -1, answer(403), ledger.ErrReadOnly, "403"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newForge(t)
			finalizeUnder(t, f, openRemote(t, gitstore.Options{Dir: f.checkout(t)}), c.n, c.act, c.want, c.words)
		})
	}
}

// A fork's token may read. It is told so where a push begins, and the seal is not
// burned.
func TestTokenThatMayOnlyRead(t *testing.T) {
	f := newForge(t)
	r := openRemote(t, gitstore.Options{Dir: f.checkout(t)})
	s, err := r.Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	rec, _ := s.Reserve(storetest.Attempt("refunds", "v1", "A"), ledger.Terms{}, storetest.Time())
	for _, code := range []int{http.StatusForbidden, http.StatusUnauthorized} {
		f.setDoor(answer(code))
		if _, err := r.Append(background, s, rec); !errors.Is(err, ledger.ErrReadOnly) || strings.Contains(err.Error(), token) {
			t.Errorf("%d: %v, want ErrReadOnly", code, err)
		}
	}
	if now, err := r.Head(background); err != nil || now.Head != s.Head {
		t.Errorf("the ledger is at %s, %v", now.Head, err)
	}
}

func TestRejectedByAHook(t *testing.T) {
	f := newForge(t)
	hook := filepath.Join(f.bare, "hooks", "pre-receive")
	on := func(_ *forge, _ http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
		_ = os.MkdirAll(filepath.Dir(hook), 0o755)
		_ = os.WriteFile(hook, []byte("#!/bin/sh\necho 'ruleset main: changes must come from the release team' >&2\nexit 1\n"), 0o755)
		return false
	}
	r := openRemote(t, gitstore.Options{Dir: f.checkout(t)})
	s, err := r.Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	f.set(1, on)
	rec, _ := s.Reserve(storetest.Attempt("refunds", "v1", "A"), ledger.Terms{}, storetest.Time())
	_, err = r.Append(background, s, rec)
	if !errors.Is(err, ledger.ErrReadOnly) || !strings.Contains(err.Error(), "must come from the release team") {
		t.Errorf("rejected: %v, want ErrReadOnly with the server's words", err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Append(background, s, rec); err != nil {
		t.Errorf("without the hook: %v", err)
	}
}

func TestStaleLockOnTheServer(t *testing.T) {
	f := newForge(t)
	r := openRemote(t, gitstore.Options{Dir: f.checkout(t)})
	s, err := r.Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(f.bare, "refs", "heads", "capeval-ledger.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	rec, _ := s.Reserve(storetest.Attempt("refunds", "v1", "A"), ledger.Terms{}, storetest.Time())
	if _, err = r.Append(background, s, rec); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("locked: %v, want ErrUnavailable: it passes", err)
	}
	_ = os.Remove(lock)
	if _, err := r.Append(background, s, rec); err != nil {
		t.Errorf("unlocked: %v", err)
	}
}

func TestHangingServer(t *testing.T) {
	f := newForge(t)
	dir := f.checkout(t)
	s, err := openRemote(t, gitstore.Options{Dir: dir}).Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	r := openRemote(t, gitstore.Options{Dir: dir, Timeout: 8 * time.Second})
	rec, _ := s.Reserve(storetest.Attempt("refunds", "v1", "A"), ledger.Terms{}, storetest.Time())
	f.set(-1, hang)
	begin := time.Now()
	if _, err = r.Append(background, s, rec); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "in time") {
		t.Errorf("hanging: %v, want ErrUnavailable", err)
	}
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("it took %v, need about the timeout", d)
	}
	select {
	case <-f.gone: // git-remote-http, a grandchild of this process, was killed too
	case <-time.After(20 * time.Second):
		t.Error("somebody still holds the line 20 s after the call ended")
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	f := newForge(t)
	dir := f.checkout(t)
	r := openRemote(t, gitstore.Options{Dir: dir})
	s, err := r.Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	f.srv.Close()
	rec, _ := s.Reserve(storetest.Attempt("refunds", "v1", "A"), ledger.Terms{}, storetest.Time())
	if _, err := r.Head(background); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Head: %v", err)
	}
	if _, err := r.Append(background, s, rec); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Append: %v", err)
	}
	if _, err := openRemote(t, gitstore.Options{Dir: dir}).Init(background, storetest.Genesis()); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Init: %v, want ErrUnavailable: a ledger that cannot be seen is not missing", err)
	}
}

func TestPushesThatGoElsewhere(t *testing.T) {
	f := newForge(t)
	dir := f.checkout(t)
	s, err := openRemote(t, gitstore.Options{Dir: dir}).Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	other := server(t)
	for _, c := range []struct{ key, value string }{
		{"remote.origin.pushurl", "file://" + other},
		{"url.file://" + other + ".pushInsteadOf", f.url},
	} {
		run(t, dir, "config", c.key, c.value)
		for why, fill := range map[string]bool{"without the ledger": false, "with a copy of it": true} {
			if fill {
				run(t, f.bare, "push", "-q", "--force", "file://"+other, "capeval-ledger")
			}
			r := openRemote(t, gitstore.Options{Dir: dir})
			rec, _ := s.Reserve(storetest.Attempt("refunds", "v1", "A"), ledger.Terms{}, storetest.Time())
			if _, err := r.Append(background, s, rec); !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("%s to a repository %s: %v, want ErrUnavailable", c.key, why, err)
			}
			if now, err := r.Head(background); err != nil || now.Head != s.Head {
				t.Errorf("%s to a repository %s: the ledger is at %s, %v", c.key, why, now.Head, err)
			}
		}
		run(t, dir, "config", "--unset", c.key)
	}
}

func TestLedgerThatGoesAway(t *testing.T) {
	bare := server(t)
	r := openRemote(t, gitstore.Options{Dir: clone(t, "file://"+bare)})
	s, err := r.Init(background, storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	long := storetest.Finalize(t, r, storetest.Attempt("refunds", "v1", "A"))
	rec, _ := long.Reserve(storetest.Attempt("refunds", "v2", "B"), ledger.Terms{}, storetest.Time())

	run(t, bare, "update-ref", "refs/heads/capeval-ledger", s.Head)
	if _, err := r.Append(background, long, rec); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("Append to a ledger that was rewound: %v, want ErrStale", err)
	}
	now, err := r.Head(background)
	if err != nil || !errors.Is(now.Check(s.Genesis, long.Checkpoint()), ledger.ErrRewound) {
		t.Errorf("a rewound ledger: %v, %v, want ErrRewound", err, now.Check(s.Genesis, long.Checkpoint()))
	}
	run(t, bare, "update-ref", "-d", "refs/heads/capeval-ledger")
	rec = ledger.NewPolicy("refunds", []ledger.Task{{ID: "x", Split: "val"}}, ledger.Run{}, storetest.Time())
	if _, err := r.Append(background, s, rec); !errors.Is(err, ledger.ErrMissing) {
		t.Errorf("Append to a ledger that was deleted: %v, want ErrMissing", err)
	}
	if _, err := r.Head(background); !errors.Is(err, ledger.ErrMissing) {
		t.Errorf("Head: %v, want ErrMissing: it is not made again", err)
	}
}
