package evaltest_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/seal"
)

// sealedModule is a user's module with sealed tasks. Every body of a sealed task
// leaves a file.
func sealedModule(t *testing.T) string {
	t.Helper()
	checkout := must(filepath.Abs(".."))
	module := t.TempDir()
	gomod := string(must(os.ReadFile(filepath.Join(checkout, "go.mod"))))
	gomod = strings.Replace(gomod, "module github.com/capeval/capeval", "module example.com/agent", 1) +
		"\nrequire github.com/capeval/capeval v0.0.0\n\nreplace github.com/capeval/capeval => " + checkout + "\n"
	head := `package PACKAGE

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/evaltest"
)

func touch(*evaltest.Trial) { _ = os.WriteFile(os.Getenv("TOUCH"), nil, 0o600) }
`
	in := func(pkg, text string) string { return strings.Replace(head, "PACKAGE", pkg, 1) + text }
	for path, text := range map[string]string{
		"go.mod": gomod,
		"go.sum": string(must(os.ReadFile(filepath.Join(checkout, "go.sum")))),
		"mixed/mixed_test.go": in("mixed", `
func TestEvals(t *testing.T) { evaltest.RunEvals(t, "mixed") }

var (
	_ = evaltest.Task("open", evaltest.Val, func(*evaltest.Trial) {})
	_ = evaltest.Task("held-one", evaltest.Test, touch)
	_ = evaltest.Task("held-two", evaltest.Test, touch)
	_ = It
)
`),
		"ordinary/ordinary_test.go": in("ordinary", `
func TestSpecs(t *testing.T) { RunSpecs(t, "ordinary") }

var (
	_ = It("is an ordinary spec", func() {})
	_ = Describe("held", evaltest.Test, func() { evaltest.Task("held-three", touch) })
)
`),
		// No suite at all: the library is called from plain tests.
		"direct/direct_test.go": in("direct", `
func call() { evaltest.Task("held-four", evaltest.Test, touch) }

func TestDirect(t *testing.T) { call() }

func BenchmarkDirect(b *testing.B) { call() }

func ExampleDirect() {
	call()
	// Output:
}

type Direct struct{}

var _ = It
`),
		"command/main.go": strings.Replace(in("main", `
func main() {
	evaltest.Task("held-five", evaltest.Test, touch)
	evaltest.RolloutTask("held-six", func(context.Context, *evaltest.Trial) (int, error) { touch(nil); return 0, nil }, func(SpecContext, *evaltest.Trial, int) { touch(nil) }, evaltest.Test)
}
`), `"testing"`, `"context"`, 1),
		"broken/broken_test.go": "//go:build broken\n\npackage broken\n\nfunc TestBroken(t *testing.T) { nothing }\n",
		"broken/doc.go":         "package broken\n",
	} {
		path = filepath.Join(module, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return module
}

// Without a grant no body of a sealed task runs, however the
// library is called, and what asks for one fails.
func TestUserModuleWithSealedTasks(t *testing.T) {
	t.Parallel()
	module := sealedModule(t)
	touched := filepath.Join(t.TempDir(), "touched")
	run := func(green bool, env []string, args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = module
		cmd.Env = append(clean(os.Environ()), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"), "GOPROXY=off", "GINKGO_EDITOR_INTEGRATION=", "TOUCH="+touched)
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		if (err == nil) != green {
			t.Errorf("go %s: %v, want green = %v\n%s", strings.Join(args, " "), err, green, out)
		}
		if _, err := os.Stat(touched); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("go %s: the body of a sealed task ran\n%s", strings.Join(args, " "), out)
		}
		return string(out)
	}
	has := func(out string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(out, text) {
				t.Errorf("the output lacks %q:\n%s", text, out)
			}
		}
		if strings.Contains(out, "held-") && !strings.Contains(out, "[S01]") {
			t.Errorf("the output names a sealed task:\n%s", out)
		}
	}
	run(true, nil, "test", "./...")
	run(true, nil, "test", "./...") // what the cache serves is right for this environment
	has(run(true, nil, "test", "-v", "-bench=.", "./..."), "2 sealed test tasks were not built", "1 sealed test tasks were not built", "mixed val: reward 1.000", "ExampleDirect", "BenchmarkDirect")
	has(run(false, nil, "test", "./mixed", "-run=TestEvals", "-ginkgo.focus=held"), "[S02]", "this is not a pass")
	has(run(false, nil, "test", "./mixed", "-ginkgo.label-filter=split:test"), "[S02]")
	has(run(false, []string{"CAPEVAL_SPLIT=test"}, "test", "./mixed"), "[S01]")
	run(true, []string{"CAPEVAL_SPLIT=test"}, "test", "-bench=.", "./direct")
	run(true, nil, "run", "./command")
	run(true, []string{"CAPEVAL_SPLIT=test"}, "run", "./command")

	// A live grant for another suite opens none of them, and what does not compile
	// asks for nothing.
	j := newJob(t, suiteRun{}.on("sealed"))
	grant := seal.GrantVariable + "=" + j.grant(t, seal.Candidate, nil)
	has(run(false, []string{grant}, "test", "-v", "./mixed"), "[S04]", `This is suite "mixed"`)
	has(run(false, []string{grant}, "test", "./ordinary"), "[S04]")
	run(true, []string{grant}, "test", "-bench=.", "./direct")
	run(true, []string{grant}, "run", "./command")
	run(false, []string{grant}, "test", "-tags=broken", "./broken")
	j.untouched(t)
}
