package evaltest_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
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
		if tools.err = os.CopyFS(tools.dir, os.DirFS("testdata/suites/kinds")); tools.err != nil {
			return // the binary lies beside its sources, as in a package
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
	traced []string // the side effects of hooks and bodies, in their order
}

// suiteRun says how to run the suite.
type suiteRun struct {
	name  string   // CASE
	env   []string // beside it
	args  []string // of the test binary, or of ginkgo when procs > 0
	procs int      // 0: the binary itself; else by the ginkgo command
	root  string   // an earlier run's directory
	dir   string   // the folder to run in, "" for one without a capeval.yaml
	start func(*exec.Cmd)
	group bool // in a process group of its own
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func (r suiteRun) run(t *testing.T) ran {
	t.Helper()
	build(t)
	root := r.root
	if root == "" {
		root = filepath.Join(t.TempDir(), "run")
	}
	dir, binary := tools.dir, tools.kinds
	if r.dir != "" {
		dir, binary = r.dir, filepath.Join(r.dir, "kinds.test") // ginkgo runs a binary where it lies
		if err := os.Symlink(tools.kinds, binary); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, append([]string{"-test.v", "-test.timeout=2m"}, r.args...)...)
	if r.procs > 0 {
		args := append([]string{"run", "--procs", strconv.Itoa(r.procs), "--no-color"}, r.args...)
		cmd = exec.Command(tools.ginkgo, append(args, binary)...)
	}
	cmd.Dir = dir
	traces := filepath.Join(t.TempDir(), "traces")
	cmd.Env = append(clean(os.Environ()), "CASE="+r.name, "CAPEVAL_RUN_DIR="+root, "TRACES="+traces, "GINKGO_EDITOR_INTEGRATION=")
	cmd.Env = append(cmd.Env, r.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if r.group {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	if r.start != nil {
		r.start(cmd)
	}
	_ = cmd.Wait()
	got := ran{
		code: cmd.ProcessState.ExitCode(), output: escapes.ReplaceAllString(out.String(), ""),
		root: root, dir: rundir.Suite(root, "kinds"),
	}
	if data, err := os.ReadFile(traces); err == nil {
		got.traced = strings.Split(strings.TrimSpace(string(data)), "\n")
	}
	return got
}

// clean takes the project's own variables out of an environment.
func clean(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "CAPEVAL_") })
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

// exits checks the exit code of the suite: 0, or any other where red.
func (r ran) exits(t *testing.T, red bool) {
	t.Helper()
	if (r.code != 0) != red {
		t.Errorf("exit code %d, want red = %v\n%s", r.code, red, r.output)
	}
}

func (r ran) lacks(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(r.output, text) {
			t.Errorf("the output has %q:\n%s", text, r.output)
		}
	}
}

// did checks the side effects, in any order.
func (r ran) did(t *testing.T, want ...string) {
	t.Helper()
	got := slices.Sorted(slices.Values(r.traced))
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("side effects %q, want %q\n%s", got, want, r.output)
	}
}

// refused checks that nothing ran and why, in words and in refused.json.
func (r ran) refused(t *testing.T, exit int, code string, texts ...string) {
	t.Helper()
	r.exits(t, red)
	r.did(t)
	got, ok, err := r.dir.ReadRefusal()
	if err != nil || !ok {
		t.Fatalf("no refused.json: %v\n%s", err, r.output)
	}
	if got.Exit != exit || got.Code != code {
		t.Errorf("refused with exit %d, code %q; want %d, %q", got.Exit, got.Code, exit, code)
	}
	for _, text := range texts {
		if !strings.Contains(got.Message, text) {
			t.Errorf("refused.json lacks %q: %s", text, got.Message)
		}
		if !strings.Contains(indented.ReplaceAllString(r.output, "\n"), text) {
			t.Errorf("the output lacks %q:\n%s", text, r.output)
		}
	}
	if _, err := r.dir.ReadRun(); err == nil {
		t.Error("a refused run wrote its plan")
	}
}

var indented = regexp.MustCompile(`\n +`)

// outcome is what the pass said besides its trials.
func (r ran) outcome(t *testing.T) rundir.Outcome {
	t.Helper()
	o, ok, err := r.dir.ReadOutcome()
	if err != nil || !ok {
		t.Fatalf("no outcome.json: %v\n%s", err, r.output)
	}
	return o
}

// plan is run.json.
func (r ran) plan(t *testing.T) record.Run {
	t.Helper()
	run, err := r.dir.ReadRun()
	if err != nil {
		t.Fatalf("%v\n%s", err, r.output)
	}
	return run
}

// ways are the three ways in which a suite is run: its binary by itself, the
// ginkgo command with two processes, and a test function that knows nothing of
// RunEvals, nor of the two trials and the base seed 7 that it gives.
var ways = map[string]suiteRun{
	"serial":   {},
	"procs":    {procs: 2},
	"RunSpecs": {env: []string{"RUNNER=RunSpecs"}},
}

// everyWay runs check once for each of the ways, at the same time.
func everyWay(t *testing.T, check func(*testing.T, suiteRun)) {
	t.Helper()
	for name, how := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, how)
		})
	}
}

// on returns r for the case name, with more environment.
func (r suiteRun) on(name string, env ...string) suiteRun {
	r.name = name
	r.env = append(slices.Clip(r.env), env...)
	return r
}

// flag returns r with flags of Ginkgo's, which the binary wants with a prefix.
func (r suiteRun) flag(flags ...string) suiteRun {
	r.args = slices.Clip(r.args)
	for _, f := range flags {
		if r.procs == 0 {
			f = "--ginkgo." + strings.TrimPrefix(f, "--")
		}
		r.args = append(r.args, f)
	}
	return r
}

// asRunEvals gives by the environment what RunEvals gives in code.
var asRunEvals = []string{"CAPEVAL_TRIALS=2", "CAPEVAL_BASE_SEED=7"}

// report returns r with Ginkgo's report of a format, json or junit, and the
// file that will hold it.
func (r suiteRun) report(t *testing.T, format string) (how suiteRun, path string) {
	dir := t.TempDir()
	path = filepath.Join(dir, "report")
	if r.procs > 0 {
		return r.flag("--"+format+"-report=report", "--output-dir="+dir), path
	}
	return r.flag("--" + format + "-report=" + path), path
}

// waitFor waits until the file is there.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for range 6000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s did not appear", path)
}
