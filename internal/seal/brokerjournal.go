package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// The journal of a broker is a hash chain of JSON lines. Each holds the SHA-256
// of the line before it; a grant holds the receipt that the trial got.

// The kinds of its lines.
const (
	lineOpened   = "opened"   // the first: whose journal this is
	lineObserved = "observed" // the look is on the ledger; before every grant
	lineGrant    = "grant"
	lineRefused  = "refused"
	lineClosed   = "closed" // the last, when the job came to its end
)

type journalLine struct {
	V           int    `json:"v"`
	Seq         int    `json:"seq"` // from 1
	Prev        string `json:"prev"`
	Kind        string `json:"kind"`
	Attempt     string `json:"attempt,omitempty"`
	NonceSHA256 string `json:"nonce_sha256,omitempty"`
	Slot        *Slot  `json:"slot,omitempty"`
	PID         int    `json:"pid,omitempty"`
	Receipt     string `json:"receipt,omitempty"`
	Refusal     string `json:"refusal,omitempty"` // its id
}

// receipt is the proof that slot was granted as this line of the chain.
func (l journalLine) receipt(nonce []byte, attempt string) string {
	return sign(nonce, "capeval-seal-receipt-v1", attempt, string(l.Slot.Role), l.Slot.Suite, l.Slot.Task,
		strconv.Itoa(l.Slot.Trial), strconv.Itoa(l.PID), strconv.Itoa(l.Seq), l.Prev)
}

func chainDigest(line []byte) string {
	sum := sha256.Sum256(line)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// grantJournal writes a journal. After an error nothing more is written, so that
// at most the last line is torn.
type grantJournal struct {
	f *os.File

	mu    sync.Mutex
	seq   int // of the last line
	prev  string
	broke error

	syncing sync.Mutex
	synced  int // the last line that is on the disk
}

// openGrantJournal makes a new journal; a path that exists is an error.
func openGrantJournal(path, attempt, nonce string) (*grantJournal, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	j := &grantJournal{f: f}
	l, err := j.add(journalLine{Kind: lineOpened, Attempt: attempt, NonceSHA256: NonceSHA256(nonce)}, nil)
	if err == nil {
		err = j.settle(l.Seq)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return j, nil
}

// add appends a line, with what finish adds to it once its place is known.
func (j *grantJournal) add(l journalLine, finish func(*journalLine)) (journalLine, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broke != nil {
		return l, j.broke
	}
	l.V, l.Seq, l.Prev = 1, j.seq+1, j.prev
	if finish != nil {
		finish(&l)
	}
	data, err := json.Marshal(l)
	if err == nil {
		_, err = j.f.Write(append(data, '\n'))
	}
	if err != nil {
		j.broke = fmt.Errorf("the journal of grants cannot be written: %w", err)
		return l, j.broke
	}
	j.seq, j.prev = l.Seq, chainDigest(data)
	return l, nil
}

// settle returns when line seq is on the disk. Those who come while the disk is
// busy share the next sync.
func (j *grantJournal) settle(seq int) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	last, broke := j.seq, j.broke
	j.mu.Unlock()
	if broke != nil || j.synced >= seq {
		return broke
	}
	if err := j.f.Sync(); err != nil {
		err = fmt.Errorf("the journal of grants cannot be synced: %w", err)
		j.mu.Lock()
		j.broke = err
		j.mu.Unlock()
		return err
	}
	j.synced = last
	return nil
}

// close writes the last line, and returns the digest of it.
func (j *grantJournal) close() (head string, err error) {
	l, err := j.add(journalLine{Kind: lineClosed}, nil)
	if err == nil {
		err = j.settle(l.Seq)
	}
	return j.prev, errors.Join(err, j.f.Close())
}
