package evaltest_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// The tests of this package run suites in real processes: a test binary built
// from testdata/suites, on its own or by the ginkgo command.

var tools struct {
	once   sync.Once
	dir    string
	kinds  string // the suite's test binary
	ginkgo string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if tools.dir != "" {
		_ = os.RemoveAll(tools.dir)
	}
	os.Exit(code)
}

// build builds the suite and the ginkgo command, once.
func build(t *testing.T) {
	t.Helper()
	tools.once.Do(func() {
		tools.dir, tools.err = os.MkdirTemp("", "capeval-evaltest")
		if tools.err != nil {
			return
		}
		tools.kinds = filepath.Join(tools.dir, "kinds.test")
		tools.ginkgo = filepath.Join(tools.dir, "ginkgo")
		race := "-race=false"
		if raceEnabled {
			race = "-race"
		}
		for _, args := range [][]string{
			{"test", race, "-c", "-o", tools.kinds, "./testdata/suites/kinds"},
			{"build", "-o", tools.ginkgo, "github.com/onsi/ginkgo/v2/ginkgo"},
		} {
			if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
				tools.err = errors.New(string(out))
				return
			}
		}
	})
	if tools.err != nil {
		t.Fatal(tools.err)
	}
}

// ran is what a run of a suite left.
type ran struct {
	code   int
	output string
	root   string
	dir    rundir.Dir
}

// suiteRun says how to run the suite.
type suiteRun struct {
	name  string   // CASE
	env   []string // beside it
	args  []string // of the test binary, or of ginkgo when procs > 0
	procs int      // 0: the binary itself; else by the ginkgo command
	root  string   // an earlier run's directory
	start func(*exec.Cmd)
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func (r suiteRun) run(t *testing.T) ran {
	t.Helper()
	build(t)
	root := r.root
	if root == "" {
		root = filepath.Join(t.TempDir(), "run")
	}
	cmd := exec.Command(tools.kinds, append([]string{"-test.v", "-test.timeout=2m"}, r.args...)...)
	if r.procs > 0 {
		args := append([]string{"run", "--procs", string(rune('0' + r.procs)), "--no-color"}, r.args...)
		cmd = exec.Command(tools.ginkgo, append(args, tools.kinds)...)
	}
	cmd.Dir = "testdata/suites/kinds"
	cmd.Env = append(os.Environ(), "CASE="+r.name, "CAPEVAL_RUN_DIR="+root, "GINKGO_EDITOR_INTEGRATION=")
	cmd.Env = append(cmd.Env, r.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	if r.start != nil {
		r.start(cmd)
	}
	_ = cmd.Wait()
	return ran{
		code: cmd.ProcessState.ExitCode(), output: escapes.ReplaceAllString(out.String(), ""),
		root: root, dir: rundir.Suite(root, "kinds"),
	}
}

// result is the plan less the journal, computed afresh.
func (r ran) result(t *testing.T) record.SplitResult {
	t.Helper()
	res, err := r.dir.Result(record.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, r.output)
	}
	return res
}

// trials returns the attempts of a task.
func (r ran) trials(t *testing.T, task string) []record.Trial {
	t.Helper()
	all, _, err := r.dir.ReadJournal()
	if err != nil {
		t.Fatalf("%v\n%s", err, r.output)
	}
	var out []record.Trial
	for _, trial := range all {
		if trial.Task == task {
			out = append(out, trial)
		}
	}
	return out
}

func (r ran) has(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.output, text) {
			t.Errorf("the output lacks %q:\n%s", text, r.output)
		}
	}
}
