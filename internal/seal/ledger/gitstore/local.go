package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// Local is the ledger on a ref of a repository without a remote. It is safe for
// any number of processes, and for one goroutine.
type Local struct {
	reader
	ref string
}

var _ ledger.Creator = (*Local)(nil)

// quiet keeps the user's configuration away from what is the ledger's. It is not
// changed.
var quiet = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.commitGraph=false", "-c", "advice.graftFileDeprecated=false", "-c", "push.gpgSign=false",
	"-c", "push.followTags=false", "-c", "push.recurseSubmodules=no", "-c", "core.logAllRefUpdates=false",
}

// OpenLocal finds the repository of o.Dir. It writes nothing.
func OpenLocal(ctx context.Context, o Options) (*Local, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	g, err := find(ctx, o)
	if err != nil {
		return nil, err
	}
	text, err := g.line(ctx, nil, "rev-parse", "--show-object-format", "--absolute-git-dir")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
	}
	format, dir, _ := strings.Cut(text, "\n")
	g.env = append(environ(o.Env, configures), "GIT_DIR="+dir)
	g.env = append(g.env, signature()...) // of a reflog, if there is one
	g.flags = append([]string{"-c", "core.fsync=all"}, quiet...)
	return &Local{reader: reader{git: g, scope: ledger.ScopeLocal, digits: digitsOf(format)}, ref: o.Ref}, nil
}

// Ref returns the name of the ref.
func (l *Local) Ref() string { return l.ref }

// Head reads the ref.
func (l *Local) Head(ctx context.Context) (ledger.Snapshot, error) {
	tip, err := l.tip(ctx)
	if err != nil {
		return ledger.Snapshot{}, err
	}
	if tip == "" {
		return ledger.Snapshot{}, fmt.Errorf("%w: found no ref %s", ledger.ErrMissing, l.ref)
	}
	if tip == l.last.Head {
		return l.last, nil
	}
	return l.read(ctx, tip)
}

// tip returns what the ref points to, "" when there is none.
func (l *Local) tip(ctx context.Context) (string, error) {
	text, err := l.git.line(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", l.ref)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
	}
	for line := range strings.Lines(text + "\n") {
		if id, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == l.ref {
			return id, nil
		}
	}
	return "", nil
}

// Init makes the ref.
func (l *Local) Init(ctx context.Context, genesis ledger.Record) (ledger.Snapshot, error) {
	r, data, err := ledger.PrepareGenesis(genesis)
	if err != nil {
		return ledger.Snapshot{}, err
	}
	tip, err := l.tip(ctx)
	if err != nil {
		return ledger.Snapshot{}, err
	}
	if tip != "" {
		return ledger.Snapshot{}, fmt.Errorf("%w: %s is at %s", ledger.ErrExists, l.ref, tip)
	}
	s, err := l.add(ctx, ledger.Snapshot{}, r, data)
	if errors.Is(err, ledger.ErrStale) {
		err = fmt.Errorf("%w: %s", ledger.ErrExists, l.ref)
	}
	return s, err
}

// Append moves the ref from s to a commit with r.
func (l *Local) Append(ctx context.Context, s ledger.Snapshot, r ledger.Record) (ledger.Snapshot, error) {
	r, data, err := s.Prepare(r)
	if err != nil {
		return s, err
	}
	if !l.knows(s) {
		if _, err := l.Head(ctx); err != nil {
			return s, err
		}
		if !l.knows(s) {
			return s, fmt.Errorf("%w: its record #%d is not %s", ledger.ErrStale, len(s.Entries), s.Head)
		}
	}
	return l.add(ctx, s, r, data)
}

func (l *Local) add(ctx context.Context, s ledger.Snapshot, r ledger.Record, data []byte) (ledger.Snapshot, error) {
	w, err := l.write(ctx, s, r, data)
	if err != nil {
		return s, unwritten(err)
	}
	old := s.Head
	if old == "" {
		old = strings.Repeat("0", l.digits)
	}
	_, moved := l.git.out(ctx, nil, "update-ref", "--no-deref", "-m", "capeval ledger", l.ref, w.commit, old)
	// Whatever git said, the ref tells whether the record is there.
	tip, err := l.tip(ctx)
	switch {
	case err != nil:
		return s, err
	case tip == w.commit:
		return l.wrote(s, w)
	case tip == s.Head && moved != nil:
		return s, unwritten(moved)
	case tip == s.Head:
		return s, fmt.Errorf("%w: record #%d is not on %s after it was written", ledger.ErrUnavailable, r.Seq, l.ref)
	}
	return l.overtaken(ctx, s, w, l.Head)
}

// unwritten says whose fault it is that git could not write to this disk.
func unwritten(err error) error {
	cause := ledger.ErrUnavailable
	var f *failure
	if errors.As(err, &f) && (strings.Contains(f.stderr, "insufficient permission") || strings.Contains(f.stderr, "Permission denied") || strings.Contains(f.stderr, "Read-only file system")) {
		cause = ledger.ErrReadOnly
	}
	return fmt.Errorf("%w: %w", cause, err)
}
