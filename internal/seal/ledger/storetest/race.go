package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
)

func races(t *testing.T, fresh func(t *testing.T) Place) {
	two, five, some := 10, 1, 1
	switch {
	case Long():
		two, five, some = 200, 50, 50
	case testing.Short():
		two = 2
	}
	t.Run("races of two", func(t *testing.T) { race(t, fresh(t), two, 2, false) })
	t.Run("races of five", func(t *testing.T) { race(t, fresh(t), five, 5, false) })
	t.Run("races of two who may supersede", func(t *testing.T) { race(t, fresh(t), some, 2, true) })
	t.Run("two keys at once", func(t *testing.T) { twoKeys(t, fresh(t), some) })
}

// race lets jobs finalize one key at once, each with a handle of its own, once
// for each of n releases. Exactly one of them looks.
func race(t *testing.T, p Place, n, jobs int, supersede bool) {
	c, _ := Made(t, p)
	records := 1
	for i := range n {
		release := fmt.Sprintf("v%d", i)
		var looks atomic.Int32
		errs := make([]error, jobs)
		start := make(chan struct{})
		var wg sync.WaitGroup
		for j := range jobs {
			wg.Go(func() {
				h := p.Open(t)
				<-start
				a := Attempt("refunds", release, fmt.Sprintf("%d.%d", i, j))
				errs[j] = contend(h, a, supersede, func() { looks.Add(1) })
			})
		}
		close(start)
		wg.Wait()
		won := 0
		for _, err := range errs {
			var r *ledger.Refusal
			switch {
			case err == nil:
				won++
			case !errors.As(err, &r) || r.ID != "S06" && r.ID != "S07" && r.ID != "S08":
				t.Errorf("race %d: a loser got %v, want S06, S07 or S08", i, err)
			}
		}
		s, err := c.Head(background)
		if err != nil {
			t.Fatalf("race %d: %v", i, err)
		}
		observed := 0
		for _, e := range s.Entries[records:] {
			if e.Record.Kind == ledger.Observed {
				observed++
			}
		}
		if won != 1 || looks.Load() != 1 || observed != 1 {
			t.Fatalf("race %d: %d winners, %d looks, %d observed records; want one of each", i, won, looks.Load(), observed)
		}
		if got := len(s.Entries) - records; got != 3 && !supersede {
			t.Fatalf("race %d left %d records, want 3", i, got)
		}
		records = len(s.Entries)
	}
	t.Logf("%d races of %d jobs: one winner each, %d records", n, jobs, records)
}

// contend finalizes a; when it may supersede, it takes over the first reservation
// that refuses it.
func contend(h ledger.Store, a ledger.Attempt, supersede bool, looked func()) error {
	_, err := finalize(background, h, a, ledger.Terms{}, looked)
	var r *ledger.Refusal
	if supersede && errors.As(err, &r) && r.ID == "S06" {
		holder := r.Attempt
		a.ID += " again" // it may have reserved, and been fenced off since
		_, err = finalize(background, h, a, ledger.Terms{Supersede: holder}, looked)
	}
	return err
}

// twoKeys lets two jobs finalize keys of their own at once. Both look.
func twoKeys(t *testing.T, p Place, n int) {
	c, _ := Made(t, p)
	for i := range n {
		var wg sync.WaitGroup
		for _, suite := range []string{"refunds", "orders"} {
			wg.Go(func() {
				if err := contend(p.Open(t), Attempt(suite, fmt.Sprintf("v%d", i), fmt.Sprintf("%s %d", suite, i)), false, func() {}); err != nil {
					t.Errorf("%s %d: %v", suite, i, err)
				}
			})
		}
		wg.Wait()
	}
	if s, err := c.Head(background); err != nil || len(s.Entries) != 1+6*n {
		t.Errorf("%d records, %v; want %d", len(s.Entries), err, 1+6*n)
	}
}
