package gitstore_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

// grow writes a ledger of n finalizes into the repository dir, by fast-import: as
// the stores would, in seconds rather than hours.
func grow(t testing.TB, dir string, n int) {
	t.Helper()
	var stream bytes.Buffer
	seq, prev := 0, ""
	add := func(r ledger.Record) {
		seq++
		r.V, r.Seq, r.Prev = ledger.Version, seq, prev
		data, err := ledger.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		prev = ledger.Digest(data)
		fmt.Fprintf(&stream, "commit %s\nmark :%d\ncommitter c <c@d> 1764537420 +0000\ndata 0\n", gitstore.DefaultRef, seq)
		if seq > 1 {
			fmt.Fprintf(&stream, "from :%d\n", seq-1)
		}
		fmt.Fprintf(&stream, "M 100644 inline r/%s\ndata %d\n%s\n", ledger.FileName(seq), len(data), data)
	}
	add(storetest.Genesis())
	for i := range n {
		id := fmt.Sprint("attempt ", i)
		a := storetest.Attempt("refunds", fmt.Sprint("v", i), id)
		k, err := a.Key()
		if err != nil {
			t.Fatal(err)
		}
		tasks := ledger.SortTasks(a.Tasks)
		r := ledger.Record{
			Key: k.String(), Suite: k.Suite, FP: k.FP, Release: k.Release, Attempt: id, Tasks: tasks, TasksSHA256: ledger.TasksSHA256(tasks),
			Candidate: a.Candidate, Scorer: a.Scorer, Plan: &a.Plan, Run: &a.Run, TS: "2026-11-30T21:17:00Z",
			Look: i + 1, Overlap: &ledger.Overlap{Fresh: len(tasks)},
		}
		if i > 0 {
			r.Overlap = &ledger.Overlap{Reused: len(tasks)}
		}
		r.Kind = ledger.Reserved
		add(r)
		r.Kind, r.NonceSHA256 = ledger.Observed, ledger.NonceSHA256(storetest.Nonce(id))
		add(r)
		res := storetest.Result(id)
		r.Kind, r.NonceSHA256, r.Nonce, r.Result, r.Tasks, r.Look, r.Overlap = ledger.Committed, "", storetest.Nonce(id), &res, nil, 0, nil
		add(r)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = dir, &stream
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v\n%s", err, out)
	}
}

// A long ledger is read and verified, and can be written on, and its remote twin
// is fetched once and not again.
func TestLongLedger(t *testing.T) {
	n := 200
	if storetest.Long() {
		n = 3333
	}
	bare := server(t)
	grow(t, bare, n)
	timed := func(what string, act func() (ledger.Snapshot, error), want int) {
		t.Helper()
		begin := time.Now()
		s, err := act()
		if err != nil || len(s.Entries) != want {
			t.Fatalf("%s: %d records, %v; want %d", what, len(s.Entries), err, want)
		}
		t.Logf("%s: %v", what, time.Since(begin).Round(time.Millisecond))
	}
	r := openRemote(t, gitstore.Options{Dir: clone(t, "file://"+bare, "--depth=1")})
	head := func() (ledger.Snapshot, error) { return r.Head(background) }
	timed("fetched and verified", head, 3*n+1)
	timed("asked again", head, 3*n+1)
	timed("finalized", func() (ledger.Snapshot, error) {
		return storetest.Finalize(t, r, storetest.Attempt("refunds", "last", "last")), nil
	}, 3*n+4)
	local := localPlace(bare).Open(t)
	timed("read and verified", func() (ledger.Snapshot, error) { return local.Head(background) }, 3*n+4)
}

// BenchmarkRead10000 reads and verifies a ledger of 10,000 records that lies on
// this disk, each time by a store that has not seen it.
func BenchmarkRead10000(b *testing.B) {
	dir := b.TempDir()
	run(b, dir, "init", "-q")
	grow(b, dir, 3333)
	for b.Loop() {
		if s, err := localPlace(dir).Open(b).Head(background); err != nil || len(s.Entries) != 10_000 {
			b.Fatal(len(s.Entries), err)
		}
	}
}
