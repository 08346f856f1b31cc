//go:build unix

package release_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/capeval/capeval/internal/cli/clitest"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
)

// raceSuite has two test tasks, which leave a mark for every body that runs.
const raceSuite = `package evals

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
)

func TestShop(t *testing.T) { RunEvals(t, "shop", Trials(1)) }

func mark(ctx SpecContext, t *Trial) {
	f, err := os.CreateTemp(os.Getenv("MARKS"), filepath.Base(os.Getenv("JOB"))+"-")
	t.Missing(err)
	f.Close()
	t.Output(t.Seed())
}

var _ = Task("a", Test, Content("a"), mark)
var _ = Task("b", Test, Content("b"), mark)
`

// TestRacesOfFinalize starts jobs of one release at once, each in a fresh clone of
// depth 1: exactly one looks, the others are refused with 4 and run no trial.
// CAPEVAL_LONG=1 makes it 200 races of two and 50 of five.
func TestRacesOfFinalize(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds and runs suites")
	}
	races := map[int]int{2: 2, 5: 1}
	if os.Getenv("CAPEVAL_LONG") != "" {
		races = map[int]int{2: 200, 5: 50}
	}
	bin := filepath.Join(t.TempDir(), "capeval-ci")
	build := exec.Command("go", "build", "-o", bin, "./cmd/capeval-ci")
	build.Dir = clitest.Repo(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module := clitest.Module(t)
	env := append(os.Environ(), clitest.GoEnv(t)...)
	config := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(config, []byte("[user]\n\tname = Ann\n\temail = ann@example.org\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env = append(env, "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1", "CI=true", "GITHUB_ACTIONS=", "GITHUB_RUN_ID=", "GITHUB_EVENT_NAME=", "GITHUB_OUTPUT=", "CAPEVAL_RUN_DIR=")
	run := func(dir, name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir, c.Env = dir, env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	remote, work := filepath.Join(t.TempDir(), "remote.git"), t.TempDir()
	run(work, "git", "init", "-q", "--bare", "-b", "main", remote)
	run(work, "git", "init", "-q", "-b", "main")
	run(work, "git", "remote", "add", "origin", "file://"+remote)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(module, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(work, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(work, "evals"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"evals/evals_test.go": raceSuite, ".gitignore": "/.capeval/*\n!/.capeval/checkpoint.json\n"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(work, bin, "seal", "init")
	run(work, "git", "add", "-A")
	run(work, "git", "commit", "-qm", "suite")
	run(work, "git", "push", "-q", "origin", "main")

	total := 0
	for _, jobs := range []int{2, 5} {
		for n := range races[jobs] {
			release := fmt.Sprintf("v%d.%d", jobs, n)
			marks := t.TempDir()
			codes := make([]int, jobs)
			said := make([]string, jobs)
			var all sync.WaitGroup
			for i := range jobs {
				clone := filepath.Join(t.TempDir(), "clone")
				run(work, "git", "clone", "-q", "--depth", "1", "file://"+remote, clone)
				all.Go(func() {
					c := exec.Command(bin, "finalize", "./evals", "--release", release)
					c.Dir, c.Env = clone, append(slices.Clone(env), "MARKS="+marks, fmt.Sprintf("JOB=job%d", i))
					out, _ := c.CombinedOutput()
					codes[i], said[i] = c.ProcessState.ExitCode(), string(out)
				})
			}
			all.Wait()
			total++
			won := slices.Index(codes, 0)
			for i, code := range codes {
				if want := 4; i != won && code != want {
					t.Fatalf("%s: job %d ended with %d, want %d\n%s", release, i, code, want, said[i])
				}
			}
			files, err := os.ReadDir(marks)
			if err != nil || won < 0 || len(files) != 2 {
				t.Fatalf("%s: exit codes %v, %d bodies ran, %v, want one winner and its 2\n%s", release, codes, len(files), err, strings.Join(said, "\n"))
			}
			for _, f := range files {
				if !strings.HasPrefix(f.Name(), fmt.Sprintf("job%d-", won)) {
					t.Errorf("%s: job %d won, and %s ran", release, won, f.Name())
				}
			}
		}
	}
	store, err := gitstore.OpenRemote(context.Background(), gitstore.Options{Dir: work, Remote: "origin", Env: env})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := store.Head(context.Background()) // the chain is verified
	if err != nil {
		t.Fatal(err)
	}
	observed := map[string]int{}
	for _, e := range s.Entries {
		if e.Record.Kind == ledger.Observed {
			observed[e.Record.Key]++
		}
	}
	if len(observed) != total {
		t.Errorf("%d releases were observed, want %d", len(observed), total)
	}
	for key, n := range observed {
		if n != 1 {
			t.Errorf("%s was observed %d times", key, n)
		}
	}
	t.Logf("%d races, %d records", total, len(s.Entries))
}
