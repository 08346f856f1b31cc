package workflow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	gate     = "capeval-gate.yml"
	sharded  = "capeval-sharded.yml"
	finalize = "capeval-finalize.yml"
)

// checkout is a copy of the good workflows.
func checkout(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/good")); err != nil {
		t.Fatal(err)
	}
	return root
}

func inFolder(root, name string) string { return filepath.Join(root, ".github", "workflows", name) }

func check(t testing.TB, root string) []Finding {
	t.Helper()
	got, err := Check(root)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestGoodWorkflowsHaveNoFindings(t *testing.T) {
	for _, f := range check(t, checkout(t)) {
		t.Error(f)
	}
}

func TestNoWorkflows(t *testing.T) {
	if got := check(t, t.TempDir()); len(got) != 0 {
		t.Errorf("found %v in an empty folder", got)
	}
}

// TestSpoiled spoils one thing of a good workflow at a time: a rule that does
// not notice is no rule. at is text of the line that the finding must name.
func TestSpoiled(t *testing.T) {
	const sha = "@0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		name, file, old, new string
		want, at             string // level and code, and a text of its line
	}{
		{"a pull request finalizes", finalize, "on:\n", "on:\n  pull_request:\n", "problem finalize_trigger", "pull_request:"},
		{"a pull request of a fork finalizes", finalize, "on:\n", "on:\n  pull_request_target:\n", "problem finalize_trigger", "pull_request_target:"},
		{"a comment finalizes", finalize, "on:\n", "on:\n  issue_comment:\n", "problem finalize_trigger", "issue_comment:"},
		{"another workflow finalizes", finalize, "on:\n", "on:\n  workflow_run:\n    workflows: [gate]\n    branches: [main]\n", "problem finalize_trigger", "workflow_run:"},
		{"every push finalizes", finalize, "on:\n", "on:\n  push:\n", "warning finalize_trigger", "push:"},
		{"a list of triggers", finalize, "on:\n  workflow_dispatch:\n    inputs:\n      release:\n        description: the release whose score is published\n        required: true\n", "on: [push, pull_request]\n", "problem finalize_trigger", "on:"},
		{"a matrix", finalize, "    environment:", "    strategy:\n      matrix:\n        leg: [1, 2]\n    environment:", "problem finalize_matrix", "strategy:"},
		{"a matrix by expression", finalize, "    environment:", "    strategy:\n      matrix: ${{ fromJSON('{\"a\":[1,2]}') }}\n    environment:", "problem finalize_matrix", "strategy:"},
		{"no concurrency", finalize, "concurrency:\n  group: capeval-finalize\n  cancel-in-progress: false\n", "", "problem finalize_concurrency", "finalize:"},
		{"cancelled by the next", finalize, "cancel-in-progress: false", "cancel-in-progress: true", "problem finalize_concurrency", "cancel-in-progress"},
		{"perhaps cancelled", finalize, "cancel-in-progress: false", "cancel-in-progress: ${{ github.ref != 'refs/heads/main' }}", "problem finalize_concurrency", "cancel-in-progress"},
		{"the job cancels", finalize, "    environment:", "    concurrency:\n      group: x\n      cancel-in-progress: true\n    environment:", "problem finalize_concurrency", "      cancel-in-progress: true"},
		{"a group for every ref", finalize, "group: capeval-finalize", "group: capeval-${{ github.ref }}", "warning finalize_concurrency", "group:"},
		{"no environment", finalize, "    environment: capeval-finalize\n", "", "problem finalize_environment", "  finalize:"},
		{"an empty environment", finalize, "environment: capeval-finalize", "environment: ''", "problem finalize_environment", "  finalize:"},
		{"no permissions at the top", finalize, "permissions: {}\n", "", "problem top_permissions", "name: finalize"},
		{"write-all at the top", finalize, "permissions: {}", "permissions: write-all", "problem top_permissions", "write-all"},
		{"a scope to write at the top", finalize, "permissions: {}", "permissions:\n  issues: write", "problem top_permissions", "issues"},
		{"finalize cannot write", finalize, "contents: write", "contents: read", "problem finalize_permissions", "permissions:"},
		{"finalize may write everything", finalize, "    permissions:\n      contents: write", "    permissions: write-all", "problem finalize_permissions", "write-all"},
		{"finalize may write more", finalize, "      contents: write", "      contents: write\n      packages: write", "problem finalize_permissions", "packages"},
		{"finalize signs", finalize, "      contents: write", "      contents: write\n      id-token: write", "problem finalize_permissions", "id-token"},
		{"finalize has no permissions", finalize, "    permissions:\n      contents: write\n", "", "problem finalize_permissions", "  finalize:"},
		{"another job writes contents", finalize, "      attestations: write", "      attestations: write\n      contents: write", "problem finalize_other_write", "    permissions:"},
		{"finalize twice in a job", finalize, "        run: capeval-ci finalize", "        run: capeval-ci finalize --release x && capeval-ci finalize", "problem finalize_twice", "capeval-ci finalize"},
		{"finalize in another workflow", gate, `capeval-ci" gate`, `capeval-ci" finalize`, "problem finalize_twice", "finalize"},
		{"finalize in a shell in another workflow", gate, `"$RUNNER_TEMP/capeval-ci" gate`, `bash -c "capeval-ci finalize" #`, "problem finalize_twice", "finalize"},
		{"nobody finalizes", finalize, "capeval-ci finalize", "echo no", "warning no_finalize", ""},
		{"a token in the checkout of finalize", finalize, "persist-credentials: false", "fetch-depth: 0", "problem persist_credentials", "actions/checkout"},
		{"a token in the checkout of gate", gate, "persist-credentials: false", "persist-credentials: true", "problem persist_credentials", "persist-credentials"},
		{"a token in the checkout of run", sharded, "        with: {persist-credentials: false}\n", "", "problem persist_credentials", "actions/checkout"},
		{"perhaps a token", gate, "persist-credentials: false", "persist-credentials: ${{ false }}", "problem persist_credentials", "persist-credentials"},
		{"gate for forks with rights", gate, "pull_request:", "pull_request_target:", "problem agent_trigger", "pull_request_target:"},
		{"gate after another workflow", gate, "pull_request:", "workflow_run:\n    workflows: [ci]\n    branches: [main]", "warning agent_trigger", "workflow_run:"},
		{"gate writes", gate, "contents: read", "contents: write", "problem agent_permissions", "contents: write"},
		{"gate comments", gate, "contents: read", "contents: read\n  pull-requests: write", "problem agent_permissions", "pull-requests"},
		{"gate has the default", gate, "permissions:\n  contents: read\n", "", "problem agent_permissions", "  gate:"},
		{"gate may write everything", gate, "permissions:\n  contents: read\n", "permissions: write-all\n", "problem agent_permissions", "write-all"},
		{"the job of gate writes", gate, "    runs-on: ubuntu-latest\n", "    runs-on: ubuntu-latest\n    permissions:\n      checks: write\n", "problem agent_permissions", "checks"},
		{"run writes", sharded, "contents: read", "contents: write", "problem agent_permissions", "contents: write"},
		{"a name made up again", finalize, "${{ needs.finalize.outputs.artifact }}", "capeval-final-${{ github.run_id }}-a${{ github.run_attempt }}", "warning artifact_name", "name: capeval-final-${{"},
		{"a title in a script", gate, "# capeval-ci finalize is another workflow's", "echo ${{ github.event.pull_request.title }}", "problem script_injection", "pull_request.title"},
		{"a branch name in a script", gate, "# capeval-ci finalize is another workflow's", "echo ${{ github.head_ref }}", "problem script_injection", "head_ref"},
		{"an input in a script", finalize, `--release "$RELEASE"`, "--release ${{ inputs.release }}", "warning script_input", "run: capeval-ci finalize"},
		{"an action by tag", finalize, "actions/attest" + sha, "actions/attest@v4", "warning unpinned_action", "actions/attest@v4"},
		{"an action by branch", gate, "actions/setup-go" + sha, "actions/setup-go@main", "warning unpinned_action", "setup-go@main"},
		{"a permission that does not exist", finalize, "contents: write", "contents: wriet", "problem actionlint_permissions", "wriet"},
		{"a job that does not exist", sharded, "needs: shard", "needs: shards", "problem actionlint_job-needs", "  merge:"},
		{"a step that does not exist", finalize, "steps.name.outputs", "steps.nam.outputs", "problem actionlint_expression", "steps.nam"},
		{"no YAML", gate, "jobs:\n", "jobs: [\n", "problem actionlint_syntax-check", ""},
		{"another workflow has a mistake", "ci.yml", "ubuntu-latest", "ubuntu-latest\n    needs: nobody", "warning actionlint_job-needs", "test:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := checkout(t)
			data, err := os.ReadFile(inFolder(root, c.file))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(string(data), c.old, c.new, 1)
			if text == string(data) {
				t.Fatalf("%s does not hold %q", c.file, c.old)
			}
			write(t, inFolder(root, c.file), text)
			for _, f := range check(t, root) {
				if f.Level+" "+f.Code != c.want {
					continue
				}
				if f.Found == "" || f.Need == "" {
					t.Errorf("%s says too little", f)
				}
				if c.at == "" {
					return
				}
				data, _ := os.ReadFile(filepath.Join(root, f.File))
				if line := strings.Split(string(data), "\n")[f.Line-1]; !strings.Contains(line, c.at) {
					t.Errorf("%s points to %q, want the line of %q", f, line, c.at)
				}
				return
			}
			t.Errorf("no finding %q among %v", c.want, check(t, root))
		})
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func codes(list []Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, f.Code))
	}
	return strings.Join(out, "\n")
}

// TestReusedWorkflow: whoever runs a workflow that finalizes is held to what
// starts it.
func TestReusedWorkflow(t *testing.T) {
	root := checkout(t)
	data, err := os.ReadFile(inFolder(root, finalize))
	if err != nil {
		t.Fatal(err)
	}
	write(t, inFolder(root, finalize), strings.Replace(string(data), "workflow_dispatch:", "workflow_call:", 1)) // its input has no type
	write(t, inFolder(root, "caller.yml"), `on: [pull_request]
permissions: {}
jobs:
  release:
    strategy:
      matrix: {v: [1, 2]}
    uses: ./.github/workflows/capeval-finalize.yml
    with: {release: v1}
  again:
    uses: ./.github/workflows/capeval-finalize.yml
    with: {release: v1}
  loop:
    uses: ./.github/workflows/caller.yml
`)
	got := codes(check(t, root))
	for _, want := range []string{"caller.yml:1 finalize_trigger", "caller.yml:5 finalize_matrix", "caller.yml:9 finalize_twice"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	write(t, inFolder(root, gate), "on:\n  workflow_call:\npermissions: {contents: read}\njobs:\n  gate:\n    runs-on: ubuntu-latest\n    steps:\n      - run: capeval-ci gate\n")
	write(t, inFolder(root, "caller.yml"), "on: [pull_request_target]\njobs:\n  g:\n    uses: ./.github/workflows/capeval-gate.yml\n")
	if got := codes(check(t, root)); !strings.Contains(got, "caller.yml:1 agent_trigger") {
		t.Errorf("a caller with the rights of the repository passes:\n%s", got)
	}
}

// TestActions: finalize by an action is finalize.
func TestActions(t *testing.T) {
	for name, step := range map[string]string{
		"the project's": "uses: capeval/capeval@0123456789abcdef0123456789abcdef01234567\n        with: {command: finalize}",
		"with flags":    "uses: capeval/capeval@0123456789abcdef0123456789abcdef01234567\n        with: {args: finalize --release v1}",
		"by its folder": "uses: capeval/capeval/finalize@0123456789abcdef0123456789abcdef01234567",
		"of this tree":  "uses: ./tools/seal",
		"at the top":    "uses: ./\n        with: {command: finalize}",
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "tools/seal/action.yml"), "name: seal\ndescription: seals\nruns:\n  using: composite\n  steps:\n    - run: capeval-ci finalize\n      shell: bash\n")
		write(t, filepath.Join(root, "action.yml"), "name: capeval\ndescription: runs it\ninputs:\n  command: {description: what to do}\nruns:\n  using: composite\n  steps:\n    - run: capeval-ci ${{ inputs.command }}\n      shell: bash\n")
		write(t, inFolder(root, "f.yml"), "on: [pull_request]\njobs:\n  f:\n    runs-on: ubuntu-latest\n    steps:\n      - "+step+"\n")
		if got := codes(check(t, root)); !strings.Contains(got, "f.yml:1 finalize_trigger") {
			t.Errorf("%s: finalize is not seen:\n%s", name, got)
		}
	}
}

func TestUnreadable(t *testing.T) {
	root := t.TempDir()
	write(t, inFolder(root, "big.yml"), strings.Repeat("#", maxFile+1))
	if err := os.Mkdir(inFolder(root, "folder.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := codes(check(t, root)); got != "big.yml:1 unreadable\nfolder.yaml:1 unreadable" {
		t.Errorf("found\n%s", got)
	}
}

func TestCommands(t *testing.T) {
	check := func(script, want string) {
		t.Helper()
		if got := strings.Join(commands(script), " "); got != want {
			t.Errorf("%q: got %q, want %q", script, got, want)
		}
	}
	check("capeval-ci finalize", "finalize")
	check("./bin/capeval-ci --format json gate --base-ref x", "gate")
	check("capeval-ci --format=json run", "run")
	check("go run github.com/capeval/capeval/cmd/capeval-ci@v1.2.3 run ./...", "run")
	check("\"$RUNNER_TEMP/capeval-ci\" finalize", "finalize")
	check("capeval-ci \\\n  finalize \\\n  --release v1", "finalize")
	check("set -e; VERSION=1 capeval-ci run && capeval-ci gate || true", "run gate")
	check("out=$(capeval-ci result x)", "result")
	check("bash -euo pipefail -c 'capeval-ci finalize'", "finalize")
	check("eval \"capeval-ci finalize\"", "finalize")
	check("if capeval-ci gate; then echo ok; fi", "gate")
	check("capeval-ci.exe run", "run")
	check(`C:\tools\capeval-ci.exe run`, "") // a shell eats the backslashes
	check("# capeval-ci finalize", "")
	check("echo 'then capeval-ci finalize'", "")
	check("my-capeval-ci finalize", "")
	check("capeval-ci", "")
	check("capeval-ci\nfinalize", "")
	check("go install github.com/capeval/capeval/cmd/capeval-ci@latest\ncapeval-ci run", " run")
	check("echo \"unclosed capeval-ci run", "")
}

// FuzzCheck: whatever a workflow holds, the check comes to an end, says the same
// twice, and places every finding in the file.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/good/.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		f.Fatal(err, files)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("on: &a [pull_request]\njobs: {f: {permissions: , steps: [{run: capeval-ci finalize}, {uses: }, {uses: actions/checkout@v1, with: }]}}"))
	f.Add([]byte("jobs:\n  a:\n    uses: ./.github/workflows/w.yml\n"))
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		write(t, inFolder(root, "w.yml"), string(data))
		first := check(t, root)
		if again := check(t, root); fmt.Sprint(first) != fmt.Sprint(again) {
			t.Errorf("%v, and then %v", first, again)
		}
		lines := strings.Count(string(data), "\n") + 2
		for _, found := range first {
			if found.Line < 0 || found.Line > lines || found.Code == "" || found.Level != Problem && found.Level != Warning {
				t.Errorf("a file of %d lines: %+v", lines, found)
			}
		}
	})
}
