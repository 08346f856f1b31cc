package capeval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReportsGuide types every command of the page, in order, beside the suite of
// the first guide, and looks at what it wrote.
func TestReportsGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("the short form compiles no module of its own")
	}
	const page = "docs/guide/reports.md"
	dir := userModule(t)
	const first = "docs/guide/first-task.md"
	write(t, filepath.Join(dir, "evals/evals_test.go"), strings.Join(blocks(t, first, "go"), "\n"))
	write(t, filepath.Join(dir, "evals/testdata/tasks.jsonl"), strings.Join(blocks(t, first, "json"), ""))
	bin := t.TempDir()
	command(t, ".", nil, "go", "build", "-o", filepath.Join(bin, "capeval-ci"), "./cmd/capeval-ci")
	env := []string{
		"GOFLAGS=-mod=mod", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GITHUB_TOKEN=", "GH_TOKEN=", "GITHUB_STEP_SUMMARY=", "GITHUB_OUTPUT=", "GITHUB_EVENT_PATH=", "GITHUB_REPOSITORY=", "GITHUB_REF=",
	}
	ran := 0
	for _, line := range commands(t, page) {
		out := command(t, dir, env, "sh", "-c", line)
		if strings.Contains(line, " comment ") && !strings.Contains(out, "no comment: ") {
			t.Errorf("%s printed %q", line, out)
		}
		ran++
	}
	if ran < 10 {
		t.Errorf("found %d commands in %s", ran, page)
	}
	for file, part := range map[string]string{
		"report.html": "<!DOCTYPE html>", "junit.xml": "<testsuites", "report.md": "reward", "verdict.md": "accepted: ",
		"verdict.xml": ".verdict\"", "verdict.html": "</html>", "summary.md": "reward", "badge.svg": "<svg ", "badge.json": "schemaVersion", "ginkgo.xml": "<testcase",
	} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(data), part) {
			t.Errorf("%s lacks %q: %v", file, part, err)
		}
	}
	// The pictures of the page are there.
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range strings.Split(string(data), "](../images/")[1:] {
		name, _, _ := strings.Cut(link, ")")
		if info, err := os.Stat(filepath.Join("docs/images", name)); err != nil || info.Size() < 10_000 {
			t.Errorf("the picture %s: %v", name, err)
		}
	}
}
