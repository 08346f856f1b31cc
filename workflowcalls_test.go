package capeval_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/capeval/capeval/internal/cli"
)

// notYet lists commands, and flags of a command, that the workflows name and that
// this checkout does not have yet.
var notYet = []string{"seal"}

// calls are the calls of the command in a text, as the words after its name.
// A line that goes on in the next is one.
func calls(text string) [][]string {
	var out [][]string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		for _, m := range regexp.MustCompile(`(?:^|[\s"'/(`+"`"+`])capeval-ci"? +([a-z][^|;&)`+"`"+`]*)`).FindAllStringSubmatch(line, -1) {
			out = append(out, strings.Fields(m[1]))
		}
	}
	return out
}

// TestCommandsInWorkflows asks the command itself whether it knows every
// sub-command and flag that a workflow, the action or a template names, comments
// included.
func TestCommandsInWorkflows(t *testing.T) {
	files := workflowFiles(t)
	seen := map[string]int{}
	for name, text := range files {
		for _, words := range calls(text) {
			sub := words[0]
			if slices.Contains(notYet, sub) && !known(sub) {
				continue
			}
			if !known(sub) {
				t.Errorf("%s: found capeval-ci %s, which is no command", name, sub)
				continue
			}
			seen[sub]++
			for _, word := range words[1:] {
				flag, _, _ := strings.Cut(word, "=")
				if len(flag) > 2 && strings.HasPrefix(flag, "--") && !hasFlag(sub, flag) && !slices.Contains(notYet, sub+" "+flag) {
					t.Errorf("%s: found capeval-ci %s %s, which is no flag of it", name, sub, flag)
				}
			}
		}
	}
	for _, sub := range []string{"run", "gate", "report", "comment"} {
		if seen[sub] == 0 {
			t.Errorf("found no call of capeval-ci %s in any workflow", sub)
		}
	}
	if hasFlag("run", "--no-such-flag") || known("no-such-command") {
		t.Error("the check knows a flag or a command that nobody has")
	}
}

// TestGitLabStarter reads what init writes for GitLab: a colon in a line of a
// script would make a map of it.
func TestGitLabStarter(t *testing.T) {
	var pipeline map[string]struct {
		Image     string
		Rules     []struct{ If string }
		Variables map[string]string
		Script    []string
		Artifacts struct {
			When    string
			Paths   []string
			Reports map[string]string
		}
	}
	text := workflowFiles(t)["init:.gitlab/capeval.yml"]
	if err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(&pipeline); err != nil {
		t.Fatal(err)
	}
	job, ok := pipeline["capeval-gate"]
	if !ok || len(pipeline) != 1 {
		t.Fatalf("found %d jobs, need capeval-gate alone", len(pipeline))
	}
	last := job.Script[len(job.Script)-1]
	if job.Script[0] != "cd service" || !strings.HasPrefix(last, "capeval-ci gate --base-ref ") || !strings.HasSuffix(last, " ./evals/...") {
		t.Errorf("script %q", job.Script)
	}
	if job.Variables["GIT_DEPTH"] != "0" || job.Artifacts.When != "always" || job.Artifacts.Reports["junit"] != "capeval-gate/junit.xml" {
		t.Errorf("variables %v, artifacts %v", job.Variables, job.Artifacts)
	}
}

// help is what the command says about one of its own.
func help(sub string) (string, bool) {
	var out bytes.Buffer
	code := cli.Main([]string{sub, "--help"}, cli.IO{Out: &out, Err: &out})
	return out.String(), code == 0 && strings.Contains(out.String(), "capeval-ci "+sub)
}

func known(sub string) bool { _, ok := help(sub); return ok }

func hasFlag(sub, flag string) bool {
	text, _ := help(sub)
	return regexp.MustCompile(`(?m)^\s+(-\w, )?` + regexp.QuoteMeta(flag) + `( |$)`).MatchString(text)
}
