package evaltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/rundir"
)

// A user's module, with two packages of evals and plain go test.
func TestPlainGoTest(t *testing.T) {
	t.Parallel()
	checkout := must(filepath.Abs(".."))
	module := t.TempDir()
	gomod := string(must(os.ReadFile(filepath.Join(checkout, "go.mod"))))
	gomod = strings.Replace(gomod, "module github.com/capeval/capeval", "module example.com/agent", 1) +
		"\nrequire github.com/capeval/capeval v0.0.0\n\nreplace github.com/capeval/capeval => " + checkout + "\n"
	eval := `package evals

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

func TestEvals(t *testing.T) { RunEvals(t, "SUITE", Trials(2)) }

var _ = Task("adds", Val, func(ctx SpecContext, t *Trial) { Expect(1 + 1).To(Equal(2)) })
`
	for path, text := range map[string]string{
		"go.mod":                     gomod,
		"go.sum":                     string(must(os.ReadFile(filepath.Join(checkout, "go.sum")))),
		"evals/first/first_test.go":  strings.Replace(eval, "SUITE", "first", 1),
		"evals/second/evals_test.go": strings.Replace(eval, "SUITE", "second suite", 1),
	} {
		path = filepath.Join(module, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	goTest := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", append([]string{"test"}, args...)...)
		cmd.Dir = module
		cmd.Env = append(clean(os.Environ()), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"), "GOPROXY=off", "GINKGO_EDITOR_INTEGRATION=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	out := goTest("-v", "./...")
	for _, text := range []string{"capeval: first val: reward 1.000", "capeval: second suite val: reward 1.000", "1/1 tasks, 2/2 cells", "capeval: records: "} {
		if !strings.Contains(out, text) {
			t.Errorf("the output lacks %q:\n%s", text, out)
		}
	}
	home := filepath.Join(module, ".capeval")
	if ignore := string(must(os.ReadFile(filepath.Join(home, ".gitignore")))); !strings.HasPrefix(ignore, "*\n") {
		t.Errorf(".gitignore: %q", ignore)
	}
	runs := func() (ids []string) {
		for _, e := range must(os.ReadDir(filepath.Join(home, "runs"))) {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				ids = append(ids, e.Name())
			}
		}
		return ids
	}
	if n := len(runs()); n != 2 { // one for each process
		t.Errorf("%d runs, want 2: %q", n, runs())
	}
	latest := must(filepath.EvalSymlinks(filepath.Join(home, "runs", "latest")))
	suites := must(rundir.Suites(latest))
	if len(suites) != 1 {
		t.Fatalf("latest holds %d suites", len(suites))
	}
	run := must(suites[0].ReadRun())
	if run.ID != filepath.Base(latest) || !strings.HasPrefix(run.Plan[0].Location, "evals/") || !strings.Contains(run.Plan[0].Location, "_test.go:14") || !strings.HasPrefix(run.ScorerDigest, "sha256:") {
		t.Errorf("run.json: %+v", run)
	}
	// A second time they run again: a measurement is not served from a cache.
	if out := goTest("-v", "./..."); strings.Contains(out, "(cached)") || len(runs()) != 4 {
		t.Errorf("%d runs, want 4:\n%s", len(runs()), out)
	}
}
