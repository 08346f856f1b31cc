package gitstore

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/capeval/capeval/internal/seal/ledger"
)

const needGit = "the seal ledger needs git 2.34 or newer: install it, or put it on PATH"

// find returns the git command for o, in the repository's own folder and
// configuration.
func find(ctx context.Context, o Options) (*git, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: git was not found (%w); %s", ledger.ErrUnavailable, err, needGit)
	}
	g := &git{path: path, dir: o.Dir, env: environ(o.Env, configures), timeout: o.Timeout}
	text, err := g.line(ctx, nil, "version")
	if err != nil {
		return nil, fmt.Errorf("%w: %w; %s", ledger.ErrUnavailable, err, needGit)
	}
	if !newEnough(text) {
		return nil, fmt.Errorf("%w: found %q; %s", ledger.ErrUnavailable, clean(text), needGit)
	}
	return g, nil
}

var versionText = regexp.MustCompile(`^git version (\d+)\.(\d+)`)

func newEnough(text string) bool {
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	major, err1 := strconv.Atoi(m[1])
	minor, err2 := strconv.Atoi(m[2])
	return err1 == nil && err2 == nil && (major > 2 || major == 2 && minor >= 34)
}
