package capeval_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"github.com/capeval/capeval/internal/cli"
	"github.com/capeval/capeval/internal/workflow"
)

// workflowFiles are the workflows of this project, its action, the guide to them
// and, with their templates filled in, the files that init writes. The test's
// working directory is another afterwards.
func workflowFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	own, err := filepath.Glob(".github/workflows/*.yml")
	if err != nil || len(own) < 6 {
		t.Fatalf("found the workflows %v (%v), need six", own, err)
	}
	for _, path := range own {
		files[path] = read(t, path)
	}
	for _, path := range []string{"action.yml", "docs/guide/ci.md"} {
		files[path] = read(t, path)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "service", "go.mod"), "module example.org/shop\n\ngo 1.26\n")
	write(t, filepath.Join(dir, ".git", "HEAD"), "")
	t.Chdir(filepath.Join(dir, "service"))
	for _, forge := range []string{"github", "gitlab"} {
		var out, errs bytes.Buffer
		if code := cli.Main([]string{"init", "--forge", forge, "--keep"}, cli.IO{Out: &out, Err: &errs}); code != 0 {
			t.Fatalf("init --forge %s: exit code %d: %s", forge, code, errs.String())
		}
	}
	starters, err := filepath.Glob(filepath.Join(dir, ".github/workflows/*.yml"))
	if err != nil || len(starters) < 3 {
		t.Fatalf("init wrote the workflows %v (%v), need three", starters, err)
	}
	for _, path := range starters {
		files["init:"+filepath.Base(path)] = read(t, path)
	}
	files["init:.gitlab/capeval.yml"] = read(t, filepath.Join(dir, ".gitlab/capeval.yml"))
	files["init:capeval.yaml"] = read(t, filepath.Join(dir, "service", "capeval.yaml"))
	return files
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// isWorkflow reports whether a file of workflowFiles is one of GitHub.
func isWorkflow(name string) bool {
	return strings.HasPrefix(name, ".github/") || strings.HasPrefix(name, "init:capeval-")
}

var (
	pinned    = regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$`)
	usesLine  = regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`)
	typed     = regexp.MustCompile(`\$\{\{[^}]*\b(inputs|github\.event|github\.head_ref|secrets|matrix|steps|needs)\b`)
	runsAgent = regexp.MustCompile(`capeval-ci"? (gate|run|finalize)\b`)
)

// faults are what speaks against a workflow: what actionlint says, and the rules
// that this project holds its own workflows to.
func faults(t *testing.T, name, text string) []string {
	t.Helper()
	var out []string
	lint, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	errs, err := lint.Lint(filepath.Base(name), []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errs {
		out = append(out, e.Error())
	}
	flow, _ := actionlint.Parse([]byte(text))
	if flow == nil {
		return append(out, "no workflow")
	}
	for _, m := range usesLine.FindAllStringSubmatch(text, -1) {
		if !pinned.MatchString(m[1]) && !strings.HasPrefix(m[1], "capeval/capeval") {
			out = append(out, "an action that no commit pins: "+m[1])
		}
	}
	if flow.Permissions == nil || flow.Permissions.All != nil {
		out = append(out, "no permissions at the top")
	} else {
		for scope, p := range flow.Permissions.Scopes {
			if p.Value.Value != "read" {
				out = append(out, "write at the top: "+scope)
			}
		}
	}
	for id, job := range flow.Jobs {
		out = append(out, jobFaults(flow, id, job)...)
	}
	slices.Sort(out)
	return out
}

func jobFaults(flow *actionlint.Workflow, id string, job *actionlint.Job) []string {
	var out []string
	agent, finalizes := false, false
	for _, step := range job.Steps {
		switch e := step.Exec.(type) {
		case *actionlint.ExecRun:
			if m := typed.FindString(e.Run.Value); m != "" {
				out = append(out, id+": a value that others choose in a script: "+m)
			}
			agent = agent || runsAgent.MatchString(e.Run.Value)
			finalizes = finalizes || strings.Contains(e.Run.Value, `capeval-ci" finalize`)
		case *actionlint.ExecAction:
			in := e.Inputs["persist-credentials"]
			if strings.HasPrefix(e.Uses.Value, "actions/checkout@") && (in == nil || in.Value.Value != "false") {
				out = append(out, id+": a checkout that leaves its token behind")
			}
		}
	}
	writes := []string{}
	if job.Permissions != nil {
		for scope, p := range job.Permissions.Scopes {
			if p.Value.Value == "write" {
				writes = append(writes, scope)
			}
		}
	}
	if agent && !finalizes && len(writes) > 0 {
		out = append(out, id+": a token that writes beside the agent")
	}
	if !finalizes {
		return out
	}
	if !slices.Equal(writes, []string{"contents"}) {
		out = append(out, id+": finalize writes the ledger and nothing else")
	}
	if job.Strategy != nil || job.Environment == nil || flow.Concurrency == nil || flow.Concurrency.CancelInProgress == nil || flow.Concurrency.CancelInProgress.Value {
		out = append(out, id+": finalize is one job, behind an environment, never cancelled")
	}
	for _, on := range flow.On {
		if name := on.EventName(); name != "workflow_dispatch" && name != "workflow_call" {
			out = append(out, id+": finalize started by "+name)
		}
	}
	return out
}

// TestWorkflows holds every workflow to actionlint and to the rules above.
func TestWorkflows(t *testing.T) {
	for name, text := range workflowFiles(t) {
		if !isWorkflow(name) {
			continue
		}
		for _, fault := range faults(t, name, text) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// TestCIGuide holds the workflows that the guide shows to the same.
func TestCIGuide(t *testing.T) {
	shown := 0
	for _, block := range blocks(t, "docs/guide/ci.md", "yaml") {
		if !strings.HasPrefix(block, "name:") {
			continue // a part of one
		}
		shown++
		for _, fault := range faults(t, "guide.yml", block) {
			t.Errorf("the guide shows %s\nwhich has a fault: %s", block, fault)
		}
	}
	if shown < 5 {
		t.Errorf("found %d workflows in the guide", shown)
	}
}

// TestActionMetadata has actionlint read action.yml as a workflow that uses it
// would, with an input that it has, and with one that it has not.
func TestActionMetadata(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".git", "HEAD"), "")
	write(t, filepath.Join(dir, "action.yml"), read(t, "action.yml"))
	check := func(step, want string) {
		t.Helper()
		path := filepath.Join(dir, ".github/workflows/use.yml")
		write(t, path, "on: push\njobs:\n  use:\n    runs-on: ubuntu-latest\n    steps:\n      - id: it\n        uses: ./\n"+step)
		lint, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		errs, err := lint.LintFiles([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range errs {
			got = append(got, e.Message)
		}
		if text := strings.Join(got, "\n"); want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("%s: found %q, want %q", step, text, want)
		}
	}
	check("        with: {command: gate, args: --trials 3}\n      - run: exit ${{ steps.it.outputs.code }}\n", "")
	check("        with: {args: --trials 3}\n", "command")
	check("        with: {command: gate, arguments: x}\n", "arguments")
	check("        with: {command: gate}\n      - run: echo ${{ steps.it.outputs.score }}\n", "score")
}

// TestSpoiledWorkflows spoils each rule once: a check that cannot fail says
// nothing.
func TestSpoiledWorkflows(t *testing.T) {
	spoil := func(name, old, new, want string) {
		t.Helper()
		text := read(t, ".github/workflows/"+name)
		spoiled := strings.Replace(text, old, new, 1)
		if spoiled == text {
			t.Errorf("%s does not hold %q any more", name, old)
			return
		}
		if got := strings.Join(faults(t, name, spoiled), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s with %q for %q: found %q, need %q", name, new, old, got, want)
		}
	}
	spoil("capeval-gate.yml", "contents: read", "contents: write", "write at the top")
	spoil("capeval-gate.yml", "contents: read", "contents: reed", "permission")
	spoil("capeval-gate.yml", "persist-credentials: false", "persist-credentials: true", "leaves its token")
	spoil("capeval-gate.yml", `--base-ref "$BASE"`, "--base-ref ${{ github.event.pull_request.base.sha }}", "others choose")
	spoil("capeval-gate.yml", `refuse "version:`, `refuse "${{ github.event.pull_request.title }}`, "untrusted")
	spoil("capeval-gate.yml", "steps.gate.outputs.code", "steps.gait.outputs.code", "gait")
	spoil("capeval-gate.yml", "    runs-on: ubuntu-latest\n", "    runs-on: ubuntu-latest\n    permissions: {contents: read, issues: write}\n", "beside the agent")
	spoil("capeval-comment.yml", "permissions: {}\n", "", "no permissions")
	spoil("capeval-sharded.yml", "needs: plan", "needs: plans", "plans")
	spoil("capeval-finalize.yml", "    environment: capeval-finalize\n", "", "behind an environment")
	spoil("capeval-finalize.yml", "cancel-in-progress: false", "cancel-in-progress: true", "never cancelled")
	spoil("capeval-finalize.yml", "    environment: capeval-finalize\n", "    environment: capeval-finalize\n    strategy: {matrix: {leg: [1, 2]}}\n", "one job")
	spoil("capeval-finalize.yml", "      contents: write #", "      id-token: write\n      contents: write #", "nothing else")
	spoil("capeval-finalize.yml", "  workflow_call:", "  pull_request:\n  workflow_call:", "started by pull_request")
	spoil("ci.yml", "de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2", "v6", "no commit pins")
}

// TestWorkflowPolicy asks what `capeval-ci check` asks, of this project's own
// workflows and of those that init writes.
func TestWorkflowPolicy(t *testing.T) {
	own, err := workflow.Check(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range own {
		t.Error(f)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/shop\n\ngo 1.26\n")
	t.Chdir(dir)
	if code := cli.Main([]string{"init"}, cli.IO{Out: io.Discard, Err: io.Discard}); code != 0 {
		t.Fatalf("init: exit code %d", code)
	}
	starters, err := workflow.Check(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range starters {
		t.Error(f)
	}
}
