package seal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
)

// The test binary is its own child: the clients that race, and the broker that
// is killed, are real processes.
const childEnv = "CAPEVAL_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "ask":
		childAsk(os.Args[1], os.Args[2])
	case "broker":
		childBroker(os.Args[1], os.Args[2])
	}
}

// plan is a plan of n tasks with k trials each.
func plan(n, k int) Plan {
	p := Plan{Suite: "refund-agent", BaseSeed: 7}
	for i := range n {
		id := fmt.Sprintf("task-%02d", i)
		p.Tasks = append(p.Tasks, Task{ID: id, Digest: fmt.Sprintf("sha256:%064d", i), Trials: k})
	}
	return p
}

// stand is a broker with what belongs to it.
type stand struct {
	*Broker
	dir      string
	grant    Grant
	cfg      BrokerConfig
	observed atomic.Int32
}

func start(t testing.TB, p Plan, change func(*BrokerConfig)) *stand {
	t.Helper()
	dir, err := MakeDir(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &stand{dir: dir}
	s.cfg = BrokerConfig{
		Addr: filepath.Join(dir, "broker"), Attempt: "attempt-1", Nonce: NewNonce(), Journal: filepath.Join(dir, "grants.jsonl"),
		Slots:   append(p.Slots(Candidate), p.Slots(Baseline)...),
		Observe: func(context.Context) error { s.observed.Add(1); return nil },
	}
	if change != nil {
		change(&s.cfg)
	}
	s.grant = grantOf(s.cfg, p)
	if s.Broker, err = StartBroker(s.cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func grantOf(cfg BrokerConfig, p Plan) Grant {
	return Grant{
		V: 1, Addr: cfg.Addr, Attempt: cfg.Attempt, Nonce: cfg.Nonce, Role: Candidate, Suite: p.Suite,
		FP: Fingerprint(p.Tasks), Plan: p.Digest(), Tasks: p.Tasks, Ledger: Locator{Kind: "dir", Path: "/ledger"},
	}
}

// proven reads the journal of a broker that was closed.
func (s *stand) proven(t testing.TB) Grants {
	t.Helper()
	g, err := readJournal(s.cfg.Journal, s.cfg.Nonce)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func readJournal(path, nonce string) (Grants, error) {
	f, err := os.Open(path)
	if err != nil {
		return Grants{}, err
	}
	defer f.Close()
	return ReadGrants(f, nonce)
}

// refusedAs checks that err is the refusal of an id.
func refusedAs(t testing.TB, err error, id string) Refusal {
	t.Helper()
	var r Refusal
	if !errors.As(err, &r) || r.ID != id {
		t.Errorf("found %v, want a refusal %s", err, id)
	}
	return r
}

// childAsk asks for every trial of the grant's tasks, with several goroutines,
// and prints what was granted.
func childAsk(path, goroutines string) {
	g, err := ReadGrant(path)
	if err != nil {
		fatal(err)
	}
	n, _ := strconv.Atoi(goroutines)
	c := NewClient(g)
	if err := c.Hello(context.Background()); err != nil {
		fatal(err)
	}
	type granted struct {
		Slot
		receipt string
	}
	slots, got := make(chan Slot), make(chan granted, 1<<16)
	done := make(chan bool)
	for range n {
		go func() {
			for s := range slots {
				receipt, err := c.Ask(context.Background(), s.Task, s.Trial)
				var r Refusal
				switch {
				case err == nil:
					got <- granted{s, receipt}
				case !errors.As(err, &r) || r.ID != "S05":
					fatal(err)
				}
			}
			done <- true
		}()
	}
	p := Plan{Suite: g.Suite, Tasks: g.Tasks}
	for _, s := range p.Slots(g.Role) {
		slots <- s
	}
	close(slots)
	for range n {
		<-done
	}
	close(got)
	for g := range got {
		fmt.Printf("%s %d %s\n", g.Task, g.Trial, g.receipt)
	}
}

// childBroker is a broker until it is killed.
func childBroker(dir, nonce string) {
	p := plan(10, 10)
	_, err := StartBroker(BrokerConfig{
		Addr: filepath.Join(dir, "broker"), Attempt: "attempt-1", Nonce: nonce, Journal: filepath.Join(dir, "grants.jsonl"),
		Slots: p.Slots(Candidate), Observe: func(context.Context) error { return nil },
	})
	if err != nil {
		fatal(err)
	}
	fmt.Println("listening")
	select {}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
