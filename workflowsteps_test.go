package capeval_test

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// scriptOf returns the script of a step of a workflow, by the step's name.
func scriptOf(t *testing.T, text, job, name string) string {
	t.Helper()
	var doc struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
		Runs struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for _, s := range append(doc.Jobs[job].Steps, doc.Runs.Steps...) {
		if s.Name == name {
			return s.Run
		}
	}
	t.Fatalf("found no step %q in the job %q", name, job)
	return ""
}

// script runs a step as a runner does, in a folder of its own, and returns its
// exit code, what it wrote to GITHUB_OUTPUT, and the folder.
func script(t *testing.T, run string, env ...string) (code int, output, dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "step.sh"), run)
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh")
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + dir, "RUNNER_TEMP=" + dir,
		"GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"),
		"GITHUB_RUN_ID=77", "GITHUB_RUN_ATTEMPT=2", "GITHUB_SERVER_URL=https://github.example",
	}, env...)
	write(t, filepath.Join(dir, "output"), "")
	write(t, filepath.Join(dir, "bin", "capeval-ci"), probe)
	if err := os.Chmod(filepath.Join(dir, "bin", "capeval-ci"), 0o755); err != nil {
		t.Fatal(err)
	}
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if t.Failed() {
		t.Logf("%s", said)
	}
	return cmd.ProcessState.ExitCode(), read(t, filepath.Join(dir, "output")), dir
}

// probe stands where the command is called and writes down how: one call a line,
// each word in brackets, and what of the environment matters.
const probe = `#!/bin/sh
line=
for word in "$@"; do line="$line<$word>"; done
echo "$line" >> "$RUNNER_TEMP/calls"
env | grep -E '^(GIT_CONFIG_|GITHUB_ENV|LEDGER_TOKEN|AGENT_ENV|MODEL_KEY|GITHUB_TOKEN)' | sort >> "$RUNNER_TEMP/environ"
[ "$1" = report ] || exit "${PROBE_CODE:-0}"
`

// called returns the calls of the probe, one a line.
func called(t *testing.T, dir string) string {
	t.Helper()
	data, _ := os.ReadFile(filepath.Join(dir, "calls"))
	return strings.ReplaceAll(strings.TrimSpace(string(data)), dir, "DIR")
}

// hostile are words that a shell would act upon, were they ever part of a script.
const hostile = "$(touch pwned) `touch pwned` ;touch pwned &&touch pwned >pwned ${IFS}\n\"quoted\" 'single' *"

// hostileWords are those words as the command must get them.
const hostileWords = "<$(touch><pwned)><`touch><pwned`><;touch><pwned><&&touch><pwned><>pwned><${IFS}><\"quoted\"><'single'><*>"

func unharmed(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("an input was run by the shell")
	}
}

// TestActionRuns calls the action's step as a runner would.
func TestActionRuns(t *testing.T) {
	run := scriptOf(t, read(t, "action.yml"), "", "Run it")
	check := func(command, args, code, wantCalls string, wantCode int) {
		t.Helper()
		got, output, dir := script(t, run, "COMMAND="+command, "ARGS="+args, "SUMMARY=true", "BASE=abc", "BINARY=capeval-ci", "PROBE_CODE="+code)
		unharmed(t, dir)
		out := ""
		for line := range strings.Lines(output) {
			if value, ok := strings.CutPrefix(line, "out="); ok {
				out = strings.ReplaceAll(strings.TrimSpace(value), dir, "DIR")
			}
		}
		calls := called(t, dir)
		if out != "" {
			calls = strings.ReplaceAll(calls, out, "OUT")
		}
		if got != wantCode || calls != wantCalls {
			t.Errorf("%s %q: exit code %d, want %d; called\n%s\nwant\n%s", command, args, got, wantCode, calls, wantCalls)
		}
		if wantCalls != "" && !strings.Contains(output, "code="+code+"\n") {
			t.Errorf("%s: outputs %q, need code=%s", command, output, code)
		}
	}
	check("gate", "--trials 3\n./evals/...", "3", "<gate><--base-ref><abc><--out><OUT/runs><--json><OUT/verdict.json><--junit><OUT/junit.xml><--trials><3><./evals/...>", 3)
	check("gate", "--base-ref=main", "1", "<gate><--out><OUT/runs><--json><OUT/verdict.json><--junit><OUT/junit.xml><--base-ref=main>", 1)
	check("gate", "--baseline a --candidate b", "0", "<gate><--json><OUT/verdict.json><--junit><OUT/junit.xml><--baseline><a><--candidate><b>", 0)
	check("run", "./evals", "130", "<run><--out><OUT/run><./evals>", 130)
	check("merge", "shards", "6", "<merge><--out><OUT/run><shards>", 6)
	check("finalize", "--release v1", "7", "<finalize><--out><OUT><--release><v1>", 7)
	check("check", "", "5", "<check>", 5)
	check("report", hostile, "0", "<report>"+hostileWords, 0)
	check("run;touch pwned", "", "0", "", 2)
	check("--help", "", "0", "", 2)
	check("", "", "0", "", 2)
}

// TestGateStep looks at how the gate is called, and with which environment.
func TestGateStep(t *testing.T) {
	gate := read(t, ".github/workflows/capeval-gate.yml")
	run := scriptOf(t, gate, "gate", "Measure both arms and judge")
	code, _, dir := script(t, run, "BASE=abc", "PACKAGES="+hostile, "FLAGS=--trials 3", "AGENT_ENV=MODEL_KEY=a=b c\nbad-name=1\n", "GITHUB_ENV=x", "PROBE_CODE=3")
	unharmed(t, dir)
	const want = "<gate><--base-ref><abc><--out><DIR/capeval/runs><--json><DIR/capeval/verdict.json><--junit><DIR/capeval/junit.xml><--trials><3><-->" + hostileWords
	if got := called(t, dir); code != 3 || got != want {
		t.Errorf("exit code %d, want 3; called\n%s\nwant\n%s", code, got, want)
	}
	if got := read(t, filepath.Join(dir, "environ")); got != "MODEL_KEY=a=b c\n" {
		t.Errorf("the agent's environment: %q, need the key of the model alone", got)
	}
	run = scriptOf(t, gate, "gate", "Check the inputs and name the artifact")
	refused(t, run, "artifact=capeval-gate-pr7-a2\n", []string{"NAME=gate", "VERSION=v1.2.3", "NUMBER=7"},
		"NUMBER=", "NUMBER=7;touch pwned", "NAME=a/b", "NAME=", "NAME=a-pr1", "NAME=$(touch pwned)", "VERSION=v1 v2", "VERSION=`touch pwned`")
	run = scriptOf(t, gate, "gate", "Report")
	code, _, dir = script(t, run, "CODE=2")
	if summary := read(t, filepath.Join(dir, "summary")); code != 0 || called(t, dir) != "" || !strings.Contains(summary, "exit code 2") {
		t.Errorf("a refused gate: exit code %d, calls %q, summary %q", code, called(t, dir), summary)
	}
}

// refused runs a step that checks inputs, once with good ones and once with each
// of the others in the place of a good one.
func refused(t *testing.T, run, output string, good []string, bad ...string) {
	t.Helper()
	if code, got, _ := script(t, run, good...); code != 0 || got != output {
		t.Errorf("%v: exit code %d, outputs %q, want %q", good, code, got, output)
	}
	for _, env := range bad {
		code, got, dir := script(t, run, append(append([]string{}, good...), env)...)
		unharmed(t, dir)
		if code != 2 || got != "" {
			t.Errorf("%s: exit code %d, outputs %q; need 2 and none", env, code, got)
		}
	}
}

// TestFinalizeStep looks at who gets the token.
func TestFinalizeStep(t *testing.T) {
	finalize := read(t, ".github/workflows/capeval-finalize.yml")
	run := scriptOf(t, finalize, "finalize", "Look at the test split, once")
	code, _, dir := script(t, run, "RELEASE=v1", "BASELINE_REF=v0", "RELOOK_REASON=a model's key; expired $(touch pwned)", "PACKAGES=./a ./b",
		"AGENT_ENV=", "LEDGER_TOKEN=s3cret", "GITHUB_TOKEN_FILE=", "PROBE_CODE=7")
	unharmed(t, dir)
	const want = "<finalize><--release><v1><--out><DIR/final><--baseline-ref><v0><--relook-reason><a model's key; expired $(touch pwned)><--><./a><./b>"
	if got := called(t, dir); code != 7 || got != want {
		t.Errorf("exit code %d, want 7; called\n%s\nwant\n%s", code, got, want)
	}
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:s3cret"))
	environ := read(t, filepath.Join(dir, "environ"))
	if !strings.Contains(environ, "GIT_CONFIG_COUNT=1\nGIT_CONFIG_KEY_0=http.https://github.example/.extraheader\nGIT_CONFIG_VALUE_0=AUTHORIZATION: basic "+basic+"\n") ||
		strings.Contains(environ, "s3cret") {
		t.Errorf("the environment of finalize: %q, need the token where git looks and nowhere else", environ)
	}
	if code, _, dir = script(t, run, "RELEASE=v1", "PACKAGES=./a", "LEDGER_TOKEN=x"); code != 0 || called(t, dir) != "<finalize><--release><v1><--out><DIR/final><--><./a>" {
		t.Errorf("without a baseline: exit code %d, called %s", code, called(t, dir))
	}
	refused(t, scriptOf(t, finalize, "finalize", "Check what was asked for and name the artifact"), "artifact=capeval-final-77-a2\n",
		[]string{"RELEASE=v1.2.0", "BASELINE_REF=origin/main", "VERSION=", "DEFAULT_BRANCH=trunk", "GITHUB_REF_NAME=trunk", "GITHUB_EVENT_NAME=workflow_dispatch"},
		"RELEASE=", "RELEASE=-v", "RELEASE=$(touch pwned)", "RELEASE=v1\nx", "BASELINE_REF=--all", "VERSION=a b",
		"GITHUB_REF_NAME=feature", "GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_NAME=workflow_run")
}

// TestFinalizeHandsOn follows the scores from the job that looks to the one that
// signs.
func TestFinalizeHandsOn(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed; runners have it")
	}
	finalize := read(t, ".github/workflows/capeval-finalize.yml")
	run := scriptOf(t, finalize, "finalize", "List the suites that have a score")
	if _, output, _ := script(t, run); output != "suites=[]\n" {
		t.Errorf("without a score: outputs %q", output)
	}
	const plant = `mkdir -p "$RUNNER_TEMP/final/b c" "$RUNNER_TEMP/final/a"; touch "$RUNNER_TEMP/final/b c/final.json" "$RUNNER_TEMP/final/a/final.json"` + "\n"
	if _, output, _ := script(t, plant+run); output != `suites=["./a","./b c"]`+"\n" {
		t.Errorf("with two scores: outputs %q", output)
	}
	run = scriptOf(t, finalize, "attest", "Take the predicate out of the statement")
	statement := func(text string) string { return "mkdir -p final/a; echo '" + text + "' > final/a/final.intoto.json\n" }
	code, output, dir := script(t, statement(`{"predicateType":"https://in-toto.io/attestation/test-result/v0.1","predicate":{"result":"PASSED"}}`)+run, "SUITE=./a")
	if code != 0 || output != "type=https://in-toto.io/attestation/test-result/v0.1\n" || !strings.Contains(read(t, filepath.Join(dir, "predicate.json")), "PASSED") {
		t.Errorf("a statement: exit code %d, outputs %q", code, output)
	}
	for _, text := range []string{`{}`, `{"predicate":{},"predicateType":"https://x\ny"}`, `nothing`} {
		if code, output, _ := script(t, statement(text)+run, "SUITE=./a"); code == 0 || output != "" {
			t.Errorf("%s: exit code %d, outputs %q; need a failure", text, code, output)
		}
	}
}

// TestCommentStep plants what an artifact may hold.
func TestCommentStep(t *testing.T) {
	run := scriptOf(t, read(t, ".github/workflows/capeval-comment.yml"), "comment", "Comment")
	check := func(plant, want string) {
		t.Helper()
		code, _, dir := script(t, "mkdir -p \"$RUNNER_TEMP/artifacts\"; cd \"$RUNNER_TEMP/artifacts\"; "+plant+"\ncd \"$RUNNER_TEMP\"\n"+run, "NAME=gate", "GITHUB_TOKEN=t")
		unharmed(t, dir)
		if got := called(t, dir); code != 0 || got != want {
			t.Errorf("%s: exit code %d, called %q, want %q", plant, code, got, want)
		}
	}
	check("true", "")
	check("touch verdict.json", "<comment><--name><capeval-gate><DIR/artifacts/verdict.json>")
	check("mkdir -p 'x $(touch pwned)/runs/candidate'; touch 'x $(touch pwned)/verdict.json'",
		"<comment><--name><capeval-gate><DIR/artifacts/x $(touch pwned)/verdict.json><DIR/artifacts/x $(touch pwned)/runs/candidate>")
	check("mkdir a b; touch a/verdict.json b/verdict.json", "")
	check("mkdir a; ln -s /etc/hostname a/verdict.json", "")
}

// TestShardedSteps follows the number of shards to the jobs.
func TestShardedSteps(t *testing.T) {
	sharded := read(t, ".github/workflows/capeval-sharded.yml")
	plan := scriptOf(t, sharded, "plan", "Check the inputs and cut the shards")
	inputs := []string{"SHARDS=3", "PACKAGES=./...", "FLAGS=", "FOLDER=.", "VERSION=", "GITHUB_SHA=abc"}
	_, first, _ := script(t, plan, inputs...)
	if !strings.HasPrefix(first, "shards=[1,2,3]\nartifact=capeval-plan-") {
		t.Errorf("outputs %q", first)
	}
	refused(t, plan, first, inputs, "SHARDS=0", "SHARDS=101", "SHARDS=3]", "SHARDS=", "SHARDS=$(touch pwned)", "VERSION=;")
	if _, other, _ := script(t, plan, append(inputs, "GITHUB_SHA=abd")...); other == first {
		t.Error("two commits have one plan")
	}
	code, _, dir := script(t, scriptOf(t, sharded, "shard", "Measure a part of the cells"), "SHARD=2", "SHARDS=3", "PACKAGES=./a ./b", "FLAGS=--trials 3", "PROBE_CODE=1")
	if got := called(t, dir); code != 1 || got != "<run><--shard><2/3><--out><DIR/shard><--trials><3><--><./a><./b>" {
		t.Errorf("a shard: exit code %d, called %s", code, got)
	}
	code, _, dir = script(t, scriptOf(t, sharded, "merge", "Make one run of the shards"), "PROBE_CODE=6")
	if got := called(t, dir); code != 6 || got != "<merge><--out><DIR/merged/run><DIR/shards>" {
		t.Errorf("a lost shard: exit code %d, called %s", code, got)
	}
	code, _, dir = script(t, scriptOf(t, sharded, "merge", "Judge the whole by the suites' own assertions; no trial runs again"), "PACKAGES=./a", "PROBE_CODE=1")
	if got := called(t, dir); code != 1 || got != "<run><--resume><DIR/merged/run><--><./a>" {
		t.Errorf("the assertions: exit code %d, called %s", code, got)
	}
}
