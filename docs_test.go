package capeval_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks returns the fenced blocks of a page that have the given language, in
// order.
func blocks(t *testing.T, page, language string) []string {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```")
	var out []string
	for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
		out = append(out, m[1])
	}
	return out
}

// commands returns the lines of console blocks that begin with a dollar.
func commands(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for _, block := range blocks(t, page, "console") {
		for _, line := range strings.Split(block, "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, command)
			}
		}
	}
	return out
}

// TestGuide follows the guide as a reader would: its Go blocks are one file, its
// tasks a file beside it, and its commands are run.
func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("the short form compiles no module of its own")
	}
	const page = "docs/guide/first-task.md"
	dir := userModule(t)
	write(t, filepath.Join(dir, "evals/evals_test.go"), strings.Join(blocks(t, page, "go"), "\n"))
	write(t, filepath.Join(dir, "evals/testdata/tasks.jsonl"), strings.Join(blocks(t, page, "json"), ""))
	bin := t.TempDir()
	command(t, ".", nil, "go", "build", "-o", filepath.Join(bin, "capeval-ci"), "./cmd/capeval-ci")
	env := []string{"GOFLAGS=-mod=mod", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	ran := 0
	for _, line := range commands(t, page) {
		out := command(t, dir, env, "sh", "-c", line)
		if !strings.Contains(out, "reward") {
			t.Errorf("%s printed no reward:\n%s", line, out)
		}
		ran++
	}
	if ran < 2 {
		t.Errorf("found %d commands in %s", ran, page)
	}
}

// TestReadme holds the README to the gate: what it tells a newcomer to type is
// what .ci/run types in a clean clone.
func TestReadme(t *testing.T) {
	gate, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, line := range commands(t, "README.md") {
		if !bytes.Contains(gate, []byte("\n"+line+"\n")) {
			t.Errorf("the README says %q, which .ci/run does not run", line)
		}
		ran++
	}
	if ran < 2 {
		t.Errorf("found %d commands in the README, need the main job and the tests", ran)
	}
}

// TestReadmeOutput holds what the README shows to what the command prints.
func TestReadmeOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("the short form builds no command")
	}
	bin := filepath.Join(t.TempDir(), "capeval-ci")
	command(t, ".", nil, "go", "build", "-o", bin, "./cmd/capeval-ci")
	shown := blocks(t, "README.md", "text")
	if len(shown) != 2 {
		t.Fatalf("the README shows %d outputs, want a calm run and a storm", len(shown))
	}
	for i, run := range []struct {
		suite string
		env   []string
		code  int
	}{
		{"./examples/quickstart", nil, 0},
		{"./examples/support", []string{"CAPEVAL_EXAMPLE_STORM=0.6"}, 1},
	} {
		cmd := exec.Command(bin, "run", "--out", filepath.Join(t.TempDir(), "run"), run.suite)
		cmd.Env = append(os.Environ(), run.env...)
		out, _ := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != run.code {
			t.Errorf("%s: exit code %d, want %d", run.suite, got, run.code)
		}
		for _, line := range strings.Split(strings.TrimSpace(shown[i]), "\n") {
			if !bytes.Contains(out, []byte(strings.TrimSpace(line))) {
				t.Errorf("the README shows %q; %s printed\n%s", line, run.suite, out)
			}
		}
	}
}

// TestGoBlocks compiles the README's Go.
func TestGoBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("the short form compiles no module of its own")
	}
	dir := userModule(t)
	for i, block := range blocks(t, "README.md", "go") {
		write(t, filepath.Join(dir, "evals", string(rune('a'+i)), "evals_test.go"), block)
	}
	command(t, dir, []string{"GOFLAGS=-mod=mod"}, "go", "vet", "./...")
}

// userModule makes a module that uses this checkout.
func userModule(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/shop\n\ngo 1.25.0\n\nrequire github.com/capeval/capeval v0.0.0\n\nreplace github.com/capeval/capeval => "+here+"\n")
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sum))
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
