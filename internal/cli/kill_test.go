//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/cli/clitest"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// A run is killed with SIGKILL, its whole process group, at random instants, and
// resumed until it is through. Each time its records can be read and hold every
// trial whose record was written, as the trial's own clean-up noted in a file
// beside; what has a record is never run again; and at the end every cell counts
// once.
func TestKilledAndResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds and runs suites")
	}
	kills := 15
	if os.Getenv("CAPEVAL_LONG") != "" {
		kills = 200
	}
	h := newHarness(t)
	rnd := rand.New(rand.NewPCG(11, 12))
	runs, inFlight, early := 0, 0, 0
	var root string
	for kill := 0; kill < kills; {
		if root == "" {
			root = filepath.Join(t.TempDir(), "run")
			h.marks = t.TempDir()
		}
		before, began := h.lines("recorded"), h.lines("began")
		args := []string{"run", "./evals", "--out", root}
		if _, err := os.Stat(filepath.Join(root, "command.json")); err == nil {
			args = []string{"run", "--resume", root}
		}
		if !h.killed(t, rnd, args) { // it was through before its time had come
			h.through(t, root, rundir.Suite(root, "agent"))
			runs++
			root = ""
			continue
		}
		kill++
		for cell, n := range h.lines("began") {
			if before[cell] > 0 && n != began[cell] {
				t.Fatalf("kill %d: cell %q has a record and was run again", kill, cell)
			}
		}
		dir := rundir.Suite(root, "agent")
		run, err := dir.ReadRun()
		if err != nil {
			early++ // killed before the plan was written
			continue
		}
		h.check(t, kill, dir)
		result, err := dir.Result(record.Options{})
		if err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		if result.NCells != 36 || len(run.Plan) != 12 {
			t.Fatalf("kill %d: %d cells, %d tasks, want 36 and 12", kill, result.NCells, len(run.Plan))
		}
		if n := result.ByCause[record.CauseInterrupted]; n > 0 {
			inFlight++
		}
		if result.NMissing == 0 {
			h.through(t, root, dir)
			runs++
			root = ""
		}
	}
	if root != "" {
		h.through(t, root, rundir.Suite(root, "agent"))
		runs++
	}
	t.Logf("%d kills, %d of them with a trial in flight, %d before there was a plan; %d runs brought to their end", kills, inFlight, early, runs)
	if inFlight == 0 {
		t.Error("no kill met a trial in flight: the test kills at the wrong time")
	}
}

// harness runs the command in the user's module.
type harness struct {
	module, command, temp, marks string
	env                          []string
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{module: clitest.Module(t), command: filepath.Join(t.TempDir(), "capeval-ci"), temp: t.TempDir()}
	if err := os.Symlink(self, h.command); err != nil {
		t.Fatal(err)
	}
	h.env = append(os.Environ(), clitest.GoEnv(t)...)
	h.env = append(h.env, "SUITE=many", "TMPDIR="+h.temp)
	return h
}

func (h *harness) cmd(args []string) *exec.Cmd {
	cmd := exec.Command(h.command, args...)
	cmd.Dir = h.module
	cmd.Env = append(h.env, "MARKS="+h.marks)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// killed runs the command and kills its group some time after the suite has
// begun; false is a command that ended before. It returns when nothing of it is
// left: the guard has removed what the command built, which it does last.
func (h *harness) killed(t *testing.T, rnd *rand.Rand, args []string) bool {
	t.Helper()
	cmd := h.cmd(args)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(stderr)
	var text []string
	for said.Scan() {
		text = append(text, said.Text())
		if strings.HasPrefix(said.Text(), "running ") {
			time.Sleep(time.Duration(rnd.Int64N(int64(350 * time.Millisecond))))
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	}
	_ = cmd.Wait()
	if !cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, strings.Join(text, "\n"))
		}
		return false
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		left, err := filepath.Glob(filepath.Join(h.temp, "capeval-ci-*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return true
		}
		if time.Now().After(deadline) {
			t.Fatalf("10 s after the command was killed its suite still runs: %s is there", left)
		}
	}
}

// lines counts the lines of a file of marks.
func (h *harness) lines(name string) map[string]int {
	n := map[string]int{}
	data, _ := os.ReadFile(filepath.Join(h.marks, name))
	for line := range strings.Lines(string(data)) {
		n[strings.TrimSuffix(line, "\n")]++
	}
	return n
}

// check compares the records with what the trials noted.
func (h *harness) check(t *testing.T, kill int, dir rundir.Dir) {
	t.Helper()
	trials, _, err := dir.ReadJournal()
	if err != nil {
		t.Fatalf("kill %d: %v", kill, err)
	}
	scored := map[string]int{}
	for _, tr := range trials {
		if tr.Status == record.Scored {
			scored[fmt.Sprintf("%s %d", tr.Task, tr.Trial)]++
		}
	}
	for cell, n := range h.lines("recorded") {
		if n != 1 || scored[cell] != 1 {
			t.Fatalf("kill %d: cell %q was recorded %d times by itself and stands %d times in the records, want once", kill, cell, n, scored[cell])
		}
	}
	ended := h.lines("ended")
	for cell, n := range scored {
		if n != 1 || ended[cell] == 0 {
			t.Fatalf("kill %d: cell %q has %d records, and its body ended %d times", kill, cell, n, ended[cell])
		}
	}
}

// through resumes a run and lets it come to its end.
func (h *harness) through(t *testing.T, root string, dir rundir.Dir) {
	t.Helper()
	out, err := h.cmd([]string{"run", "--resume", root}).CombinedOutput()
	if err != nil {
		t.Fatalf("resume: %v\n%s", err, out)
	}
	h.check(t, -1, dir)
	result, err := dir.Result(record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.NMissing != 0 || result.NCells != 36 || result.Reward.Format(3) != "0.500" { // 0, 1/2 and 1 in every task
		t.Fatalf("resumed to the end: %s\n%s", result, out)
	}
	if o, ok, err := dir.ReadOutcome(); err != nil || !ok || o.AfterSplitDeferred || len(o.Asserted) != 1 {
		t.Fatalf("resumed to the end: outcome %+v, %v, %v: the assertion has to run once", o, ok, err)
	}
}
