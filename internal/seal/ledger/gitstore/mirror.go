package gitstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/seal/ledger"
)

// mirror is a bare repository of our own, into which the ledger is fetched.
type mirror struct {
	dir   string
	drop  bool   // Close removes it
	ref   string // where this process keeps what it fetched
	trust string // the configuration file with the folders the user trusts
}

// newMirror makes or reuses the folder of o. format is the object format of the
// user's repository, which is that of its remotes.
func newMirror(ctx context.Context, g *git, o Options, format string, all []setting) (m *mirror, err error) {
	m = &mirror{dir: o.Mirror, ref: "refs/capeval/" + rand.Text()}
	if m.dir == "" {
		m.drop = true
		if m.dir, err = os.MkdirTemp("", "capeval-ledger-"); err != nil {
			return nil, fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
		}
	} else if m.dir, err = filepath.Abs(m.dir); err == nil {
		err = os.MkdirAll(m.dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
	}
	m.trust = filepath.Join(m.dir, "trusted-folders")
	if err := m.init(ctx, g, format, safeFolders(all)); err != nil {
		return nil, fmt.Errorf("%w: %w", ledger.ErrUnavailable, errors.Join(err, m.close()))
	}
	return m, nil
}

func (m *mirror) init(ctx context.Context, g *git, format, trust string) error {
	if err := durable.WriteFile(m.trust, []byte(trust), durable.Options{Perm: 0o600, NoSync: true}); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(m.dir, "HEAD")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	own := *g
	own.env = environ(g.env, func(string) bool { return false }, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	_, err := own.out(ctx, nil, "-c", "init.defaultBranch=none", "init", "--quiet", "--bare", "--template=", "--object-format="+format, m.dir)
	if _, made := os.Stat(filepath.Join(m.dir, "HEAD")); err != nil && made == nil {
		return nil // another process made it at the same time
	}
	return err
}

// git returns the git that works in the mirror and reaches remotes as the user's
// repository does: from its folder, where relative paths begin, with its
// settings of transport and no others.
func (m *mirror) git(user *git, o Options, top string, transport []setting) *git {
	g := *user
	g.dir = top
	g.env = environ(o.Env, transports, append([]string{
		"GIT_DIR=" + m.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + m.trust,
	}, asEnv(transport)...)...)
	g.flags = append([]string{"-c", "core.fsync=none"}, quiet...) // the remote is the memory
	return &g
}

// close removes a temporary mirror.
func (m *mirror) close() error {
	if !m.drop {
		return nil
	}
	return os.RemoveAll(m.dir)
}
