//go:build unix

package release_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/cli"
	"github.com/capeval/capeval/internal/cli/clitest"
)

// execution matches what of a run's files describes the execution, and may
// differ between a whole run and the shards of it. What Read of package merge
// documents is this list.
var execution = map[string]*regexp.Regexp{
	"run.json":     regexp.MustCompile(`(?m)^  "(id|started|ended|workers|procs)": .*\n`),
	"result.json":  regexp.MustCompile(`(?m)^    "(id|started|ended|workers|procs|seconds)": .*\n`),
	"trials.jsonl": regexp.MustCompile(`"run":"[^"]*",|"started":"[^"]*",|"seconds":[^,}]*`),
	"outcome.json": regexp.MustCompile(`(?s)  "asserted": \[.*\],\n|  "after_split_deferred": .*\n`), // no shard asserts
}

// suiteFiles are the files of the suites below root, without what describes the
// execution.
func suiteFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == root {
			return err
		}
		data, err := os.ReadFile(path)
		text := string(data)
		if re := execution[filepath.Base(path)]; re != nil {
			text = re.ReplaceAllString(text, "")
		}
		rel, _ := filepath.Rel(root, path)
		files[rel] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// capeval runs the command in this process.
func capeval(t *testing.T, want int, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if got := cli.Main(args, cli.IO{In: strings.NewReader(""), Out: &o, Err: &e}); got != want {
		t.Fatalf("%v: exit code %d, want %d\n%s\n%s", args, got, want, &o, &e)
	}
	return o.String(), e.String()
}

// Three shards of two suites make what one run measures: graded rewards, an
// agent's failure, a missing trial, two stages, rollouts; also where shards run
// in processes and with workers.
func TestShardsMakeTheWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds and runs suites")
	}
	for _, kv := range clitest.GoEnv(t) {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	t.Setenv("CAPEVAL_RUN_DIR", "")
	t.Chdir(clitest.Module(t))
	dir := t.TempDir()
	whole, merged := filepath.Join(dir, "whole"), filepath.Join(dir, "merged")
	suites := []string{"./shards/first", "./shards/second"}
	capeval(t, 0, append([]string{"run", "--out", whole}, suites...)...)
	how := [][]string{{"--shard", "1/3"}, {"--shard", "2/3", "--procs", "2"}, {"--shard", "auto", "--workers", "2"}}
	t.Setenv("CIRCLE_NODE_INDEX", "2")
	t.Setenv("CIRCLE_NODE_TOTAL", "3")
	for i, flags := range how {
		args := append([]string{"run", "--out", filepath.Join(dir, "shards", fmt.Sprint(i+1))}, flags...)
		out, errs := capeval(t, 0, append(args, suites...)...)
		if i == 2 && !strings.Contains(errs, "shard 3 of 3, by --shard=auto (CIRCLE_NODE_INDEX=2, CIRCLE_NODE_TOTAL=3)") {
			t.Errorf("the origin of the shard is not told:\n%s", errs)
		}
		if strings.Count(out, "the shard holds no cell") > 1 {
			t.Errorf("more than one suite is empty in %v:\n%s", flags, out)
		}
	}
	out, _ := capeval(t, 0, "merge", "--out", merged, "--format", "json", filepath.Join(dir, "shards"))
	var doc struct {
		Schema, Dir string
		Suites      []json.RawMessage
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Schema != "capeval.summary/v1" || doc.Dir != merged || len(doc.Suites) != 2 {
		t.Errorf("got %+v, %v", doc, err)
	}
	want, got := suiteFiles(t, whole), suiteFiles(t, merged)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got[name], text)
		}
	}
	if len(got) != len(want) || len(want) < 15 { // 5 files a suite, and 6 rollouts or more
		t.Errorf("got %d files, want the %d of the whole run", len(got), len(want))
	}
	// The merged run can be judged, and against the whole.
	// (One task of one trial is too little for any gate, so the second suite is indecisive.)
	out, _ = capeval(t, 3, "gate", "--baseline", whole, "--candidate", merged)
	if !strings.Contains(out, "accepted: first") || !strings.Contains(out, "design_too_small") || strings.Contains(out, "missing_shard") {
		t.Errorf("the gate does not take the merged run:\n%s", out)
	}
	if out, _ := capeval(t, 0, append([]string{"run", "--resume", merged}, suites...)...); strings.Contains(out, "cells are left") {
		t.Errorf("trials ran again:\n%s", out)
	}
	outcome, err := os.ReadFile(filepath.Join(merged, "first", "outcome.json"))
	if err != nil || !strings.Contains(string(outcome), `"state": "passed"`) {
		t.Errorf("the assertions did not run on the merged run: %s, %v", outcome, err)
	}
}
