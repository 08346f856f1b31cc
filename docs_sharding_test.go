package capeval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestShardingGuide follows the guide with the suite of the first one.
func TestShardingGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("the short form compiles no module of its own")
	}
	dir, env := shardingModule(t)
	for _, line := range commands(t, "docs/guide/sharding.md") {
		out := command(t, dir, env, "sh", "-c", line)
		if !strings.Contains(out, "reward") {
			t.Errorf("%s printed no reward:\n%s", line, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "merged", "merge.json")); err != nil {
		t.Error(err)
	}
}

// TestGitLabExample runs the jobs of the example as GitLab would, in two jobs
// instead of four.
func TestGitLabExample(t *testing.T) {
	pipeline := strict[gitlabPipeline](t, exampleFile(t, "gitlab-ci.yml"))
	if testing.Short() {
		t.Skip("the short form compiles no module of its own")
	}
	dir, env := shardingModule(t)
	run := func(job gitlabJob, env []string) string {
		var out strings.Builder
		for _, line := range job.Script {
			out.WriteString(command(t, dir, env, "sh", "-c", line))
		}
		return out.String()
	}
	for i := range 2 {
		out := run(pipeline.Shards, append(slices.Clone(env), "CAPEVAL_SHARD=auto", "CI_NODE_TOTAL=2", fmt.Sprintf("CI_NODE_INDEX=%d", i+1)))
		if want := fmt.Sprintf("shard %d of 2, by CAPEVAL_SHARD=auto (CI_NODE_INDEX=%d, CI_NODE_TOTAL=2)", i+1, i+1); !strings.Contains(out, want) {
			t.Errorf("job %d lacks %q:\n%s", i+1, want, out)
		}
	}
	if out := run(pipeline.Merge, append(slices.Clone(env), "CI_NODE_TOTAL=1")); !strings.Contains(out, "merged from 2 of 2 shards") {
		t.Errorf("the merge says\n%s", out)
	}
}

// shardingModule is a module with the suite of the first guide, and an
// environment with the command and without an engine.
func shardingModule(t *testing.T) (dir string, env []string) {
	t.Helper()
	const first = "docs/guide/first-task.md"
	dir = userModule(t)
	write(t, filepath.Join(dir, "evals/evals_test.go"), strings.Join(blocks(t, first, "go"), "\n"))
	write(t, filepath.Join(dir, "evals/testdata/tasks.jsonl"), strings.Join(blocks(t, first, "json"), ""))
	bin := t.TempDir()
	command(t, ".", nil, "go", "build", "-o", filepath.Join(bin, "capeval-ci"), "./cmd/capeval-ci")
	env = []string{"GOFLAGS=-mod=mod", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, name := range []string{"CAPEVAL_SHARD", "CAPEVAL_SHARD_INDEX", "CAPEVAL_SHARD_TOTAL", "CI_NODE_INDEX", "CI_NODE_TOTAL",
		"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", "JOB_COMPLETION_INDEX"} {
		env = append(env, name+"=") // of the engine that runs this test
	}
	return dir, env
}

func exampleFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("docs", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
