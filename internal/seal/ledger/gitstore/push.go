package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// tries is how often a push is made, and a read that follows one.
const tries = 3

// add writes rec after s and finds out whether it is there. Pushing the same
// commit again is harmless: it is there, or the ref is where s left it, or
// somebody else was first.
func (r *Remote) add(ctx context.Context, s ledger.Snapshot, rec ledger.Record, data []byte) (ledger.Snapshot, error) {
	w, err := r.write(ctx, s, rec, data)
	if err != nil {
		return s, unwritten(err)
	}
	for try := 1; ; try++ {
		pushed := r.push(ctx, w.commit, s.Head)
		tip, err := r.after(ctx)
		switch {
		case err != nil && pushed != nil:
			return s, fmt.Errorf("%w (the push before it said: %w)", err, pushed)
		case err != nil:
			return s, err
		case tip == w.commit:
			return r.wrote(s, w)
		case tip != s.Head:
			return r.overtaken(ctx, s, w, r.Head)
		}
		if err := r.verdict(pushed, rec.Seq); errors.Is(err, ledger.ErrReadOnly) || try == tries || over(pushed) || !wait(ctx, try) {
			return s, err
		}
	}
}

// push asks the remote to move the ref from old, "" for none, to id. What it
// returns is a hint: only the ref tells.
func (r *Remote) push(ctx context.Context, id, old string) error {
	_, err := r.git.out(ctx, nil, "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--atomic",
		"--recurse-submodules=no", "--force-with-lease="+r.ref+":"+old, r.remote, id+":"+r.ref)
	return err
}

// after asks where the ref is after a push. An answer that is lost is asked for
// again.
func (r *Remote) after(ctx context.Context) (tip string, err error) {
	for try := 1; ; try++ {
		tip, err = r.tip(ctx)
		if err == nil || try == tries || over(err) || !wait(ctx, try) {
			return tip, err
		}
	}
}

// over says that err is a call that used up its time: another would too.
func over(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.timeout
}

// wait waits a little, longer each time; false when ctx is over.
func wait(ctx context.Context, try int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(try*try) * 100 * time.Millisecond):
		return true
	}
}

// verdict says what a push means that did not move the ref.
func (r *Remote) verdict(pushed error, seq int) error {
	var f *failure
	if !errors.As(pushed, &f) {
		return fmt.Errorf("%w: the push of record #%d succeeded, and %s on %s does not show it: is what is pushed to (pushurl, pushInsteadOf) what is fetched from?",
			ledger.ErrUnavailable, seq, r.ref, clean(r.remote))
	}
	said := f.Error()
	if line := rejection(f.stdout); line != "" {
		said = line
	}
	if refused(f) {
		return fmt.Errorf("%w: %s refused record #%d: %s", ledger.ErrReadOnly, clean(r.remote), seq, serverSaid(f.stderr, said))
	}
	return fmt.Errorf("%w: record #%d was not taken by %s: %s", ledger.ErrUnavailable, seq, clean(r.remote), serverSaid(f.stderr, said))
}

// rejection returns the line of push --porcelain that begins with "!".
func rejection(stdout string) string {
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, "!\t") {
			f := strings.Split(strings.TrimSpace(line), "\t")
			return clean(f[len(f)-1])
		}
	}
	return ""
}

// serverSaid adds what the server itself printed for a person.
func serverSaid(stderr, said string) string {
	var words []string
	for line := range strings.Lines(stderr) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "remote:"); ok && strings.TrimSpace(text) != "" {
			words = append(words, strings.TrimSpace(text))
		}
	}
	if len(words) == 0 {
		return said
	}
	return said + ": " + clean(strings.Join(words, " "))
}

// refused says that the server will not take a record from this caller: the
// same push later would be refused too.
func refused(f *failure) bool {
	if line := rejection(f.stdout); line != "" {
		if !strings.HasPrefix(line, "[remote rejected]") {
			return false // the client's own check of the lease
		}
		for _, passing := range []string{"failed to update ref", "cannot lock ref", "failed to lock", "incorrect old value", "reference already exists", "atomic push failure", "atomic transaction failed", "unpacker error", "Internal Server Error"} {
			if strings.Contains(line, passing) {
				return false
			}
		}
		return true
	}
	for _, words := range []string{
		"The requested URL returned error: 403", "The requested URL returned error: 401", "Authentication failed",
		"could not read Username", "could not read Password", "Permission denied", "permission to", "Write access to repository not granted",
		"access denied or repository not exported", "insufficient permission", "service not enabled", "You are not allowed to push",
	} {
		if strings.Contains(strings.ToLower(f.stderr), strings.ToLower(words)) {
			return true
		}
	}
	return false
}
