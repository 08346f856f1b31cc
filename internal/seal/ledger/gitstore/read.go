package gitstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// reader reads and verifies the ledger in an object store, by three processes,
// whatever its length. It remembers what it read: objects do not change.
type reader struct {
	git    *git
	scope  string
	digits int // of an object's name

	last  ledger.Snapshot // what was read or written last
	blobs []string        // of its records
	roots []string        // of its commits
}

// commit is one commit of the chain.
type commit struct{ id, tree, parent string }

// read returns the ledger that ends at rev.
func (r *reader) read(ctx context.Context, rev string) (ledger.Snapshot, error) {
	chain, err := r.chain(ctx, rev)
	if err != nil {
		return ledger.Snapshot{}, r.judge(ctx, err)
	}
	tip := chain[len(chain)-1].id
	blobs, odd, err := r.files(ctx, tip)
	if err != nil {
		return ledger.Snapshot{}, r.judge(ctx, err)
	}
	same := 0
	for same < len(blobs) && same < len(r.blobs) && blobs[same] == r.blobs[same] {
		same++
	}
	hashed := make(chan error, 1)
	var roots []string
	go func() {
		var err error
		roots, err = trees(blobs, r.roots[:same])
		hashed <- err
	}()
	entries, badRecord := r.records(ctx, blobs, same)
	if err := <-hashed; err != nil {
		return ledger.Snapshot{}, err
	}
	if odd != "" || len(blobs) != len(chain) || !appends(chain, roots) {
		return ledger.Snapshot{}, r.judge(ctx, r.explain(ctx, chain, odd))
	}
	if badRecord != nil {
		var c *ledger.CorruptError
		if errors.As(badRecord, &c) {
			c.ID = chain[c.Seq-1].id
			if c.Seq > 1 {
				c.LastGood = chain[c.Seq-2].id
			}
		}
		return ledger.Snapshot{}, r.judge(ctx, badRecord)
	}
	for i := range entries {
		entries[i].ID = chain[i].id
	}
	s, err := ledger.NewSnapshot(entries, r.scope)
	if err == nil {
		r.last, r.blobs, r.roots = s, blobs, roots
	}
	return s, err
}

// knows says whether what was read last begins with s.
func (r *reader) knows(s ledger.Snapshot) bool {
	n := len(s.Entries)
	return n <= len(r.last.Entries) && (n == 0 || r.last.Entries[n-1].ID == s.Head)
}

func appends(chain []commit, roots []string) bool {
	for i, c := range chain {
		if c.tree != roots[i] {
			return false
		}
	}
	return true
}

// judge says what a call of git that failed means: that time is up, or that the
// objects are not a ledger.
func (r *reader) judge(ctx context.Context, err error) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	if f.timeout || ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
	}
	return &ledger.CorruptError{Reason: "git cannot read it: " + f.Error()}
}

// chain returns the commits up to rev, genesis first.
func (r *reader) chain(ctx context.Context, rev string) ([]commit, error) {
	text, err := r.git.out(ctx, nil, "rev-list", "--no-commit-header", "--format=%H %T %P", "--max-count="+strconv.Itoa(ledger.MaxRecords+1), rev, "--")
	if err != nil {
		return nil, err
	}
	if text == "" {
		return nil, &ledger.CorruptError{Reason: "the ref does not lead to a commit"}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	chain := make([]commit, len(lines))
	merge := ""
	for i, line := range lines {
		f := strings.Split(strings.TrimSuffix(line, " "), " ")
		if len(f) < 2 {
			return nil, fmt.Errorf("%w: git rev-list printed %q", ledger.ErrUnavailable, line)
		}
		c := commit{id: f[0], tree: f[1]}
		if len(f) > 3 {
			merge = c.id
		}
		if len(f) > 2 {
			c.parent = f[2]
		}
		chain[len(lines)-1-i] = c
	}
	if merge != "" {
		return nil, r.merged(ctx, merge)
	}
	return chain, nil
}

// merged refuses a merge, with its number on the side of the first parent.
func (r *reader) merged(ctx context.Context, id string) error {
	bad := &ledger.CorruptError{ID: id, Reason: "it is a merge of several commits, need one parent"}
	count, err := r.git.line(ctx, nil, "rev-list", "--count", "--first-parent", id, "--")
	if n, aerr := strconv.Atoi(count); err == nil && aerr == nil {
		bad.Seq = n
		bad.LastGood, _ = r.git.line(ctx, nil, "rev-parse", "--verify", id+"^1")
	}
	return bad
}

// files returns the blobs of the records in tip's tree, in order, and says in odd
// what else is in it.
func (r *reader) files(ctx context.Context, tip string) (blobs []string, odd string, err error) {
	text, err := r.git.out(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", tip)
	if err != nil {
		return nil, "", err
	}
	for _, item := range strings.Split(strings.TrimSuffix(text, "\x00"), "\x00") {
		mode, id, name := split(item)
		if want := "r/" + ledger.FileName(len(blobs)+1); mode != "100644 blob" || name != want {
			return blobs, fmt.Sprintf("found %s %q, need the file %s", mode, name, want), nil
		}
		blobs = append(blobs, id)
	}
	return blobs, "", nil
}

// split takes apart "mode type id\tname".
func split(item string) (mode, id, name string) {
	head, name, _ := strings.Cut(item, "\t")
	if i := strings.LastIndexByte(head, ' '); i >= 0 {
		return head[:i], head[i+1:], name
	}
	return head, "", name
}

// records reads the blobs from number same on; before it they are those of the
// last reading.
func (r *reader) records(ctx context.Context, blobs []string, same int) ([]ledger.Entry, error) {
	entries := make([]ledger.Entry, len(blobs))
	copy(entries, r.last.Entries[:same])
	if same == len(blobs) {
		return entries, nil
	}
	names := strings.NewReader(strings.Join(blobs[same:], "\n") + "\n")
	pr, pw := io.Pipe()
	parsed := make(chan error, 1)
	go func() {
		err := readBlobs(pr, blobs, entries, same)
		_ = pr.CloseWithError(errStop)
		parsed <- err
	}()
	err := r.git.run(ctx, names, pw, "cat-file", "--batch", "--buffer")
	_ = pw.Close()
	perr := <-parsed
	var c *ledger.CorruptError
	if errors.As(perr, &c) || err == nil {
		return entries, perr
	}
	return entries, err
}

var errStop = errors.New("nothing more is needed")

// readBlobs parses what cat-file --batch prints, and decodes on all processors.
func readBlobs(in io.Reader, blobs []string, entries []ledger.Entry, from int) error {
	d := newDecoder(entries)
	defer d.wait()
	b := bufio.NewReaderSize(in, 1<<16)
	for i := from; i < len(blobs); i++ {
		head, err := b.ReadString('\n')
		if err != nil {
			return err
		}
		f := strings.Fields(head)
		if len(f) != 3 || f[0] != blobs[i] || f[1] != "blob" {
			return d.first(&ledger.CorruptError{Seq: i + 1, Reason: fmt.Sprintf("found the object %q", strings.TrimSpace(head))})
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size > ledger.MaxBytes {
			return d.first(&ledger.CorruptError{Seq: i + 1, Reason: fmt.Sprintf("found %s bytes, need at most %d", f[2], ledger.MaxBytes)})
		}
		data := make([]byte, size+1) // and the newline that follows
		if _, err := io.ReadFull(b, data); err != nil {
			return err
		}
		d.decode(i, data[:size])
	}
	return d.first(nil)
}
