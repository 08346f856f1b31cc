package gitstore

import (
	"runtime"
	"sync"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// decoder decodes records on all processors, each into its own entry.
type decoder struct {
	entries []ledger.Entry
	jobs    chan job
	wg      sync.WaitGroup
	closed  bool

	mu  sync.Mutex
	bad *ledger.CorruptError // the one with the lowest number
}

type job struct {
	i    int
	data []byte
}

func newDecoder(entries []ledger.Entry) *decoder {
	d := &decoder{entries: entries, jobs: make(chan job, 64)}
	for range runtime.GOMAXPROCS(0) {
		d.wg.Go(func() {
			for j := range d.jobs {
				d.one(j)
			}
		})
	}
	return d
}

func (d *decoder) decode(i int, data []byte) { d.jobs <- job{i, data} }

func (d *decoder) one(j job) {
	r, err := ledger.Decode(j.data)
	if err == nil {
		d.entries[j.i] = ledger.Entry{Record: r, Digest: ledger.Digest(j.data)}
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bad == nil || j.i+1 < d.bad.Seq {
		d.bad = &ledger.CorruptError{Seq: j.i + 1, Reason: err.Error()}
	}
}

// wait ends the decoding. It may be called twice.
func (d *decoder) wait() {
	if !d.closed {
		d.closed = true
		close(d.jobs)
	}
	d.wg.Wait()
}

// first returns what is wrong with the lowest number, next included; nil when
// nothing is.
func (d *decoder) first(next *ledger.CorruptError) error {
	d.wait()
	switch {
	case d.bad != nil:
		return d.bad
	case next != nil:
		return next
	}
	return nil
}
