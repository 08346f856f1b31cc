package gitstore_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

var background = context.Background()

// TestMain keeps the configuration of whoever runs the tests away from git.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child(os.Args[1])
	}
	home, err := os.MkdirTemp("", "capeval-home-")
	if err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// run runs git in dir, with an identity, and returns its output.
func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// server is a bare repository with two commits on main.
func server(t testing.TB) string {
	t.Helper()
	made.Do(func() {
		dir, err := os.MkdirTemp(os.Getenv("HOME"), "server-")
		if err != nil {
			t.Fatal(err)
		}
		template = newServer(t, dir)
	})
	return copied(t, template, "server.git")
}

var (
	made     sync.Once
	template string // a server that nobody uses but to copy it
)

// copied is a copy of the folder dir.
func copied(t testing.TB, dir, name string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func newServer(t testing.TB, dir string, flags ...string) string {
	t.Helper()
	bare, work := filepath.Join(dir, "server.git"), filepath.Join(dir, "work")
	run(t, dir, append([]string{"init", "-q", "--bare", "-b", "main"}, append(flags, bare)...)...)
	for _, kv := range []string{"uploadpack.allowFilter=true", "receive.autogc=false", "http.receivepack=true", "core.fsync=none"} {
		name, value, _ := strings.Cut(kv, "=")
		run(t, bare, "config", name, value)
	}
	run(t, dir, append([]string{"init", "-q", "-b", "main"}, append(flags, work)...)...)
	if err := os.WriteFile(filepath.Join(work, "README"), []byte("agent\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, work, "add", "README")
	run(t, work, "commit", "-qm", "one")
	run(t, work, "commit", "-qm", "two", "--allow-empty")
	run(t, work, "push", "-q", "file://"+bare, "main")
	return bare
}

// clone is a fresh checkout, as a job has it.
func clone(t testing.TB, url string, flags ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	run(t, "/", append([]string{"clone", "-q"}, append(flags, url, dir)...)...)
	return dir
}

func openRemote(t testing.TB, o gitstore.Options) *gitstore.Remote {
	t.Helper()
	if o.Remote == "" {
		o.Remote = "origin"
	}
	r, err := gitstore.OpenRemote(background, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// remotePlace opens a store in a fresh depth-1 clone each time: in a copy of one
// that nobody has used.
type remotePlace struct{ fresh string }

func newRemotePlace(t testing.TB, url string) remotePlace {
	return remotePlace{clone(t, url, "--depth=1")}
}

func (p remotePlace) Open(t testing.TB) ledger.Creator {
	return openRemote(t, gitstore.Options{Dir: copied(t, p.fresh, "checkout")})
}

func TestRemote(t *testing.T) {
	storetest.Run(t, ledger.ScopeRemote, func(t *testing.T) storetest.Place {
		return newRemotePlace(t, "file://"+server(t))
	})
}

type localPlace string

func (p localPlace) Open(t testing.TB) ledger.Creator {
	l, err := gitstore.OpenLocal(background, gitstore.Options{Dir: string(p)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLocal(t *testing.T) {
	storetest.Run(t, ledger.ScopeLocal, func(t *testing.T) storetest.Place {
		dir := t.TempDir()
		run(t, dir, "init", "-q")
		return localPlace(dir)
	})
}
