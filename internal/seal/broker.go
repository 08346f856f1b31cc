package seal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// BrokerConfig says what a broker grants.
type BrokerConfig struct {
	Addr    string // the socket to be made, below 100 bytes, in a private folder (see MakeDir)
	Attempt string // as the ledger knows it
	Nonce   string // see NewNonce
	Slots   []Slot // the reserved plan: each is granted once, nothing else is
	Journal string // the file to be made for the journal of grants

	// Observe appends the record of the look to the ledger and reads it back. It is
	// called at most once, for the first trial that may be granted; when it fails,
	// no trial ever is. Its context ends with the broker.
	Observe func(context.Context) error

	Conns    int           // at a time; 0 means 512, and others wait
	Patience time.Duration // with a client that says nothing; 0 means 10 s
}

// Broker grants the trials of one attempt over a unix socket. It dies with its
// process, and then nobody can get a grant.
type Broker struct {
	cfg     BrokerConfig
	nonce   []byte
	journal *grantJournal
	lis     net.Listener
	ctx     context.Context
	cancel  context.CancelFunc
	serving sync.WaitGroup
	room    chan struct{}
	once    sync.Once

	mu   sync.Mutex
	open map[Slot]bool // true until granted
	rep  Report
}

// Report is what a broker did.
type Report struct {
	// Observed says that the look is on the ledger. While it is false no trial
	// was granted.
	Observed bool
	// Unobserved is what Observe said when it failed: the look may or may not be
	// on the ledger, and nothing was looked at.
	Unobserved error
	Granted    int
	Open       []Slot // not asked for, sorted
	Twice      []Slot // asked for again (S05): this finalize is no clean look
	Outside    []Slot // asked for without being in the plan (S04)
	Broke      error  // the journal could not be written: nothing was granted after that
	Head       string // of the journal, after Close
}

// Clean reports whether every trial was asked for once, and nothing else.
func (r Report) Clean() bool {
	return r.Observed && len(r.Open)+len(r.Twice)+len(r.Outside) == 0 && r.Broke == nil
}

// remembered bounds Twice and Outside, and the lines about them.
const remembered = 1000

// StartBroker starts a broker. Its socket and its journal must not exist.
func StartBroker(cfg BrokerConfig) (*Broker, error) {
	nonce, err := nonceBytes(cfg.Nonce)
	if err == nil {
		err = errors.Join(checkAddr(cfg.Addr), checkName("attempt", cfg.Attempt))
	}
	if err == nil && cfg.Observe == nil {
		err = errors.New("found no Observe, need the function that records the look")
	}
	open := make(map[Slot]bool, len(cfg.Slots))
	for _, s := range cfg.Slots {
		if open[s] {
			err = errors.Join(err, fmt.Errorf("found trial %s twice in the plan", s))
		}
		if !s.Role.Valid() || s.Suite == "" || s.Task == "" || !utf8.ValidString(s.Suite+s.Task) || s.Trial < 0 {
			err = errors.Join(err, fmt.Errorf("found trial %q in the plan, need role, suite, task (UTF-8) and a number from 0", s))
		}
		open[s] = true
	}
	if err == nil && len(open) == 0 {
		err = errors.New("found an empty plan: there is nothing to look at")
	}
	if err != nil {
		return nil, fmt.Errorf("seal: broker: %w", err)
	}
	if cfg.Conns <= 0 {
		cfg.Conns = 512
	}
	if cfg.Patience <= 0 {
		cfg.Patience = 10 * time.Second
	}
	b := &Broker{cfg: cfg, nonce: nonce, open: open, room: make(chan struct{}, cfg.Conns)}
	if b.journal, err = openGrantJournal(cfg.Journal, cfg.Attempt, cfg.Nonce); err != nil {
		return nil, fmt.Errorf("seal: broker: %w", err)
	}
	if b.lis, err = net.Listen("unix", cfg.Addr); err == nil {
		err = os.Chmod(cfg.Addr, 0o600)
	}
	if err != nil {
		if b.lis != nil {
			_ = b.lis.Close()
		}
		_, _ = b.journal.close()
		return nil, fmt.Errorf("seal: broker: %w", err)
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.serving.Go(b.accept)
	return b, nil
}

// Report says what the broker did so far. It waits while the look is being
// recorded.
func (b *Broker) Report() Report {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.rep
	r.Twice, r.Outside = slices.Clone(r.Twice), slices.Clone(r.Outside)
	for s, open := range b.open {
		if open {
			r.Open = append(r.Open, s)
		}
	}
	slices.SortFunc(r.Open, Slot.compare)
	return r
}

// Close ends the broker: whoever asks from now on is refused by the system.
// Requests under way are answered or cut off. It may be called again.
func (b *Broker) Close() Report {
	b.once.Do(func() {
		b.cancel()
		_ = b.lis.Close() // which removes the socket
		b.serving.Wait()
		b.mu.Lock()
		defer b.mu.Unlock()
		head, err := b.journal.close()
		b.rep.Head = head
		if b.rep.Broke == nil {
			b.rep.Broke = err
		}
	})
	return b.Report()
}

// decide answers a request that was proven to come from a holder of the grant.
func (b *Broker) decide(r request) answer {
	b.mu.Lock()
	l, refusal := b.grant(r)
	b.mu.Unlock()
	if refusal == nil {
		if err := b.journal.settle(l.Seq); err != nil {
			refusal = b.broken(err)
		}
	}
	if refusal != nil {
		return answer{Refusal: refusal}
	}
	return answer{Receipt: l.Receipt}
}

// grant settles what a trial gets. Called with mu held.
func (b *Broker) grant(r request) (journalLine, *Refusal) {
	s := r.slot()
	open, planned := b.open[s]
	switch {
	case !planned:
		return b.refuse(r, &b.rep.Outside, OutsidePlan(s))
	case !open:
		return b.refuse(r, &b.rep.Twice, AskedTwice(s))
	case b.rep.Broke != nil:
		return journalLine{}, ptr(Unjournaled(b.rep.Broke, b.rep.Observed))
	case b.rep.Unobserved != nil:
		return journalLine{}, ptr(Unrecorded(b.rep.Unobserved))
	case b.ctx.Err() != nil:
		return journalLine{}, ptr(DeadGrant(b.cfg.Attempt, "the job is ending"))
	case !b.rep.Observed:
		if err := b.observe(); err != nil {
			b.rep.Unobserved = err
			return journalLine{}, ptr(Unrecorded(err))
		}
		b.rep.Observed = true
		if _, err := b.journal.add(journalLine{Kind: lineObserved}, nil); err != nil {
			b.rep.Broke = err
			return journalLine{}, ptr(Unjournaled(err, true))
		}
	}
	l, err := b.journal.add(journalLine{Kind: lineGrant, Slot: &s, PID: r.PID}, func(l *journalLine) {
		l.Receipt = l.receipt(b.nonce, b.cfg.Attempt)
	})
	if err != nil {
		b.rep.Broke = err
		return l, ptr(Unjournaled(err, true))
	}
	b.open[s] = false
	b.rep.Granted++
	return l, nil
}

// refuse remembers a trial that must not run. Called with mu held.
func (b *Broker) refuse(r request, list *[]Slot, why Refusal) (journalLine, *Refusal) {
	if len(*list) < remembered {
		s := r.slot()
		*list = append(*list, s)
		if l, err := b.journal.add(journalLine{Kind: lineRefused, Slot: &s, PID: r.PID, Refusal: why.ID}, nil); err == nil {
			return l, &why
		}
	}
	return journalLine{}, &why
}

// observe calls Observe, whose panic is a failure like any other.
func (b *Broker) observe() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return b.cfg.Observe(b.ctx)
}

// broken remembers that a line is perhaps not on the disk.
func (b *Broker) broken(err error) *Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rep.Broke == nil {
		b.rep.Broke = err
	}
	return ptr(Unjournaled(err, b.rep.Observed))
}

func ptr[T any](v T) *T { return &v }
