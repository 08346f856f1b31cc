package gitstore

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// written is a record as git objects.
type written struct {
	entry              ledger.Entry
	commit, root, blob string
}

// write makes the commit that adds data as record rec on top of s, which r knows,
// without an index or a work tree. The same record on the same ledger is the same
// commit, whoever makes it and when.
func (r *reader) write(ctx context.Context, s ledger.Snapshot, rec ledger.Record, data []byte) (written, error) {
	w := written{}
	at, err := time.Parse(time.RFC3339, rec.TS)
	if err != nil {
		return w, err
	}
	blob := thing{"blob", data}
	w.blob = blob.id(r.digits)
	flat, _, err := flatten(append(slices.Clip(r.blobs[:len(s.Entries)]), w.blob))
	if err != nil {
		return w, err
	}
	files := thing{"tree", flat}
	top := thing{"tree", root(object(r.digits, files.kind, files.data))}
	w.root = top.id(r.digits)
	commit := thing{"commit", commitText(w.root, s.Head, rec, at.Unix(), data)}
	w.commit = commit.id(r.digits)
	w.entry = ledger.Entry{Record: rec, ID: w.commit, Digest: ledger.Digest(data)}
	p, err := pack(r.digits, blob, files, top, commit)
	if err != nil {
		return w, err
	}
	_, err = r.git.out(ctx, bytes.NewReader(p), "unpack-objects", "-q")
	return w, err
}

// commitText is the content of a commit, by nobody in particular at the record's
// time.
func commitText(tree, parent string, rec ledger.Record, at int64, data []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	if parent != "" {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	who := fmt.Sprintf("capeval <capeval@localhost> %d +0000", at)
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n", who, who)
	fmt.Fprintf(&b, "capeval ledger #%d: %s\n\n%s\n", rec.Seq, rec.Kind, ledger.Digest(data))
	return b.Bytes()
}

// wrote returns s with the record that the ref was seen to point to.
func (r *reader) wrote(s ledger.Snapshot, w written) (ledger.Snapshot, error) {
	s.Scope = r.scope
	now, err := s.With(w.entry)
	if err != nil {
		return s, err
	}
	n := len(s.Entries)
	r.last = now
	r.blobs = append(slices.Clip(r.blobs[:n]), w.blob)
	r.roots = append(slices.Clip(r.roots[:n]), w.root)
	return now, nil
}

// overtaken returns the ledger after the ref moved to neither w nor s: with w in
// it, when somebody else has already written after w, else ErrStale.
func (r *reader) overtaken(ctx context.Context, s ledger.Snapshot, w written, head func(context.Context) (ledger.Snapshot, error)) (ledger.Snapshot, error) {
	now, err := head(ctx)
	if err != nil {
		return s, err
	}
	if n := len(s.Entries); n < len(now.Entries) && now.Entries[n].ID == w.commit {
		return now, nil
	}
	return s, fmt.Errorf("%w: it is at record #%d, %s", ledger.ErrStale, len(now.Entries), now.Head)
}

// signature is who writes a reflog, where there is one.
func signature() []string {
	return []string{"GIT_COMMITTER_NAME=capeval", "GIT_COMMITTER_EMAIL=capeval@localhost"}
}

// digitsOf returns how many hexadecimal digits a name has in an object format.
func digitsOf(format string) int {
	if format == "sha256" {
		return 64
	}
	return hex.EncodedLen(20)
}
