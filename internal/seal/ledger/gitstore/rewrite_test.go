package gitstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

// TestRewrites lets somebody with the right to push change a ledger of four
// records by hand, in every way that structure alone can find.
func TestRewrites(t *testing.T) {
	const branch = "capeval-ledger"
	origin := t.TempDir()
	run(t, origin, "init", "-q", "-b", "main")
	l := localPlace(origin).Open(t)
	if _, err := l.Init(background, storetest.Genesis()); err != nil {
		t.Fatal(err)
	}
	good := storetest.Finalize(t, l, storetest.Attempt("refunds", "v1", "A"))

	checkout := filepath.Join(t.TempDir(), "checkout")
	run(t, "/", "clone", "-q", "--single-branch", "-b", branch, "file://"+origin, checkout)
	write := func(t *testing.T, dir, name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(t *testing.T, dir string) {
		t.Helper()
		run(t, dir, "add", "-A")
		run(t, dir, "commit", "-qm", "by hand", "--allow-empty")
	}
	read := func(dir, name string) string {
		data, _ := os.ReadFile(filepath.Join(dir, name))
		return string(data)
	}
	next := func(s ledger.Snapshot) string { // a record that might follow
		r, err := s.Reserve(storetest.Attempt("refunds", "v2", "B"), ledger.Terms{}, storetest.Time())
		if err != nil {
			t.Fatal(err)
		}
		_, data, _ := s.Prepare(r)
		return string(data)
	}(good)

	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		seq   int
		words string
	}{
		{"a record is edited", func(t *testing.T, dir string) {
			write(t, dir, "r/000003.json", strings.Replace(read(dir, "r/000003.json"), `"look":1`, `"look":3`, 1))
			commit(t, dir)
		}, 5, `changes "r/000003.json"`},
		{"a record is edited where it was written", func(t *testing.T, dir string) {
			run(t, dir, "reset", "-q", "--hard", good.Entries[2].ID)
			write(t, dir, "r/000003.json", strings.Replace(read(dir, "r/000003.json"), "git:v1", "git:v9", 1))
			run(t, dir, "commit", "-qam", "x", "--amend")
		}, 3, "S20"},
		{"a record is deleted", func(t *testing.T, dir string) {
			run(t, dir, "rm", "-q", "r/000004.json")
			commit(t, dir)
		}, 5, `deletes "r/000004.json"`},
		{"a record is deleted in the middle", func(t *testing.T, dir string) {
			run(t, dir, "rm", "-q", "r/000002.json")
			commit(t, dir)
		}, 5, `deletes "r/000002.json"`},
		{"an extra file", func(t *testing.T, dir string) {
			write(t, dir, "README", "hello")
			commit(t, dir)
		}, 5, `adds "README"`},
		{"a record and an extra file", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", next)
			write(t, dir, "r/notes.txt", "hello")
			commit(t, dir)
		}, 5, `adds "r/notes.txt"`},
		{"an extra file that went again", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", next)
			write(t, dir, "x", "hello")
			commit(t, dir)
			run(t, dir, "rm", "-q", "x")
			commit(t, dir)
		}, 5, `adds "x"`},
		{"an edit that was undone", func(t *testing.T, dir string) {
			was := read(dir, "r/000001.json")
			write(t, dir, "r/000001.json", strings.Replace(was, "orchard", "meadows", 1))
			commit(t, dir)
			write(t, dir, "r/000001.json", was)
			commit(t, dir)
		}, 5, `changes "r/000001.json"`},
		{"a commit that changes nothing", func(t *testing.T, dir string) { commit(t, dir) }, 5, "changes nothing"},
		{"a wrong prev", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", strings.Replace(next, good.Entries[3].Digest, good.Entries[2].Digest, 1))
			commit(t, dir)
		}, 5, "prev"},
		{"a wrong number", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", strings.Replace(next, `"seq":5`, `"seq":6`, 1))
			commit(t, dir)
		}, 5, "record #6"},
		{"a number that is left out", func(t *testing.T, dir string) {
			write(t, dir, "r/000006.json", strings.Replace(next, `"seq":5`, `"seq":6`, 1))
			commit(t, dir)
		}, 5, `adds "r/000006.json"`},
		{"a record that no law allows", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", strings.ReplaceAll(next, `"look":2`, `"look":1`))
			commit(t, dir)
		}, 5, "says look 1"},
		{"a record with an unknown key", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", strings.Replace(next, `"v":1`, `"v":1,"zeal":2`, 1))
			commit(t, dir)
		}, 5, `unknown field "zeal"`},
		{"no JSON", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", "seal\n")
			commit(t, dir)
		}, 5, "invalid character"},
		{"a record that is a program", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", next)
			if err := os.Chmod(filepath.Join(dir, "r/000005.json"), 0o755); err != nil {
				t.Fatal(err)
			}
			commit(t, dir)
		}, 5, "mode 100755"},
		{"a record that is a link", func(t *testing.T, dir string) {
			if err := os.Symlink("000004.json", filepath.Join(dir, "r/000005.json")); err != nil {
				t.Fatal(err)
			}
			commit(t, dir)
		}, 5, "mode 120000"},
		{"a merge", func(t *testing.T, dir string) {
			run(t, dir, "checkout", "-q", "--orphan", "side")
			run(t, dir, "rm", "-rqf", ".")
			commit(t, dir)
			run(t, dir, "checkout", "-q", branch)
			run(t, dir, "merge", "-q", "--no-edit", "--allow-unrelated-histories", "side")
		}, 5, "merge"},
		{"two records at once", func(t *testing.T, dir string) {
			run(t, dir, "reset", "-q", "--soft", good.Entries[1].ID)
			commit(t, dir)
		}, 3, `adds "r/000004.json"`},
		{"an over-long record", func(t *testing.T, dir string) {
			write(t, dir, "r/000005.json", strings.Repeat("x", ledger.MaxBytes+1))
			commit(t, dir)
		}, 5, "bytes, need at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, checkout, "spoiled")
			c.spoil(t, dir)
			_, err := localPlace(dir).Open(t).Head(background)
			var bad *ledger.CorruptError
			if !errors.As(err, &bad) || bad.Seq != c.seq || !strings.Contains(bad.Reason, c.words) {
				t.Fatalf("found %v, want record #%d and %q", err, c.seq, c.words)
			}
			if id := run(t, dir, "rev-list", "--first-parent", "--reverse", branch); strings.Split(id, "\n")[c.seq-1] != bad.ID || bad.LastGood != strings.Split(id, "\n")[c.seq-2] {
				t.Errorf("it is commit %s after %s, found %+v", id, good.Head, bad)
			}
		})
	}
	t.Run("a ref that is no commit", func(t *testing.T) {
		dir := t.TempDir()
		run(t, dir, "init", "-q")
		write(t, dir, "x", "x")
		blob := run(t, dir, "hash-object", "-w", "x")
		run(t, dir, "update-ref", "refs/capeval/ledger", blob)
		l, err := gitstore.OpenLocal(background, gitstore.Options{Dir: dir, Ref: "refs/capeval/ledger"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Head(background); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("Head: %v, want ErrCorrupt", err)
		}
	})
}

// TestRewritesThatLookWhole are those that only a checkpoint finds.
func TestRewritesThatLookWhole(t *testing.T) {
	make := func(releases ...string) (ledger.Creator, ledger.Snapshot, string) {
		dir := t.TempDir()
		run(t, dir, "init", "-q")
		l := localPlace(dir).Open(t)
		s, err := l.Init(background, storetest.Genesis())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range releases {
			s = storetest.Finalize(t, l, storetest.Attempt("refunds", r, "attempt "+r))
		}
		return l, s, dir
	}
	_, whole, _ := make("v1", "v2")
	seen := whole.Checkpoint()
	for why, releases := range map[string][]string{"cut": {"v1"}, "without a release": {"v2"}, "as long, with another release": {"v1", "v3"}, "longer, without the second": {"v1", "v3", "v4"}} {
		l, _, _ := make(releases...)
		s, err := l.Head(background)
		if err != nil {
			t.Fatalf("%s: %v: its structure is right", why, err)
		}
		if err := s.Check(whole.Genesis); err != nil {
			t.Errorf("%s, genesis pinned: %v", why, err)
		}
		if err := s.Check(whole.Genesis, seen); !errors.Is(err, ledger.ErrRewound) || ledger.ID(err) != "S10" || !strings.Contains(err.Error(), fmt.Sprint("#", seen.Seq)) {
			t.Errorf("%s, a checkpoint pinned: %v, want ErrRewound", why, err)
		}
	}
	l, s, dir := make("v1", "v2", "v3")
	if err := s.Check(whole.Genesis, seen); err != nil {
		t.Errorf("a ledger that went on: %v", err)
	}
	other := storetest.Genesis()
	other.Ledger = "meadow"
	run(t, dir, "update-ref", "-d", gitstore.DefaultRef)
	if s, err := l.Init(background, other); err != nil || !errors.Is(s.Check(whole.Genesis), ledger.ErrAnother) || !errors.Is(s.Check("", seen), ledger.ErrAnother) {
		t.Errorf("another ledger: %v, %v", err, s.Check(whole.Genesis))
	}
}
