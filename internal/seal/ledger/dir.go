package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/capeval/capeval/internal/durable"
)

// Dir keeps a ledger in a folder: r/000001.json and so on, each published whole
// and once under its number, by a link where the file system has them. It serves
// any number of processes on one machine.
type Dir struct {
	path  string
	claim func(path string, data []byte) error
}

// NewDir returns the ledger in the folder path, which need not exist.
func NewDir(path string) *Dir { return &Dir{path: path, claim: claim} }

var _ Creator = (*Dir)(nil)

// FileName returns the name of record number seq, as every store has it.
func FileName(seq int) string { return fmt.Sprintf("%06d.json", seq) }

func (d *Dir) file(seq int) string { return filepath.Join(d.path, "r", FileName(seq)) }

// Head reads the folder. Files that are not named like records are passed over:
// a writer that died leaves some.
func (d *Dir) Head(ctx context.Context) (Snapshot, error) {
	const looks = 5 // without links a record can be seen while it is being written
	for n := 1; ; n++ {
		s, err := d.read(ctx)
		if !errors.Is(err, ErrCorrupt) || n == looks {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (d *Dir) read(ctx context.Context) (Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	list, err := os.ReadDir(filepath.Join(d.path, "r"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Snapshot{}, fmt.Errorf("%w: found no folder %s", ErrMissing, filepath.Join(d.path, "r"))
	case err != nil:
		return Snapshot{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var entries []Entry
	last := ""
	for _, f := range list { // sorted by name
		if durable.IsTemp(f.Name()) || !strings.HasSuffix(f.Name(), ".json") {
			continue
		}
		seq := len(entries) + 1
		bad := func(why string) error { return &CorruptError{Seq: seq, Reason: why, LastGood: last} }
		if f.Name() != FileName(seq) {
			return Snapshot{}, bad(fmt.Sprintf("found the file %s, need %s", f.Name(), FileName(seq)))
		}
		data, err := readRegular(d.file(seq))
		if errors.Is(err, errNoRecord) {
			return Snapshot{}, bad(err.Error())
		}
		if err != nil {
			return Snapshot{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		r, err := Decode(data)
		if err != nil {
			return Snapshot{}, bad(err.Error())
		}
		last = Digest(data)
		entries = append(entries, Entry{Record: r, ID: last, Digest: last})
	}
	if len(entries) == 0 {
		return Snapshot{}, fmt.Errorf("%w: found no record in %s", ErrMissing, filepath.Join(d.path, "r"))
	}
	return NewSnapshot(entries, ScopeLocal)
}

var errNoRecord = errors.New("is not a record's file")

// readRegular reads a regular file of at most one byte more than a record has.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxBytes {
		return nil, fmt.Errorf("%s %w: mode %s, %d bytes, need a regular file of at most %d", path, errNoRecord, info.Mode(), info.Size(), MaxBytes)
	}
	return os.ReadFile(path)
}

// Init makes the folder and its first record.
func (d *Dir) Init(ctx context.Context, genesis Record) (Snapshot, error) {
	r, data, err := PrepareGenesis(genesis)
	if err != nil {
		return Snapshot{}, err
	}
	switch _, err := d.Head(ctx); {
	case err == nil || errors.Is(err, ErrCorrupt):
		return Snapshot{}, fmt.Errorf("%w in %s", ErrExists, d.path)
	case !errors.Is(err, ErrMissing):
		return Snapshot{}, err
	}
	if err := os.MkdirAll(filepath.Join(d.path, "r"), 0o755); err != nil {
		return Snapshot{}, unwritten(err)
	}
	switch err := d.publish(r.Seq, data); {
	case errors.Is(err, ErrStale):
		return Snapshot{}, fmt.Errorf("%w in %s", ErrExists, d.path)
	case err != nil:
		return Snapshot{}, err
	}
	return d.Head(ctx)
}

// Append publishes r under the number after s: the number of the snapshot, never
// that of another look at the folder, or two writers could both win.
func (d *Dir) Append(ctx context.Context, s Snapshot, r Record) (Snapshot, error) {
	r, data, err := s.Prepare(r)
	if err != nil {
		return s, err
	}
	if err := ctx.Err(); err != nil {
		return s, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := d.stands(s); err != nil {
		return s, err
	}
	if err := d.publish(r.Seq, data); err != nil {
		return s, err
	}
	now, err := d.Head(ctx)
	if err != nil {
		return s, err
	}
	if n := len(now.Entries); n < r.Seq || now.Entries[r.Seq-1].Digest != Digest(data) {
		return s, fmt.Errorf("%w: record #%d is not on the ledger after it was written", ErrUnavailable, r.Seq)
	}
	return now, nil
}

// stands wants the last record of s to lie where it was: on a ledger that was
// taken away or built anew, the number after it would be a gap or a lie.
func (d *Dir) stands(s Snapshot) error {
	data, err := os.ReadFile(d.file(len(s.Entries)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: record #%d is not in %s any more", ErrMissing, len(s.Entries), d.path)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case Digest(data) != s.last().Digest:
		return fmt.Errorf("%w: record #%d is another one now", ErrStale, len(s.Entries))
	}
	return nil
}

// publish makes data record number seq. It is nil when that record has these
// bytes, whoever wrote them.
func (d *Dir) publish(seq int, data []byte) error {
	err := d.claim(d.file(seq), data)
	var lost *durable.ClaimedError
	switch {
	case err == nil || errors.As(err, &lost) && bytes.Equal(lost.Content, data):
		return nil
	case errors.Is(err, durable.ErrClaimed):
		return fmt.Errorf("%w: record #%d was written by somebody else", ErrStale, seq)
	}
	return unwritten(err)
}

// unwritten says whose fault it is that a file could not be written.
func unwritten(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
