package gitstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

// state is everything about a checkout that a ledger must leave alone.
func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	git := run(t, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	err := filepath.WalkDir(git, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %s\n", path, ledger.Digest(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + run(t, dir, "status", "--porcelain")
}

// TestShapesOfACheckout writes from a checkout of each shape, and
// wants a whole ledger on the server and an untouched checkout.
func TestShapesOfACheckout(t *testing.T) {
	f := newForge(t)
	first := f.checkout(t)
	if _, err := openRemote(t, gitstore.Options{Dir: first}).Init(background, storetest.Genesis()); err != nil {
		t.Fatal(err)
	}
	header := "http." + f.srv.URL + "/.extraheader"
	cloned := func(t *testing.T, flags ...string) string {
		dir := filepath.Join(t.TempDir(), "checkout")
		run(t, "/", append([]string{"-c", header + "=" + basic(), "clone", "-q"}, append(flags, f.url, dir)...)...)
		return dir
	}
	withToken := func(t *testing.T, flags ...string) string {
		dir := cloned(t, flags...)
		run(t, dir, "config", header, basic())
		return dir
	}
	n := 1
	for _, c := range []struct {
		name string
		make func(t *testing.T) gitstore.Options
	}{
		{"depth 1, token in .git/config", func(t *testing.T) gitstore.Options {
			return gitstore.Options{Dir: withToken(t, "--depth=1")}
		}},
		{"depth 1, token in a file that includeIf names", func(t *testing.T) gitstore.Options {
			dir := cloned(t, "--depth=1")
			file := filepath.Join(t.TempDir(), "credentials")
			if err := os.WriteFile(file, []byte("[http \""+f.srv.URL+"/\"]\n\textraheader = "+basic()+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			run(t, dir, "config", "includeIf.gitdir:"+filepath.Join(dir, ".git")+".path", file)
			return gitstore.Options{Dir: dir}
		}},
		{"no token in the checkout, one in the environment", func(t *testing.T) gitstore.Options {
			return gitstore.Options{Dir: cloned(t, "--depth=1"), Env: append(os.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0="+header, "GIT_CONFIG_VALUE_0="+basic())}
		}},
		{"blob:none", func(t *testing.T) gitstore.Options { return gitstore.Options{Dir: withToken(t, "--filter=blob:none")} }},
		{"sparse and detached", func(t *testing.T) gitstore.Options {
			dir := withToken(t)
			run(t, dir, "sparse-checkout", "set", "--no-cone", "/evals/")
			run(t, dir, "checkout", "-q", "--detach")
			return gitstore.Options{Dir: dir}
		}},
		{"a linked worktree, from a folder inside it", func(t *testing.T) gitstore.Options {
			dir := withToken(t)
			linked := filepath.Join(t.TempDir(), "linked")
			run(t, dir, "worktree", "add", "-q", "--detach", linked)
			sub := filepath.Join(linked, "evals")
			if err := os.Mkdir(sub, 0o755); err != nil {
				t.Fatal(err)
			}
			return gitstore.Options{Dir: sub}
		}},
		{"a hook that fails, signed pushes, no identity, German", func(t *testing.T) gitstore.Options {
			dir := withToken(t)
			hook := filepath.Join(dir, ".git", "hooks", "pre-push")
			if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, kv := range []string{"push.gpgSign=true", "commit.gpgSign=true", "user.useConfigOnly=true", "push.followTags=true", "push.recurseSubmodules=check", "fetch.prune=true", "remote.origin.mirror=true", "transfer.fsckObjects=true", "core.abbrev=4", "diff.renames=copies"} {
				name, value, _ := strings.Cut(kv, "=")
				run(t, dir, "config", name, value)
			}
			return gitstore.Options{Dir: dir, Env: append(os.Environ(), "LANG=de_DE.UTF-8", "LANGUAGE=de", "LC_ALL=de_DE.UTF-8", "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere", "GIT_WORK_TREE=/nowhere", "GIT_TRACE=1")}
		}},
		{"another remote's name, and a mirror that is kept", func(t *testing.T) gitstore.Options {
			dir := withToken(t)
			run(t, dir, "remote", "rename", "origin", "up.stream")
			return gitstore.Options{Dir: dir, Remote: "up.stream", Mirror: filepath.Join(t.TempDir(), "kept")}
		}},
		{"a URL that insteadOf makes whole", func(t *testing.T) gitstore.Options {
			dir := withToken(t)
			run(t, dir, "config", "url."+f.srv.URL+"/.insteadOf", "forge:")
			return gitstore.Options{Dir: dir, Remote: "forge:server.git"}
		}},
		{"refs that replace, and grafts", func(t *testing.T) gitstore.Options {
			dir := withToken(t)
			run(t, dir, "replace", "HEAD", "HEAD~1")
			return gitstore.Options{Dir: dir}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.make(t)
			before := state(t, o.Dir)
			r := openRemote(t, o)
			if storetest.Long() {
				storetest.Finalize(t, r, storetest.Attempt("refunds", fmt.Sprintf("v%d", n), c.name))
				n += 3
			} else {
				storetest.Policy(t, r, c.name)
				n++
			}
			s, err := r.Head(background)
			if err != nil || len(s.Entries) != n {
				t.Errorf("%d records, %v; want %d", len(s.Entries), err, n)
			}
			if after := state(t, o.Dir); after != before {
				t.Errorf("the checkout changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
	// persist-credentials: false, and nobody handed a token over.
	r := openRemote(t, gitstore.Options{Dir: cloned(t, "--depth=1")})
	if _, err := r.Head(background); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("without a token: %v, want ErrUnavailable", err)
	}
	run(t, f.bare, "fsck", "--strict")
}

func TestSHA256Repository(t *testing.T) {
	bare := newServer(t, t.TempDir(), "--object-format=sha256")
	dir := clone(t, "file://"+bare)
	r := openRemote(t, gitstore.Options{Dir: dir, Ref: "refs/capeval/ledger"})
	if _, err := r.Init(background, storetest.Genesis()); err != nil {
		t.Fatal(err)
	}
	storetest.Finalize(t, r, storetest.Attempt("refunds", "v1", "A"))
	s, err := openRemote(t, gitstore.Options{Dir: dir, Ref: "refs/capeval/ledger"}).Head(background)
	if err != nil || len(s.Entries) != 4 || len(s.Head) != 64 {
		t.Errorf("%d records, head %s, %v", len(s.Entries), s.Head, err)
	}
	run(t, bare, "fsck", "--strict")

	l, err := gitstore.OpenLocal(background, gitstore.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = l.Init(background, storetest.Genesis()); err != nil || len(s.Head) != 64 {
		t.Errorf("a local one: %s, %v", s.Head, err)
	}
}

func TestRemoteByARelativePath(t *testing.T) {
	bare := server(t)
	dir := clone(t, "file://"+bare)
	rel, err := filepath.Rel(dir, bare)
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "remote", "set-url", "origin", rel)
	r := openRemote(t, gitstore.Options{Dir: dir})
	if _, err := r.Init(background, storetest.Genesis()); err != nil {
		t.Fatal(err)
	}
	if _, err := gitstore.OpenRemote(background, gitstore.Options{Dir: dir, Remote: "upstream"}); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), `no remote "upstream"`) {
		t.Errorf("a remote that is not there: %v", err)
	}
}

func TestGitThatIsMissingOrOld(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	check := func(why, words string) {
		t.Helper()
		_, err := gitstore.OpenLocal(background, gitstore.Options{Dir: dir})
		if !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "git 2.34 or newer") || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", why, err)
		}
	}
	check("no git", "not found")
	for _, v := range []string{"git version 2.33.8", "git version 1.9", "gut"} {
		if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho '"+v+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		check(v, v)
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	for _, o := range []gitstore.Options{{Ref: "capeval-ledger"}, {Ref: "refs/x"}, {Ref: "refs/heads/a:b"}, {Ref: "refs/heads/../x"}, {Remote: "--upload-pack=x"}} {
		if _, err := gitstore.OpenRemote(background, o); err == nil || errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("%+v: %v, want a refusal of the option", o, err)
		}
	}
}
