package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// planOf is a run as the library plans it, on a clock that stands still.
func planOf(suite string, tasks, trials int) record.Run {
	run := record.Run{
		ID: "run", Suite: suite, Package: "example.org/" + suite, Split: record.Val, Arm: "candidate", BaseSeed: 7, Trials: trials,
		Workers: 2, Procs: 1, Attempt: 1, PassThreshold: 1, ScorerDigest: "sha256:scorer", Git: record.Git{Commit: "c0ffee"},
		Versions: record.Version{Capeval: "v1", Go: "go1.25", Ginkgo: "2"},
		Started:  "2026-11-30T21:00:00Z", Ended: "2026-11-30T21:10:00Z",
	}
	for i := range tasks {
		p := record.PlanTask{Task: fmt.Sprintf("task-%02d", i), Trials: trials, ContentDigest: fmt.Sprintf("sha256:%064d", i), Location: "x_test.go:1"}
		if i%3 == 0 {
			p.Cluster = "thirds"
		}
		run.Plan = append(run.Plan, p)
	}
	return run
}

// rowsOf measures every cell of a plan: graded rewards, one agent's failure in
// five, one missing in seven, and one that was missing at first in four.
func rowsOf(run record.Run) []record.Trial {
	var rows []record.Trial
	for i, p := range run.Plan {
		for k := range p.Trials {
			t := record.Trial{
				Run: run.ID, Suite: run.Suite, Split: run.Split, Arm: run.Arm, Task: p.Task, Trial: k, Attempt: 1,
				Seed: run.BaseSeed + int64(k), Cluster: p.Cluster, ContentDigest: p.ContentDigest,
				Started: "2026-11-30T21:05:00.5Z", Seconds: 0.1 * float64(i+k), Metrics: map[string]float64{"cost_usd": 0.01 * float64(k)},
			}
			missing := t
			missing.Status, missing.Cause, missing.Message = record.Missing, record.CauseRunner, "the model is down"
			n := i*p.Trials + k
			switch {
			case n%7 == 6:
				rows = append(rows, missing)
				continue
			case n%4 == 3:
				rows = append(rows, missing)
				t.Attempt = 2
			}
			t.Status, t.Reward, t.Feedback = record.Scored, stats.Defined(float64(n%5)/4), fmt.Sprintf("graded <%d>", n)
			if n%5 == 0 {
				t.Cause = record.CauseExpectation
			}
			t.OutputDigest = fmt.Sprintf("sha256:%064d", n)
			rows = append(rows, t)
		}
	}
	return rows
}

// part is shard index of count of a run: the cells that owner gives it.
func part(run record.Run, rows []record.Trial, index, count int, owner func(record.Cell) int) (record.Run, []record.Trial) {
	run.Shard = &record.Shard{Index: index, Count: count}
	run.Plan = slices.Clone(run.Plan)
	for i := range run.Plan {
		p := &run.Plan[i]
		for k := range p.Trials {
			if owner(record.Cell{Task: p.Task, Trial: k}) != index {
				p.Elsewhere = append(p.Elsewhere, k)
			}
		}
	}
	var own []record.Trial
	for _, t := range rows {
		if owner(record.Cell{Task: t.Task, Trial: t.Trial}) == index {
			own = append(own, t)
		}
	}
	return run, own
}

// byHash is how the library cuts a run.
func byHash(count int) func(record.Cell) int {
	return func(c record.Cell) int { return record.ShardOf(c, count) }
}

// write leaves a finished run in root, as a run does.
func write(t testing.TB, root string, run record.Run, rows []record.Trial) rundir.Dir {
	t.Helper()
	d := rundir.Suite(root, run.Suite)
	result, err := record.Summarize(run, rows, record.Options{})
	must(t, err)
	must(t, d.Claim(run.Package))
	must(t, d.WriteRun(run))
	must(t, d.WriteTrials(rows))
	must(t, d.WriteResult(result))
	must(t, d.WriteOutcome(rundir.Outcome{}))
	for _, row := range rows {
		if row.Trial == 0 {
			must(t, d.WriteRollout(row.Split, row.Task, row.Arm, row.Trial, map[string]any{"task": row.Task, "seed": row.Seed}))
		}
	}
	return d
}

// journal leaves a run whose process died in root: nothing was finished.
func journal(t testing.TB, root string, run record.Run, rows []record.Trial) (rundir.Dir, string) {
	t.Helper()
	run.Ended = ""
	d := rundir.Suite(root, run.Suite)
	must(t, d.Claim(run.Package))
	must(t, d.WriteRun(run))
	j, err := d.OpenJournal("p1")
	must(t, err)
	for _, row := range rows {
		must(t, j.Start(record.Start{Run: row.Run, Suite: row.Suite, Split: row.Split, Arm: row.Arm, Task: row.Task, Trial: row.Trial, Attempt: row.Attempt, Seed: row.Seed, Started: row.Started}))
		must(t, j.End(row))
	}
	must(t, j.Close())
	return d, j.Path()
}

// three leaves a run of one suite in three shards below a new folder, a/1 to
// a/3, and returns the folder, the plan and its rows. The files are synced once,
// and copied for every test.
func three(t testing.TB) (string, record.Run, []record.Trial) {
	t.Helper()
	template.once.Do(func() {
		template.root, _ = os.MkdirTemp("", "capeval-merge-test-")
		run := planOf("agent", 6, 3)
		for i := range 3 {
			r, own := part(run, rowsOf(run), i+1, 3, byHash(3))
			write(t, shardDir(template.root, i+1), r, own)
		}
	})
	root, run := t.TempDir(), planOf("agent", 6, 3)
	must(t, os.CopyFS(root, os.DirFS(template.root)))
	return root, run, rowsOf(run)
}

var template struct {
	once sync.Once
	root string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if template.root != "" {
		_ = os.RemoveAll(template.root)
	}
	os.Exit(code)
}

func shardDir(root string, index int) string { return filepath.Join(root, "a", fmt.Sprint(index)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tree is the content of every file below root, by its path there.
func tree(t testing.TB, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[rel] = string(data)
		return err
	}))
	return files
}

// digestOf is a digest of all of a tree: names and contents.
func digestOf(t testing.TB, root string) string {
	h := sha256.New()
	files := tree(t, root)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(h, "%q %q\n", name, files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// merged merges paths and returns where.
func merged(t testing.TB, o Options, paths ...string) (*Merged, string) {
	t.Helper()
	m, err := Read(paths, o)
	must(t, err)
	stage, err := NewStage(filepath.Join(t.TempDir(), "out"))
	must(t, err)
	must(t, m.Write(stage.Dir))
	must(t, stage.Commit())
	return m, stage.out
}

// refused asks for a refusal of one kind that says all of parts, and for shards
// that stay as they are.
func refused(t *testing.T, kind Kind, root string, parts ...string) {
	t.Helper()
	before := digestOf(t, root)
	_, err := Read([]string{root}, Options{})
	problems, _ := err.(Problems)
	if len(problems) == 0 || slices.ContainsFunc(problems, func(p Problem) bool { return p.Kind != kind }) {
		t.Errorf("got %v, want refusals of kind %d", err, kind)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the refusal lacks %q:\n%v", p, err)
		}
	}
	if digestOf(t, root) != before {
		t.Error("the shards changed")
	}
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	must(t, err)
	return when
}

func rundirOf(root string, index int) rundir.Dir {
	return rundir.Suite(shardDir(root, index), "agent")
}
