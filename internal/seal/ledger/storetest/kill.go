package storetest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// Write finalizes one release after another for ever, and prints the number of
// each record that was taken. It is what a process does that [Kill] kills.
func Write(c ledger.Store, who string) error {
	for n := 0; ; n++ {
		a := Attempt("refunds", fmt.Sprintf("%s %d", who, n), fmt.Sprintf("%s %d", who, n))
		for _, decide := range []func(s ledger.Snapshot) (ledger.Record, error){
			func(s ledger.Snapshot) (ledger.Record, error) { return s.Reserve(a, ledger.Terms{}, Time()) },
			func(s ledger.Snapshot) (ledger.Record, error) {
				return s.Observe(a, ledger.NonceSHA256(Nonce(a.ID)), Time())
			},
			func(s ledger.Snapshot) (ledger.Record, error) {
				return s.Commit(a.ID, Nonce(a.ID), Result(a.ID), a.Run, Time())
			},
		} {
			s, err := step(background, c, decide)
			if err != nil {
				return err
			}
			fmt.Println(len(s.Entries))
		}
	}
}

// Kill kills a process that writes to p at a random moment, several times, and
// wants the ledger whole each time, with every record that was acknowledged and
// at most one more. child returns the process, which calls [Write].
func Kill(t *testing.T, p Place, times int, child func(who string) *exec.Cmd) {
	t.Helper()
	c, _ := Made(t, p)
	rnd := rand.New(rand.NewPCG(7, 11))
	taken, more := 0, 0
	for k := range times {
		cmd := child("child " + strconv.Itoa(k))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := 0
		var timer *time.Timer
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
			if err != nil {
				t.Fatalf("the child said %q", lines.Text())
			}
			if last == 0 {
				timer = time.AfterFunc(time.Duration(rnd.IntN(400))*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
			last = n
		}
		_ = cmd.Wait()
		if timer == nil {
			t.Fatal("the child took no record")
		}
		timer.Stop()
		s := settled(t, c)
		if n := len(s.Entries); n < last || n > last+1 {
			t.Fatalf("kill %d: %d records, %d were acknowledged", k, n, last)
		}
		more += len(s.Entries) - last
		taken = len(s.Entries)
	}
	t.Logf("%d processes killed, %d records, %d of them were not acknowledged", times, taken, more)
	Finalize(t, c, Attempt("orders", "v1", "after"))
}

// settled reads the ledger when nobody writes any more: what a dead process
// started may go on for a moment.
func settled(t *testing.T, c ledger.Store) ledger.Snapshot {
	t.Helper()
	before := ""
	for {
		s, err := c.Head(background)
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		if s.Head == before {
			return s
		}
		before = s.Head
		time.Sleep(500 * time.Millisecond)
	}
}
