package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/durable"
)

// On a file system without links O_EXCL decides: one writer a number, and a torn
// record is refused by readers and left alone by writers.
func TestClaimWithoutLinks(t *testing.T) {
	const racers = 16
	for i := range 20 {
		path := filepath.Join(t.TempDir(), "c")
		won := make([]bool, racers)
		var wg sync.WaitGroup
		for j := range racers {
			wg.Go(func() {
				err := claimExcl(path, []byte(fmt.Sprint(j)))
				if won[j] = err == nil; !won[j] && !errors.Is(err, durable.ErrClaimed) {
					t.Errorf("a loser got %v", err)
				}
			})
		}
		wg.Wait()
		n := 0
		for j, w := range won {
			if w {
				n++
				if got, _ := os.ReadFile(path); string(got) != fmt.Sprint(j) {
					t.Errorf("race %d: the file holds %q, the winner is %d", i, got, j)
				}
			}
		}
		if n != 1 {
			t.Fatalf("race %d: %d winners", i, n)
		}
	}
}

func TestTornRecordWithoutLinks(t *testing.T) {
	d := &Dir{path: t.TempDir(), claim: claimExcl}
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	s, err := d.Init(context.Background(), NewGenesis("orchard", Run{}, at))
	if err != nil {
		t.Fatal(err)
	}
	r := NewPolicy("s", []Task{{ID: "a", Split: "val"}}, Run{}, at)
	_, data, err := s.Prepare(r)
	if err != nil {
		t.Fatal(err)
	}
	torn := d.file(2)
	if err := os.WriteFile(torn, data[:len(data)/2], 0o644); err != nil { // as its writer died
		t.Fatal(err)
	}
	if _, err := d.Append(context.Background(), s, r); !errors.Is(err, ErrStale) {
		t.Errorf("Append: %v, want ErrStale: the number is taken", err)
	}
	if _, err := d.Head(context.Background()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Head: %v, want ErrCorrupt", err)
	}
	// A writer that is only slow is waited for.
	time.AfterFunc(30*time.Millisecond, func() { _ = os.WriteFile(torn, data, 0o644) })
	if s, err := d.Head(context.Background()); err != nil || len(s.Entries) != 2 {
		t.Errorf("Head while it is written: %d records, %v", len(s.Entries), err)
	}
}

// What a disk says decides whether another try can help.
func TestDiskThatFails(t *testing.T) {
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for cause, want := range map[error]error{syscall.ENOSPC: ErrUnavailable, syscall.EACCES: ErrReadOnly, syscall.EROFS: ErrReadOnly, syscall.EIO: ErrUnavailable} {
		d := NewDir(t.TempDir())
		s, err := d.Init(context.Background(), NewGenesis("orchard", Run{}, at))
		if err != nil {
			t.Fatal(err)
		}
		d.claim = func(path string, _ []byte) error { return &os.PathError{Op: "write", Path: path, Err: cause} }
		r := NewPolicy("s", []Task{{ID: "a", Split: "val"}}, Run{}, at)
		if _, err := d.Append(context.Background(), s, r); !errors.Is(err, want) || !errors.Is(err, cause) {
			t.Errorf("%v: %v, want %v", cause, err, want)
		}
		d.claim = claim
		if s, err = d.Append(context.Background(), s, r); err != nil || len(s.Entries) != 2 {
			t.Errorf("%v, and well again: %d records, %v", cause, len(s.Entries), err)
		}
	}
}
