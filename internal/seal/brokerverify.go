package seal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrJournal is the cause of every error of [ReadGrants] about what the journal
// holds: it was changed, or is not that attempt's.
var ErrJournal = errors.New("this is not the journal of that attempt's grants")

// Grants is what the journal of a broker proves.
type Grants struct {
	Attempt  string
	Observed bool   // the look is on the ledger
	Closed   bool   // the job came to its end: nothing can be missing at the end of the journal
	Head     string // the digest of the last line
	Refused  []string

	receipts map[Slot]string
}

// ReadGrants reads a journal and verifies its chain and every receipt with the
// attempt's nonce. A last line without its end was never answered for, and is
// left out. Only the lines before a cut can be proven: compare Head with that of
// [Report], or want Closed.
func ReadGrants(r io.Reader, nonce string) (Grants, error) {
	raw, err := nonceBytes(nonce)
	if err != nil {
		return Grants{}, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	g := Grants{receipts: map[Slot]string{}}
	br := bufio.NewReader(r)
	for n := 1; ; n++ {
		data, err := br.ReadBytes('\n')
		if err == io.EOF {
			break // with or without a torn line
		}
		if err != nil {
			return Grants{}, err
		}
		if err := g.take(n, bytes.TrimSuffix(data, []byte("\n")), raw, nonce); err != nil {
			return Grants{}, fmt.Errorf("%w: line %d: %w", ErrJournal, n, err)
		}
	}
	if g.Attempt == "" {
		return Grants{}, fmt.Errorf("%w: found no line, need at least the first", ErrJournal)
	}
	return g, nil
}

func (g *Grants) take(n int, data, raw []byte, nonce string) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var l journalLine
	if err := dec.Decode(&l); err != nil {
		return err
	}
	if again, err := json.Marshal(l); err != nil || !bytes.Equal(again, data) {
		return errors.New("found other bytes than a broker writes")
	}
	if l.V != 1 || l.Seq != n || l.Prev != g.Head {
		return fmt.Errorf("found number %d after %q, need %d after %q", l.Seq, l.Prev, n, g.Head)
	}
	if g.Closed {
		return errors.New("found a line after the last")
	}
	if (n == 1) != (l.Kind == lineOpened) {
		return fmt.Errorf("found kind %q", l.Kind)
	}
	switch l.Kind {
	case lineOpened:
		if l.NonceSHA256 != NonceSHA256(nonce) || l.Attempt == "" {
			return errors.New("found the journal of another nonce")
		}
		g.Attempt = l.Attempt
	case lineObserved:
		if g.Observed {
			return errors.New("found a second look")
		}
		g.Observed = true
	case lineGrant:
		if !g.Observed || l.Slot == nil {
			return errors.New("found a grant before the look was recorded")
		}
		if !equal(l.Receipt, l.receipt(raw, g.Attempt)) {
			return fmt.Errorf("found a receipt for %s that no broker gave", l.Slot)
		}
		if _, twice := g.receipts[*l.Slot]; twice {
			return fmt.Errorf("found two grants for %s", l.Slot)
		}
		g.receipts[*l.Slot] = l.Receipt
	case lineRefused:
		g.Refused = append(g.Refused, fmt.Sprintf("%s %s", l.Refusal, l.Slot))
	case lineClosed:
		g.Closed = true
	default:
		return fmt.Errorf("found kind %q", l.Kind)
	}
	g.Head = chainDigest(data)
	return nil
}

// Accepts reports whether a result of s that carries receipt may count.
func (g Grants) Accepts(s Slot, receipt string) bool {
	want, ok := g.receipts[s]
	return ok && equal(receipt, want)
}

// Granted returns every trial that was granted, sorted. One without a result is
// missing data, never a 0.
func (g Grants) Granted() []Slot {
	var slots []Slot
	for s := range g.receipts {
		slots = append(slots, s)
	}
	slices.SortFunc(slots, Slot.compare)
	return slots
}
