package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Checkpoint is where a ledger was seen to stand: a record that it must hold for
// ever. It lies beside capeval.yaml, and in every final.json.
type Checkpoint struct {
	Date    string `json:"date"`    // of the record
	Digest  string `json:"digest"`  // of its bytes
	Genesis string `json:"genesis"` // the id of the first record
	Head    string `json:"head"`    // the id of the record
	Ledger  string `json:"ledger"`  // the ledger's own name
	Seq     int    `json:"seq"`
	V       int    `json:"v"`
}

// Checkpoint returns where s stands.
func (s Snapshot) Checkpoint() Checkpoint {
	if len(s.Entries) == 0 {
		return Checkpoint{}
	}
	e := s.last()
	return Checkpoint{Date: e.Record.TS, Digest: e.Digest, Genesis: s.Genesis, Head: e.ID, Ledger: s.Name(), Seq: e.Record.Seq, V: Version}
}

// Encode returns c as the content of its file.
func (c Checkpoint) Encode() ([]byte, error) { return marshal(c) }

// DecodeCheckpoint reads a checkpoint file. Unknown keys, and anything after the
// object, are errors.
func DecodeCheckpoint(data []byte) (Checkpoint, error) {
	var c Checkpoint
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		return c, fmt.Errorf("checkpoint: found %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("checkpoint: found more than one value, need one object")
	}
	if c.V != Version || c.Seq < 1 || c.Seq > MaxRecords || c.Head == "" || c.Genesis == "" || !isDigest(c.Digest) {
		return c, fmt.Errorf("checkpoint: found version %d, record #%d with head %q, digest %q and genesis %q: a checkpoint has all of them", c.V, c.Seq, c.Head, c.Digest, c.Genesis)
	}
	return c, nil
}

// Check compares s with what is pinned: genesis, the id of the first record, ""
// when nothing is pinned, and the checkpoints that were seen. The error is
// ErrAnother when s does not begin with genesis or with that of a checkpoint, and
// ErrRewound when it does not hold the record of a checkpoint. A ledger that was
// carried to another store keeps its digests, and passes by them.
func (s Snapshot) Check(genesis string, seen ...Checkpoint) error {
	if len(s.Entries) == 0 {
		return ErrMissing
	}
	first := s.Entries[0]
	if genesis != "" && genesis != first.ID && genesis != first.Digest {
		return fmt.Errorf("%w: genesis %s is pinned, found %s, made %s", ErrAnother, genesis, first.ID, first.Record.TS)
	}
	for _, c := range seen {
		if c.Genesis != "" && c.Genesis != first.ID && c.Ledger != first.Record.Ledger {
			return fmt.Errorf("%w: the checkpoint of %s is of ledger %s with genesis %s, found %s with %s", ErrAnother, c.Date, c.Ledger, c.Genesis, first.Record.Ledger, first.ID)
		}
		if c.Seq > len(s.Entries) {
			return fmt.Errorf("%w: it ends at #%d, the checkpoint of %s says #%d with head %s", ErrRewound, len(s.Entries), c.Date, c.Seq, c.Head)
		}
		if c.Seq < 1 {
			continue
		}
		if e := s.Entries[c.Seq-1]; e.ID != c.Head && e.Digest != c.Digest {
			return fmt.Errorf("%w: its record #%d is %s, the checkpoint of %s says %s", ErrRewound, c.Seq, e.ID, c.Date, c.Head)
		}
	}
	return nil
}
