package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

var background = context.Background()

// The test binary is its own child, so that a real process is killed.
const childEnv = "CAPEVAL_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, storetest.Write(ledger.NewDir(os.Args[1]), os.Args[2]))
	os.Exit(1)
}

type dirPlace string

func (d dirPlace) Open(testing.TB) ledger.Creator { return ledger.NewDir(string(d)) }

func TestDir(t *testing.T) {
	storetest.Run(t, ledger.ScopeLocal, func(t *testing.T) storetest.Place {
		return dirPlace(filepath.Join(t.TempDir(), "not", "yet"))
	})
}

func TestDirKilled(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	times := 6
	if storetest.Long() {
		times = 100
	}
	storetest.Kill(t, dirPlace(dir), times, func(who string) *exec.Cmd {
		cmd := exec.Command(self, dir, who)
		cmd.Env = append(os.Environ(), childEnv+"=dir")
		cmd.Stderr = os.Stderr
		return cmd
	})
}

// spoiled makes a ledger of four records, lets spoil change its folder, and
// returns what reading it says.
func spoiled(t *testing.T, spoil func(r string)) error {
	t.Helper()
	dir := t.TempDir()
	c, _ := storetest.Made(t, dirPlace(dir))
	storetest.Finalize(t, c, storetest.Attempt("refunds", "v1", "A"))
	spoil(filepath.Join(dir, "r"))
	_, err := ledger.NewDir(dir).Head(background)
	return err
}

func TestDirThatWasChanged(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	edit := func(name, from, to string) func(string) {
		return func(r string) {
			data, err := os.ReadFile(filepath.Join(r, name))
			must(err)
			must(os.WriteFile(filepath.Join(r, name), []byte(strings.Replace(string(data), from, to, 1)), 0o644))
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(r string)
		seq   int
		words string
	}{
		{"the last record is torn", func(r string) { must(os.Truncate(filepath.Join(r, "000004.json"), 100)) }, 4, "in the middle"},
		{"the last record is empty", func(r string) { must(os.Truncate(filepath.Join(r, "000004.json"), 0)) }, 4, "in the middle"},
		{"the last record lacks its newline", edit("000004.json", "\n", ""), 4, "other bytes"},
		{"a record is edited", edit("000002.json", "git:v1", "git:v2"), 3, "prev"},
		{"a record is gone", func(r string) { must(os.Remove(filepath.Join(r, "000003.json"))) }, 3, "need 000003.json"},
		{"genesis is gone", func(r string) { must(os.Remove(filepath.Join(r, "000001.json"))) }, 1, "need 000001.json"},
		{"a record of another name", func(r string) { must(os.WriteFile(filepath.Join(r, "5.json"), nil, 0o644)) }, 5, "found the file 5.json"},
		{"a folder", func(r string) { must(os.Mkdir(filepath.Join(r, "000005.json"), 0o755)) }, 5, "regular file"},
		{"a link", func(r string) { must(os.Symlink("000004.json", filepath.Join(r, "000005.json"))) }, 5, "regular file"},
		{"a copy of the last", func(r string) { must(os.Link(filepath.Join(r, "000004.json"), filepath.Join(r, "000005.json"))) }, 5, "record #4"},
		{"far too long", func(r string) {
			must(os.WriteFile(filepath.Join(r, "000005.json"), make([]byte, ledger.MaxBytes+1), 0o644))
		}, 5, "at most"},
	} {
		err := spoiled(t, c.spoil)
		var bad *ledger.CorruptError
		if !errors.As(err, &bad) || bad.Seq != c.seq || !strings.Contains(bad.Reason, c.words) || bad.Seq > 1 && bad.LastGood == "" {
			t.Errorf("%s: %v, want record #%d and %q", c.name, err, c.seq, c.words)
		}
	}
	if err := spoiled(t, func(r string) {
		for _, name := range []string{".capeval-tmp-old.json", ".capeval-tmp-x", "000005.json.tmp", ".DS_Store"} {
			must(os.WriteFile(filepath.Join(r, name), []byte("half"), 0o644))
		}
	}); err != nil {
		t.Errorf("what a dead writer left: %v, want nothing", err)
	}
}

func TestDirThatGoesAway(t *testing.T) {
	dir := t.TempDir()
	c, s := storetest.Made(t, dirPlace(dir))
	r := ledger.NewPolicy("refunds", []ledger.Task{{ID: "a", Split: "val"}}, ledger.Run{}, storetest.Time())
	if err := os.RemoveAll(filepath.Join(dir, "r")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Append(background, s, r); !errors.Is(err, ledger.ErrMissing) {
		t.Errorf("Append: %v, want ErrMissing", err)
	}
	if _, err := c.Head(background); !errors.Is(err, ledger.ErrMissing) {
		t.Errorf("Head: %v, want ErrMissing", err)
	}
	other := storetest.Genesis()
	other.Ledger = "meadow"
	if _, err := c.Init(background, other); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Append(background, s, r); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("Append to one that was made anew: %v, want ErrStale", err)
	}
}
