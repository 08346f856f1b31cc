package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
)

// looksLedger is the ledger of a project, wherever it is kept.
type looksLedger struct {
	store  ledger.Creator
	close  func()
	cfg    config.Config
	remote string // as messages name the place
	ref    string // "" where the store has none
	scope  string
}

// openLedger finds where the project's ledger is kept: on the remote; without one
// on a ref of the repository, or, without a repository, in a folder. how is "", or
// "local", which accepts a ledger that no other machine sees. In CI a ledger that
// dies with the machine is refused, unless it was asked for.
func openLedger(ctx context.Context, cfg config.Config, how string) (*looksLedger, error) {
	l := &looksLedger{cfg: cfg, close: func() {}, scope: ledger.ScopeLocal, ref: cfg.Seal.Ref.V}
	if how != "" && how != "local" {
		return nil, fail(exitUsage, "--ledger: found %q, need local, or nothing for the remote of capeval.yaml", how)
	}
	_, err := git(ctx, cfg.Root, nil, "rev-parse", "--git-dir")
	inGit := err == nil
	remote := cfg.Seal.Remote.V
	if inGit && how == "" {
		url, err := git(ctx, cfg.Root, nil, "remote", "get-url", "--", remote)
		named := err == nil && url != ""
		if named || strings.ContainsAny(remote, "/:") {
			store, err := gitstore.OpenRemote(ctx, gitstore.Options{Dir: cfg.Root, Remote: remote, Ref: l.ref})
			if err != nil {
				return nil, l.refusal(err)
			}
			l.store, l.close, l.remote, l.scope = store, func() { _ = store.Close() }, remote, ledger.ScopeRemote
			return l, nil
		}
	}
	if os.Getenv("CI") != "" && os.Getenv("CI") != "false" && how == "" {
		return nil, refusing(seal.NoMemory())
	}
	if inGit {
		store, err := gitstore.OpenLocal(ctx, gitstore.Options{Dir: cfg.Root, Ref: l.ref})
		l.store, l.remote = store, "this repository"
		return l, l.refusal(err)
	}
	dir := filepath.Join(cfg.Root, ".capeval", "ledger")
	l.store, l.remote, l.ref = ledger.NewDir(dir), dir, ""
	return l, nil
}

// refusing gives a refusal of the seal the exit code that it owes.
func refusing(r seal.Refusal) error { return fail(r.Exit, "%s", r.Error()) }

// head reads the ledger and holds it to what is pinned. A laptop without a remote
// needs no set-up: there the ledger is made when it is first asked for.
func (l *looksLedger) head(ctx context.Context, now time.Time) (ledger.Snapshot, error) {
	s, err := l.store.Head(ctx)
	if errors.Is(err, ledger.ErrMissing) {
		if l.cfg.Seal.Genesis.V != "" || l.scope == ledger.ScopeRemote {
			return s, l.refusal(err)
		}
		s, err = l.store.Init(ctx, ledger.NewGenesis(filepath.Base(l.cfg.Root), ciRun(), now))
	}
	if err != nil {
		return s, l.refusal(err)
	}
	return s, l.pinned(s)
}

// pinned compares the ledger with capeval.yaml and with the checkpoint beside it.
func (l *looksLedger) pinned(s ledger.Snapshot) error {
	var seen []ledger.Checkpoint
	data, err := os.ReadFile(l.checkpointPath())
	switch {
	case err == nil:
		c, err := ledger.DecodeCheckpoint(data)
		if err != nil {
			return fail(exitIntegrity, "%s: %w", l.checkpointPath(), err)
		}
		seen = append(seen, c)
	case !errors.Is(err, fs.ErrNotExist):
		return withCode(exitInfra, err)
	}
	err = s.Check(l.cfg.Seal.Genesis.V, seen...)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrRewound) && len(seen) > 0:
		c := seen[0]
		return refusing(seal.LedgerRewound(len(s.Entries), c.Seq, c.Date, c.Head, l.ref))
	case errors.Is(err, ledger.ErrAnother):
		return fail(exitIntegrity, "%s\n%w", seal.LedgerMissing(s.Name(), l.cfg.Seal.Genesis.V, l.ref, l.remote).Error(), err)
	}
	return withCode(exitIntegrity, err)
}

// readLedger reads the ledger for check, and says in a line where it stands.
func readLedger(ctx context.Context, cfg config.Config) (string, error) {
	where := cfg.Seal.Ref.V + " on " + cfg.Seal.Remote.V
	l, err := openLedger(ctx, cfg, "")
	if err != nil {
		return where, err
	}
	defer l.close()
	s, err := l.head(ctx, time.Now())
	if err != nil {
		return where, err
	}
	return fmt.Sprintf("%s on %s, %s, %d records, genesis %s", l.ref, l.remote, l.scope, len(s.Entries), short(s.Genesis)), nil
}

func (l *looksLedger) checkpointPath() string {
	return filepath.Join(l.cfg.Root, filepath.FromSlash(l.cfg.Seal.Checkpoint.V))
}

// remember writes the checkpoint: from now on the ledger must hold where it
// stands.
func (l *looksLedger) remember(s ledger.Snapshot) error {
	data, err := s.Checkpoint().Encode()
	if err != nil {
		return err
	}
	path := l.checkpointPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.WriteFile(path, data, durable.Options{})
}

// contentions is how often a record is offered again after somebody else wrote.
const contentions = 20

// append writes the record that decide makes of the newest ledger, again and
// again while others write first.
func (l *looksLedger) append(ctx context.Context, s ledger.Snapshot, decide func(ledger.Snapshot) (ledger.Record, error)) (ledger.Snapshot, error) {
	for range contentions {
		r, err := decide(s)
		if err != nil {
			return s, l.refusal(err)
		}
		next, err := l.store.Append(ctx, s, r)
		if err == nil {
			return next, nil
		}
		if !errors.Is(err, ledger.ErrStale) {
			return s, l.refusal(err)
		}
		if s, err = l.store.Head(ctx); err != nil {
			return s, l.refusal(err)
		}
	}
	return s, refusing(seal.Contention(contentions, contentions))
}

// refusal words an answer of the ledger as the seal's texts have it.
func (l *looksLedger) refusal(err error) error {
	var r *ledger.Refusal
	var broken *ledger.CorruptError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r):
		return refusing(l.spoken(r))
	case errors.As(err, &broken):
		return refusing(seal.LedgerCorrupt(broken.Seq, broken.ID, broken.Reason, broken.LastGood))
	case errors.Is(err, ledger.ErrMissing):
		if l.cfg.Seal.Genesis.V == "" {
			return refusing(seal.NoLedger())
		}
		return refusing(seal.LedgerMissing("", l.cfg.Seal.Genesis.V, l.ref, l.remote))
	case errors.Is(err, ledger.ErrReadOnly):
		return refusing(seal.LedgerRefused(l.remote, l.ref, lastLine(err)))
	case errors.Is(err, ledger.ErrUnavailable):
		return refusing(seal.LedgerUnreachable(l.remote, lastLine(err)))
	}
	return withCode(exitInfra, err)
}

func lastLine(err error) string {
	text := strings.TrimSpace(err.Error())
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// spoken is a refusal of the ledger's laws with what to do about it.
func (l *looksLedger) spoken(r *ledger.Refusal) seal.Refusal {
	h := seal.Holder{Attempt: r.Attempt, RunURL: r.Run.URL, Time: r.Time, Look: r.Look, Seq: r.Seq}
	switch r.ID {
	case "S03":
		return seal.EndedAttempt(r.Attempt, string(r.Phase))
	case "S04":
		return seal.OtherSplit(r.Got, r.Want, fmt.Sprintf("task %q", r.Task))
	case "S05":
		return seal.AskedTwice(seal.Slot{Role: seal.Role(r.Role), Suite: r.Key.Suite, Task: r.Task, Trial: r.Trial})
	case "S06":
		return seal.Held(r.Key.String(), h)
	case "S07":
		return seal.Looked(h, "")
	case "S08":
		delta := ""
		if r.Delta != nil {
			delta = fmt.Sprintf("%+.3f", *r.Delta)
		}
		return seal.Committed(r.Key.String(), h, delta, r.Digest, r.Run.URL)
	case "S19":
		return seal.LookLimit(r.Looks, r.Max)
	}
	return seal.Changed(r.What, r.Want, r.Got)
}

// ciRun says which job this is, as far as the engine tells.
func ciRun() ledger.Run {
	get := os.Getenv
	switch {
	case get("GITHUB_RUN_ID") != "":
		r := ledger.Run{Provider: "github", RunID: get("GITHUB_RUN_ID"), Actor: get("GITHUB_ACTOR"), SHA: get("GITHUB_SHA"), Ref: get("GITHUB_REF")}
		_, _ = fmt.Sscan(get("GITHUB_RUN_ATTEMPT"), &r.RunAttempt)
		if server, repo := get("GITHUB_SERVER_URL"), get("GITHUB_REPOSITORY"); server != "" && repo != "" {
			r.URL = server + "/" + repo + "/actions/runs/" + r.RunID
		}
		return r
	case get("CI_PIPELINE_ID") != "":
		return ledger.Run{Provider: "gitlab", RunID: get("CI_PIPELINE_ID"), URL: get("CI_JOB_URL"), Actor: get("GITLAB_USER_LOGIN"), SHA: get("CI_COMMIT_SHA"), Ref: get("CI_COMMIT_REF_NAME")}
	}
	return ledger.Run{}
}
