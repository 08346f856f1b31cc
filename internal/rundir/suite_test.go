package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

func TestClaim(t *testing.T) {
	d := Suite(t.TempDir(), "refund-agent")
	must(t, d.Claim("example.org/a"), d.Claim("example.org/a")) // another process of it
	err := d.Claim("example.org/b")
	want := `suite "refund-agent" of package example.org/b: the name of the suite is taken by suite "refund-agent" of package example.org/a; give one of them another name`
	if !errors.Is(err, ErrSuiteTaken) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestSuites(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"Zeta", "alpha", "a/b", "Beta\n"} {
		must(t, Suite(root, name).Claim("p"))
	}
	run := plan()
	must(t, Suite(root, "suite").WriteRun(run)) // a run.json is enough
	must(t, os.Mkdir(filepath.Join(root, "other"), 0o755), os.WriteFile(filepath.Join(root, "file"), nil, 0o644))
	dirs, err := Suites(root)
	must(t, err)
	var names []string
	for _, d := range dirs {
		names = append(names, d.Name)
		if d != Suite(root, d.Name) {
			t.Errorf("%v is not where Suite puts it", d)
		}
	}
	if want := []string{"Beta\n", "Zeta", "a/b", "alpha", "suite"}; !reflect.DeepEqual(names, want) {
		t.Errorf("suites %q, want %q", names, want)
	}
	if _, err := Suites(filepath.Join(root, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(root, "other", "run.json"), []byte("{}"), 0o644))
	if _, err := Suites(root); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("a run.json without a suite: %v", err)
	}
}

func TestRunAndResultAreRead(t *testing.T) {
	d := Suite(t.TempDir(), "suite")
	if _, err := d.ReadRun(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no run.json: %v, want fs.ErrNotExist", err)
	}
	run := plan()
	must(t, d.WriteRun(run))
	got, err := d.ReadRun()
	must(t, err)
	run.Schema = record.RunSchema
	if !reflect.DeepEqual(got, run) {
		t.Errorf("read %+v", got)
	}
	r, err := d.Result(record.Options{}) // nothing was measured yet
	must(t, err, d.WriteResult(r))
	if _, defined := r.Reward.Value(); defined || r.NMissing != planTasks*planTrials-2 {
		t.Errorf("reward %v with %d missing, want none with all", r.Reward, r.NMissing)
	}
	f, err := os.Open(d.file("result.json"))
	must(t, err)
	defer f.Close()
	if _, err := record.ReadResult(f, "result.json"); err != nil {
		t.Error(err)
	}
}

func TestOutcomeAndRefusal(t *testing.T) {
	d := Suite(t.TempDir(), "suite")
	if _, ok, err := d.ReadOutcome(); ok || err != nil {
		t.Errorf("no outcome: %v, %v", ok, err)
	}
	if _, ok, err := d.ReadRefusal(); ok || err != nil {
		t.Errorf("no refusal: %v, %v", ok, err)
	}
	out := Outcome{
		Asserted:       []Assertion{{"AfterSplit at evals_test.go:12", Failed, "expected coverage"}},
		OrdinaryFailed: 1, SpecsRed: 2, Stopped: "budget", AfterSplitDeferred: true,
	}
	no := Refusal{Exit: 4, Code: "S01", Message: "sealed"}
	must(t, d.WriteOutcome(out), d.WriteRefusal(no))
	if got, ok, err := d.ReadOutcome(); !ok || err != nil || !reflect.DeepEqual(got, out) {
		t.Errorf("read %+v, %v, %v", got, ok, err)
	}
	if got, ok, err := d.ReadRefusal(); !ok || err != nil || got != no {
		t.Errorf("read %+v, %v, %v", got, ok, err)
	}
	must(t, os.WriteFile(d.file("refused.json"), []byte("{"), 0o644))
	if _, _, err := d.ReadRefusal(); err == nil || !strings.Contains(err.Error(), "refused.json") {
		t.Errorf("a broken refusal: %v", err)
	}
	must(t, d.Reset())
	if _, ok, err := d.ReadOutcome(); ok || err != nil {
		t.Errorf("after Reset: %v, %v", ok, err)
	}
}

func TestRollout(t *testing.T) {
	d := Suite(t.TempDir(), "suite")
	must(t, d.WriteRollout(record.Val, "late/delivery", "candidate", 2, map[string]int{"n": 1}))
	path := d.RolloutPath(record.Val, "late/delivery", "candidate", 2)
	rel, _ := filepath.Rel(d.Path, path)
	if !strings.HasPrefix(filepath.ToSlash(rel), "rollouts/val/late-delivery~") || !strings.HasSuffix(rel, "__candidate__t2.json") {
		t.Errorf("path %s", rel)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "{\n  \"n\": 1\n}\n" {
		t.Errorf("content %q, %v", data, err)
	}
	if err := d.WriteRollout(record.Val, "a", "b", 0, func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
}
