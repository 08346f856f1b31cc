package seal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGrantsOnce(t *testing.T) {
	s := start(t, plan(2, 2), nil)
	c := NewClient(s.grant)
	if err := c.Hello(t.Context()); err != nil || s.observed.Load() != 0 || s.Report().Granted != 0 {
		t.Fatalf("hello: %v, %d looks", err, s.observed.Load())
	}
	receipt, err := c.Ask(t.Context(), "task-00", 1)
	if err != nil || len(receipt) != 64 || s.observed.Load() != 1 {
		t.Fatalf("receipt %q, %v, %d looks", receipt, err, s.observed.Load())
	}
	_, err = c.Ask(t.Context(), "task-00", 1)
	if r := refusedAs(t, err, "S05"); !strings.Contains(r.What, "candidate/refund-agent/task-00/1") || r.Exit != exitLooked {
		t.Errorf("found %v", r)
	}
	for _, outside := range []Slot{{Task: "task-00", Trial: 2}, {Task: "task-02"}, {Task: "task-00", Trial: -1}, {Task: ""}, {Task: "TASK-00"}, {Task: "task-00\n"}} {
		_, err := c.Ask(t.Context(), outside.Task, outside.Trial)
		refusedAs(t, err, "S04")
	}
	other := s.grant
	other.Role = Baseline
	if _, err := NewClient(other).Ask(t.Context(), "task-00", 1); err != nil {
		t.Errorf("the other role: %v", err)
	}
	other.Suite = "other"
	_, err = NewClient(other).Ask(t.Context(), "task-00", 0)
	refusedAs(t, err, "S04")

	rep := s.Close()
	if rep.Granted != 2 || len(rep.Open) != 6 || len(rep.Twice) != 1 || len(rep.Outside) != 7 || rep.Clean() || !rep.Observed || s.observed.Load() != 1 {
		t.Errorf("%+v", rep)
	}
	g := s.proven(t)
	if !g.Observed || !g.Closed || g.Head != rep.Head || len(g.Granted()) != 2 || len(g.Refused) != 8 {
		t.Errorf("the journal: %+v", g)
	}
	slot := Slot{Candidate, "refund-agent", "task-00", 1}
	if !g.Accepts(slot, receipt) {
		t.Error("the receipt does not count")
	}
	slot.Role = Baseline
	for _, bad := range []string{receipt, "", strings.ToUpper(receipt)} {
		if g.Accepts(slot, bad) {
			t.Errorf("%s counts with receipt %q", slot, bad)
		}
	}
	if again := s.Close(); again.Head != rep.Head {
		t.Error("closed twice, it says something else")
	}
}

func TestNothingIsGrantedWithoutTheLook(t *testing.T) {
	for name, observe := range map[string]func() error{
		"error": func() error { return errors.New("the remote said 403") }, "panic": func() error { panic("the remote said 403") },
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			s := start(t, plan(4, 4), func(c *BrokerConfig) {
				c.Observe = func(context.Context) error { calls.Add(1); return observe() }
			})
			var all sync.WaitGroup
			for k := range 16 {
				all.Go(func() {
					_, err := NewClient(s.grant).Ask(context.Background(), fmt.Sprintf("task-%02d", k/4), k%4)
					if r := refusedAs(t, err, "S13"); r.Exit != exitInfra || !strings.Contains(r.What, "403") {
						t.Errorf("found %v", r)
					}
				})
			}
			all.Wait()
			rep := s.Close()
			if calls.Load() != 1 || rep.Observed || rep.Granted != 0 || len(rep.Open) != 32 || rep.Unobserved == nil {
				t.Errorf("%d calls, %+v", calls.Load(), rep)
			}
			if g := s.proven(t); g.Observed || len(g.Granted()) != 0 {
				t.Errorf("the journal proves %+v", g)
			}
		})
	}
}

// What may not be granted is no reason to look.
func TestInvalidRequestsAreNoLook(t *testing.T) {
	s := start(t, plan(1, 1), nil)
	c := NewClient(s.grant)
	_, err := c.Ask(t.Context(), "task-07", 0)
	refusedAs(t, err, "S04")
	stranger := s.grant
	stranger.Nonce = NewNonce()
	_, err = NewClient(stranger).Ask(t.Context(), "task-00", 0)
	refusedAs(t, err, "S03")
	refusedAs(t, NewClient(stranger).Hello(t.Context()), "S03")
	another := s.grant
	another.Attempt = "attempt-2"
	_, err = NewClient(another).Ask(t.Context(), "task-00", 0)
	refusedAs(t, err, "S03")
	if s.observed.Load() != 0 || s.Report().Observed {
		t.Error("looked")
	}
}

// Somebody who listens in the broker's place and does not know the nonce is not
// believed, whatever he answers.
func TestForgedBroker(t *testing.T) {
	p := plan(1, 1)
	for name, serve := range map[string]func(net.Conn){
		"silence":       func(c net.Conn) {},
		"garbage":       func(c net.Conn) { fmt.Fprintln(c, "\x00\xff{") },
		"no end":        func(c net.Conn) { _, _ = io.CopyN(c, zeros{}, 1<<20) },
		"no proof":      func(c net.Conn) { greet(c, `{"answer":{"receipt":"yes"},"mac":""}`) },
		"another nonce": func(c net.Conn) { greet(c, `{"answer":{"receipt":"yes"},"mac":"`+strings.Repeat("a", 64)+`"}`) },
		"null":          func(c net.Conn) { greet(c, `null`) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := MakeDir(".")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			lis, err := net.Listen("unix", filepath.Join(dir, "broker"))
			if err != nil {
				t.Fatal(err)
			}
			defer lis.Close()
			go func() {
				for {
					c, err := lis.Accept()
					if err != nil {
						return
					}
					serve(c)
					c.Close()
				}
			}()
			c := NewClient(grantOf(BrokerConfig{Addr: lis.Addr().String(), Attempt: "a", Nonce: NewNonce()}, p))
			refusedAs(t, c.Hello(t.Context()), "S03")
			_, err = c.Ask(t.Context(), "task-00", 0)
			refusedAs(t, err, "S03")
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// greet answers as a broker would who has seen the wire, without the nonce.
func greet(c net.Conn, line string) {
	_ = writeLine(c, greeting{1, newChallenge()})
	_, _ = bufio.NewReader(c).ReadString('\n')
	fmt.Fprintln(c, line)
}

// What was recorded on the wire opens nothing a second time.
func TestReplay(t *testing.T) {
	s := start(t, plan(2, 1), nil)
	conn, hello := connect(t, s.cfg.Addr)
	r := request{Op: opTrial, Attempt: "attempt-1", Role: Candidate, Suite: "refund-agent", Task: "task-00", Challenge: newChallenge()}
	r.MAC = r.signed(s.nonce, hello.Challenge)
	var e envelope
	if err := errors.Join(writeLine(conn, r), readLine(conn, maxAnswer, &e)); err != nil {
		t.Fatal(err)
	}
	again, _ := connect(t, s.cfg.Addr)
	if err := writeLine(again, r); err != nil {
		t.Fatal(err)
	}
	if err := readLine(again, maxAnswer, &e); err == nil {
		t.Error("a recorded request was answered on another connection")
	}
	// And what was signed for one trial asks for no other.
	third, hello := connect(t, s.cfg.Addr)
	r.MAC = r.signed(s.nonce, hello.Challenge)
	r.Task = "task-01"
	if err := writeLine(third, r); err != nil {
		t.Fatal(err)
	}
	if err := readLine(third, maxAnswer, &e); err == nil {
		t.Error("a request was answered that was signed for another trial")
	}
	if rep := s.Close(); rep.Granted != 1 || len(rep.Twice) != 0 {
		t.Errorf("%+v", rep)
	}
}

func connect(t testing.TB, addr string) (net.Conn, greeting) {
	t.Helper()
	conn, err := net.Dial("unix", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	var hello greeting
	if err := readLine(conn, maxAnswer, &hello); err != nil {
		t.Fatal(err)
	}
	return conn, hello
}

// Garbage, silence and slowness of some keep nobody else out, and end.
func TestRudeClients(t *testing.T) {
	s := start(t, plan(4, 4), func(c *BrokerConfig) { c.Conns, c.Patience = 8, 300*time.Millisecond })
	var rude sync.WaitGroup
	for i := range 40 {
		rude.Go(func() {
			conn, err := net.Dial("unix", s.cfg.Addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			switch i % 4 {
			case 0: // says nothing
			case 1:
				_, _ = io.CopyN(conn, zeros{}, 1<<20)
			case 2:
				_, _ = io.WriteString(conn, `{"op":"trial","attempt":"attempt-1","role":"candidate","task":"task-00"}`+"\n")
			case 3: // one byte at a time, without an end
				for range 100 {
					if _, err := conn.Write([]byte(" ")); err != nil {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
			}
			_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("a rude client was not cut off")
			}
		})
	}
	for k := range 16 {
		if _, err := NewClient(s.grant).Ask(t.Context(), fmt.Sprintf("task-%02d", k/4), k%4); err != nil {
			t.Error(err)
		}
	}
	rude.Wait()
	if rep := s.Close(); rep.Granted != 16 || s.observed.Load() != 1 || len(rep.Twice)+len(rep.Outside) != 0 {
		t.Errorf("%+v", rep)
	}
}

// A thousand clients in ten processes: each trial is granted to one of them, the
// look is recorded once.
func TestManyProcesses(t *testing.T) {
	p := plan(20, 10)
	s := start(t, p, nil)
	path := filepath.Join(s.dir, "grant")
	if err := WriteGrant(path, s.grant); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const processes, clients = 10, 100
	outputs := make([]string, processes)
	var all sync.WaitGroup
	began := time.Now()
	for i := range processes {
		all.Go(func() {
			cmd := exec.Command(self, path, fmt.Sprint(clients))
			cmd.Env = append(os.Environ(), childEnv+"=ask")
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Error(err)
			}
			outputs[i] = string(out)
		})
	}
	all.Wait()
	took := time.Since(began)
	rep := s.Close()
	g := s.proven(t)
	var got []Slot
	for _, out := range outputs {
		for line := range strings.Lines(out) {
			s := Slot{Role: Candidate, Suite: p.Suite}
			var receipt string
			if _, err := fmt.Sscan(line, &s.Task, &s.Trial, &receipt); err != nil {
				t.Fatal(err)
			}
			if !g.Accepts(s, receipt) {
				t.Errorf("%s with receipt %s does not count", s, receipt)
			}
			got = append(got, s)
		}
	}
	slices.SortFunc(got, Slot.compare)
	if want := p.Slots(Candidate); !slices.Equal(got, want) {
		t.Errorf("granted %d trials %v, want %d, each once", len(got), got, len(want))
	}
	if s.observed.Load() != 1 || rep.Granted != 200 || len(rep.Twice) != min(remembered, 200*processes-200) {
		t.Errorf("%d looks, %d grants, %d asked twice", s.observed.Load(), rep.Granted, len(rep.Twice))
	}
	t.Logf("%d requests of %d clients in %v", 200*processes, processes*clients, took.Round(time.Millisecond))
}

// A killed broker refuses at once, and what it granted is proven.
func TestBrokerKilled(t *testing.T) {
	dir, err := MakeDir(".")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	nonce := NewNonce()
	cmd := exec.Command(self, dir, nonce)
	cmd.Env = append(os.Environ(), childEnv+"=broker")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	c := NewClient(grantOf(BrokerConfig{Addr: filepath.Join(dir, "broker"), Attempt: "attempt-1", Nonce: nonce}, plan(10, 10)))
	var granted, refused atomic.Int32
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			for k := range 10 {
				if _, err := c.Ask(t.Context(), fmt.Sprintf("task-%02d", i), k); err == nil {
					if granted.Add(1) == 20 {
						_ = cmd.Process.Kill()
					}
				} else {
					refused.Add(1)
					refusedAs(t, err, "S03")
				}
			}
		})
	}
	all.Wait()
	_ = cmd.Wait()
	began := time.Now()
	refusedAs(t, c.Hello(t.Context()), "S03")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the refusal took %v", took)
	}
	g, err := readJournal(filepath.Join(dir, "grants.jsonl"), nonce)
	if err != nil || g.Closed || len(g.Granted()) < int(granted.Load()) || granted.Load()+refused.Load() != 100 || refused.Load() == 0 {
		t.Errorf("%d proven (%v), %d granted, %d refused", len(g.Granted()), err, granted.Load(), refused.Load())
	}
}

// Close cuts off a look that hangs, and nothing is granted.
func TestCloseWhileLooking(t *testing.T) {
	looking := make(chan bool)
	s := start(t, plan(1, 1), func(c *BrokerConfig) {
		c.Observe = func(ctx context.Context) error { close(looking); <-ctx.Done(); return ctx.Err() }
	})
	answered := make(chan error)
	go func() {
		_, err := NewClient(s.grant).Ask(context.Background(), "task-00", 0)
		answered <- err
	}()
	<-looking
	rep := s.Close()
	if rep.Observed || rep.Granted != 0 || rep.Unobserved == nil {
		t.Errorf("%+v", rep)
	}
	if err := <-answered; err == nil { // cut off, or told that the look was not recorded
		t.Error("granted")
	}
	if _, err := os.Lstat(s.cfg.Addr); err == nil {
		t.Error("the socket is still there")
	}
}

// Who stops waiting gets no grant to run with.
func TestAskIsCancelled(t *testing.T) {
	looking := make(chan bool)
	s := start(t, plan(1, 1), func(c *BrokerConfig) {
		c.Observe = func(ctx context.Context) error { close(looking); <-ctx.Done(); return ctx.Err() }
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-looking; cancel() }()
	if _, err := NewClient(s.grant).Ask(ctx, "task-00", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v", err)
	}
}

// When the journal cannot be written nothing further is granted.
func TestJournalBreaks(t *testing.T) {
	s := start(t, plan(3, 1), nil)
	c := NewClient(s.grant)
	if _, err := c.Ask(t.Context(), "task-00", 0); err != nil {
		t.Fatal(err)
	}
	s.journal.f.Close()
	for _, task := range []string{"task-01", "task-02"} {
		_, err := c.Ask(t.Context(), task, 0)
		if r := refusedAs(t, err, "S13"); r.Exit != exitLooked || !strings.Contains(r.What, "The look is on the ledger") {
			t.Errorf("found %v", r)
		}
	}
	if rep := s.Close(); rep.Broke == nil || rep.Granted != 1 || rep.Clean() {
		t.Errorf("%+v", rep)
	}
	if g := s.proven(t); len(g.Granted()) != 1 || g.Closed {
		t.Errorf("%+v", g)
	}
}

func TestStartBrokerRefuses(t *testing.T) {
	p := plan(1, 2)
	for name, change := range map[string]func(*BrokerConfig){
		"no address": func(c *BrokerConfig) { c.Addr = "" }, "long address": func(c *BrokerConfig) { c.Addr = "/" + strings.Repeat("x", 200) },
		"no folder": func(c *BrokerConfig) { c.Addr = "/nowhere/broker" }, "no nonce": func(c *BrokerConfig) { c.Nonce = "" },
		"no attempt": func(c *BrokerConfig) { c.Attempt = "" }, "no plan": func(c *BrokerConfig) { c.Slots = nil },
		"twice":      func(c *BrokerConfig) { c.Slots = append(c.Slots, c.Slots[0]) },
		"no role":    func(c *BrokerConfig) { c.Slots[0].Role = "" },
		"no UTF-8":   func(c *BrokerConfig) { c.Slots[0].Task = "\xff" },
		"no observe": func(c *BrokerConfig) { c.Observe = nil },
		"no journal": func(c *BrokerConfig) { c.Journal = "/nowhere/journal" },
		"a journal":  func(c *BrokerConfig) { _ = os.WriteFile(c.Journal, nil, 0o600) },
		"a socket":   func(c *BrokerConfig) { _ = os.WriteFile(c.Addr, nil, 0o600) },
	} {
		dir, err := MakeDir(".")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		cfg := BrokerConfig{
			Addr: filepath.Join(dir, "broker"), Attempt: "a", Nonce: NewNonce(), Slots: p.Slots(Candidate),
			Journal: filepath.Join(dir, "j"), Observe: func(context.Context) error { return nil },
		}
		change(&cfg)
		if b, err := StartBroker(cfg); err == nil {
			b.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

// Any change of a journal is found, but a cut at its end, which shows in Closed
// and Head.
func TestJournalIsAChain(t *testing.T) {
	s := start(t, plan(3, 2), nil)
	c := NewClient(s.grant)
	for k := range 6 {
		if _, err := c.Ask(t.Context(), fmt.Sprintf("task-%02d", k/2), k%2); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = c.Ask(t.Context(), "task-00", 0)
	rep := s.Close()
	data, err := os.ReadFile(s.cfg.Journal)
	if err != nil {
		t.Fatal(err)
	}
	read := func(data string) (Grants, error) { return ReadGrants(strings.NewReader(data), s.cfg.Nonce) }
	whole, err := read(string(data))
	if err != nil || len(whole.Granted()) != 6 || whole.Head != rep.Head {
		t.Fatalf("%+v, %v", whole, err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	for i := range lines {
		cut := strings.Join(lines[:i], "")
		if g, err := read(cut); i > 0 && (err != nil || g.Closed || g.Head == rep.Head) || i == 0 && !errors.Is(err, ErrJournal) {
			t.Errorf("cut before line %d: %+v, %v", i+1, g, err)
		}
		if g, err := read(cut + lines[i][:len(lines[i])/2]); i > 0 && (err != nil || g.Closed) {
			t.Errorf("torn in line %d: %v", i+1, err)
		}
		if i < len(lines)-1 {
			for name, changed := range map[string][]string{
				"taken away": slices.Delete(slices.Clone(lines), i, i+1), "doubled": slices.Insert(slices.Clone(lines), i, lines[i]),
				"swapped": swapped(lines, i),
			} {
				if _, err := read(strings.Join(changed, "")); !errors.Is(err, ErrJournal) {
					t.Errorf("line %d %s: %v", i+1, name, err)
				}
			}
		}
		for _, edit := range [][2]string{{`"trial":0`, `"trial":1`}, {"task-00", "task-09"}, {"candidate", "baseline"}, {`"pid":`, `"pid":1`}, {`"receipt":"`, `"receipt":"0`}, {"S05", "S04"}, {"grant", "refused"}, {`{"v"`, `{ "v"`}} {
			line := strings.Replace(lines[i], edit[0], edit[1], 1)
			if line == lines[i] {
				continue
			}
			if _, err := read(strings.Join(slices.Concat(lines[:i], []string{line}, lines[i+1:]), "")); !errors.Is(err, ErrJournal) {
				t.Errorf("line %d with %s: %v", i+1, edit[1], err)
			}
		}
	}
	for name, bad := range map[string]string{"more": string(data) + lines[0], "empty": "", "blank": "\n", "nonsense": "nonsense\n"} {
		if _, err := read(bad); !errors.Is(err, ErrJournal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadGrants(strings.NewReader(string(data)), NewNonce()); !errors.Is(err, ErrJournal) {
		t.Errorf("another nonce: %v", err)
	}
	// A chain that was made anew needs the nonce for its receipts.
	forged := forge(t, s.cfg.Nonce)
	if _, err := read(forged); !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), "no broker gave") {
		t.Errorf("a forged receipt: %v", err)
	}
}

func swapped(lines []string, i int) []string {
	out := slices.Clone(lines)
	out[i], out[i+1] = out[i+1], out[i]
	return out
}

// forge makes a whole chain without the nonce itself.
func forge(t *testing.T, nonce string) string {
	t.Helper()
	var out strings.Builder
	prev := ""
	for i, l := range []journalLine{
		{Kind: lineOpened, Attempt: "attempt-1", NonceSHA256: NonceSHA256(nonce)}, {Kind: lineObserved},
		{Kind: lineGrant, Slot: &Slot{Candidate, "refund-agent", "task-00", 0}, Receipt: strings.Repeat("a", 64)},
	} {
		l.V, l.Seq, l.Prev = 1, i+1, prev
		data, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(data, '\n'))
		prev = chainDigest(data)
	}
	return out.String()
}

// Whatever comes over the wire, there is no panic, and nothing but a signed
// request for a planned trial is granted.
func FuzzBroker(f *testing.F) {
	for _, line := range []string{"", "{}", "null\n", `{"op":"trial"}` + "\n", "\x00\xff\n", strings.Repeat("[", 1000) + "\n", `{"op":"hello","mac":""}` + "\n" + `{}`} {
		f.Add([]byte(line), "trial", "candidate", "task-00", 0, true)
	}
	f.Add([]byte{}, "hello", "baseline", "task-01", 1, true)
	f.Add([]byte{}, "trial", "baseline", "task-09", -1, false)
	s := start(f, plan(2, 2), func(c *BrokerConfig) { c.Patience = 2 * time.Second })
	planned := map[Slot]bool{}
	for _, slot := range s.cfg.Slots {
		planned[slot] = true
	}
	f.Fuzz(func(t *testing.T, raw []byte, op, role, task string, trial int, sign bool) {
		before := s.Report()
		conn, hello := connect(t, s.cfg.Addr)
		r := request{Op: op, Attempt: "attempt-1", Role: Role(role), Suite: "refund-agent", Task: task, Trial: trial, Challenge: "c"}
		asks := false
		if len(raw) > 0 {
			_, _ = conn.Write(raw)
			_ = conn.(*net.UnixConn).CloseWrite()
		} else {
			r.MAC = "no proof"
			if sign {
				r.MAC = r.signed(s.nonce, hello.Challenge)
				asks = op == opTrial && planned[r.slot()] && slices.Contains(before.Open, r.slot())
			}
			_ = writeLine(conn, r)
		}
		var e envelope
		err := readLine(conn, maxAnswer, &e)
		after := s.Report()
		if got := after.Granted - before.Granted; got > 1 || (got == 1) != asks {
			t.Fatalf("%d grants for %+v", got, r)
		}
		if err != nil {
			return
		}
		var a answer
		if err := json.Unmarshal(e.Answer, &a); err != nil || !equal(e.MAC, signAnswer(s.nonce, hello.Challenge, r, e.Answer)) {
			t.Fatalf("answered %s, %v", e.Answer, err)
		}
		if (a.Receipt != "") != asks || !sign {
			t.Fatalf("answered %s to %+v", e.Answer, r)
		}
	})
}

// BenchmarkGrant is what a trial pays: a connection, two proofs and a line that
// is on the disk.
func BenchmarkGrant(b *testing.B) {
	for _, parallel := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients-%d", parallel), func(b *testing.B) {
			s := start(b, plan(1, b.N), nil)
			c := NewClient(s.grant)
			var next atomic.Int64
			var all sync.WaitGroup
			b.ResetTimer()
			for range parallel {
				all.Go(func() {
					for k := int(next.Add(1)) - 1; k < b.N; k = int(next.Add(1)) - 1 {
						if _, err := c.Ask(context.Background(), "task-00", k); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "grants/s")
		})
	}
}
