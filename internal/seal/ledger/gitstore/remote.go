package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// Remote is the ledger on a ref of a remote repository. It is safe for any number
// of processes, and for one goroutine.
type Remote struct {
	reader
	mirror *mirror
	remote string
	ref    string
}

var _ ledger.Creator = (*Remote)(nil)

// OpenRemote finds the repository of o.Dir and how it reaches its remote. It asks
// no server, and writes nothing but the mirror.
func OpenRemote(ctx context.Context, o Options) (*Remote, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	g, err := find(ctx, o)
	if err != nil {
		return nil, err
	}
	text, err := g.line(ctx, nil, "rev-parse", "--show-object-format", "--show-toplevel")
	if err != nil { // a bare repository has no work tree
		if text, err = g.line(ctx, nil, "rev-parse", "--show-object-format", "--absolute-git-dir"); err != nil {
			return nil, fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
		}
	}
	format, top, _ := strings.Cut(text, "\n")
	all, err := g.settings(ctx)
	if err != nil {
		return nil, err
	}
	if !named(all, o.Remote) && !strings.ContainsAny(o.Remote, `/\:`) {
		return nil, fmt.Errorf("%w: found no remote %q in %s: name the one that holds the ledger (seal.remote)", ledger.ErrUnavailable, o.Remote, top)
	}
	m, err := newMirror(ctx, g, o, format, all)
	if err != nil {
		return nil, err
	}
	own := m.git(g, o, top, transport(all, o.Remote))
	return &Remote{reader: reader{git: own, scope: ledger.ScopeRemote, digits: digitsOf(format)}, mirror: m, remote: o.Remote, ref: o.Ref}, nil
}

// Close removes the temporary mirror.
func (r *Remote) Close() error {
	if !r.mirror.drop { // what was fetched stays; only our name of it goes
		_, _ = r.git.out(context.Background(), nil, "update-ref", "-d", r.mirror.ref)
	}
	return r.mirror.close()
}

// Ref returns the name of the ref.
func (r *Remote) Ref() string { return r.ref }

// Head asks the remote for the ref, and fetches what is new.
func (r *Remote) Head(ctx context.Context) (ledger.Snapshot, error) {
	tip, err := r.tip(ctx)
	if err != nil {
		return ledger.Snapshot{}, err
	}
	return r.at(ctx, tip)
}

// at returns the ledger whose head the remote says is tip, or a later one.
func (r *Remote) at(ctx context.Context, tip string) (ledger.Snapshot, error) {
	switch tip {
	case "":
		return ledger.Snapshot{}, fmt.Errorf("%w: found no ref %s on %s", ledger.ErrMissing, r.ref, r.remote)
	case r.last.Head:
		return r.last, nil
	}
	_, err := r.git.out(ctx, nil, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		"--no-auto-gc", "--no-show-forced-updates", "--no-filter", "--refmap=", r.remote, "+"+r.ref+":"+r.mirror.ref)
	if err != nil {
		return ledger.Snapshot{}, fmt.Errorf("%w: cannot read %s from %s: %w", ledger.ErrUnavailable, r.ref, clean(r.remote), err)
	}
	return r.read(ctx, r.mirror.ref)
}

// tip asks the remote what the ref points to, "" when there is none.
func (r *Remote) tip(ctx context.Context) (string, error) {
	text, err := r.git.out(ctx, nil, "ls-remote", "--quiet", r.remote, r.ref)
	if err != nil {
		return "", fmt.Errorf("%w: cannot read %s from %s: %w", ledger.ErrUnavailable, r.ref, clean(r.remote), err)
	}
	for line := range strings.Lines(text) {
		if id, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == r.ref {
			return id, nil
		}
	}
	return "", nil
}

// Init makes the ref on the remote.
func (r *Remote) Init(ctx context.Context, genesis ledger.Record) (ledger.Snapshot, error) {
	rec, data, err := ledger.PrepareGenesis(genesis)
	if err != nil {
		return ledger.Snapshot{}, err
	}
	tip, err := r.tip(ctx)
	if err != nil {
		return ledger.Snapshot{}, err
	}
	if tip != "" {
		return ledger.Snapshot{}, fmt.Errorf("%w: %s on %s is at %s", ledger.ErrExists, r.ref, clean(r.remote), tip)
	}
	s, err := r.add(ctx, ledger.Snapshot{Scope: ledger.ScopeRemote}, rec, data)
	if errors.Is(err, ledger.ErrStale) {
		err = fmt.Errorf("%w: %s on %s", ledger.ErrExists, r.ref, clean(r.remote))
	}
	return s, err
}

// Append moves the ref from s to a commit with rec.
func (r *Remote) Append(ctx context.Context, s ledger.Snapshot, rec ledger.Record) (ledger.Snapshot, error) {
	rec, data, err := s.Prepare(rec)
	if err != nil {
		return s, err
	}
	if !r.knows(s) {
		if _, err := r.Head(ctx); err != nil {
			return s, err
		}
		if !r.knows(s) {
			return s, fmt.Errorf("%w: its record #%d is not %s", ledger.ErrStale, len(s.Entries), s.Head)
		}
	}
	return r.add(ctx, s, rec, data)
}
