package merge

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// Every way in which a shard can be of something else is refused, with both
// sides named.
func TestAnotherRun(t *testing.T) {
	check := func(name, want string, change func(*record.Run)) {
		t.Run(name, func(t *testing.T) {
			root, run, _ := three(t)
			change(&run)
			must(t, os.RemoveAll(shardDir(root, 2)))
			r, own := part(run, rowsOf(run), 2, 3, byHash(3))
			write(t, shardDir(root, 2), r, own)
			refused(t, Integrity, root, want, "shard 1/3 in "+shardDir(root, 1), "shard 2/3 in "+shardDir(root, 2))
		})
	}
	check("commit", `found commit "beef", need "c0ffee"`, func(r *record.Run) { r.Git.Commit = "beef" })
	check("split", `found split "train", need "val"`, func(r *record.Run) { r.Split = record.Train })
	check("arm", `found arm "baseline", need "candidate"`, func(r *record.Run) { r.Arm = "baseline" })
	check("base seed", `base seed: found "8", need "7"`, func(r *record.Run) { r.BaseSeed = 8 })
	check("scorer", `scorer digest: found "sha256:other"`, func(r *record.Run) { r.ScorerDigest = "sha256:other" })
	check("content", `content of task task-01`, func(r *record.Run) { r.Plan[1].ContentDigest = "sha256:other" })
	check("trials of a task", `trials of task task-01: found "4", need "3"`, func(r *record.Run) { r.Plan[1].Trials = 4 })
	check("trials", "found 4 trials a task, need 3", func(r *record.Run) { r.Trials = 4 })
	check("fewer tasks", `task task-05: found "not declared"`, func(r *record.Run) { r.Plan = r.Plan[:5] })
	check("renamed task", `task task-05: found "not declared"`, func(r *record.Run) { r.Plan[5].Task = "task-06" })
	check("cluster", "found plan digest", func(r *record.Run) { r.Plan[1].Cluster = "thirds" })
	check("threshold", "found pass threshold 0.5, need 1", func(r *record.Run) { r.PassThreshold = 0.5 })
	check("package", "found package example.org/copy, need example.org/agent", func(r *record.Run) { r.Package = "example.org/copy" })
}

// A folder differs from machine to machine, where no import path is known.
func TestPackageFolders(t *testing.T) {
	root, run := t.TempDir(), planOf("agent", 4, 2)
	for i := range 3 {
		run.Package = filepath.Join("/builds", string(rune('0'+i)), "evals")
		r, own := part(run, rowsOf(run), i+1, 3, byHash(3))
		write(t, shardDir(root, i+1), r, own)
	}
	if m, _ := merged(t, Options{}, root); m.Suites[0].Run.Package != "/builds/0/evals" {
		t.Errorf("got package %s", m.Suites[0].Run.Package)
	}
}

func TestCounts(t *testing.T) {
	root, run, rows := three(t)
	r, own := part(run, rows, 2, 4, byHash(4))
	write(t, shardDir(root, 4), r, own)
	refused(t, Integrity, root, "found shard 2/4 beside shard 1/3, need shards of one count", shardDir(root, 4))

	root, run, rows = three(t)
	write(t, shardDir(root, 4), run, rows)
	refused(t, Integrity, root, "found the whole run beside shard 1/3", shardDir(root, 4))
}

// A run that is no shard is the only part of itself.
func TestWhole(t *testing.T) {
	root, run := t.TempDir(), planOf("agent", 4, 2)
	write(t, filepath.Join(root, "in"), run, rowsOf(run))
	_, out := merged(t, Options{}, root)
	sameSuites(t, filepath.Join(root, "in"), out)
}

func TestNeverMerged(t *testing.T) {
	root, run, rows := three(t)
	r, own := part(run, rows, 2, 3, byHash(3))
	r.Dry = true
	must(t, rundir.Suite(shardDir(root, 2), "agent").WriteRun(r))
	refused(t, Integrity, root, "shard 2/3 in "+shardDir(root, 2), "dry run")

	r.Dry, r.Split = false, record.Test
	for i := range own {
		own[i].Split = record.Test
	}
	root = t.TempDir()
	write(t, root, r, own)
	refused(t, Sealed, root, root)
}

func TestLost(t *testing.T) {
	root, _, _ := three(t)
	must(t, os.RemoveAll(shardDir(root, 2)))
	refused(t, Missing, root, "suite agent: shard 2/3 is lost, and with it 6 cells: task-0")

	// The artifact is there and empty, or holds a suite that never began.
	must(t, os.MkdirAll(shardDir(root, 2), 0o755))
	refused(t, Missing, root, "shard 2/3 is lost")
	d := rundir.Suite(shardDir(root, 2), "agent")
	must(t, d.Claim("example.org/agent"))
	must(t, d.WriteRefusal(rundir.Refusal{Exit: 2, Code: "config", Message: "CAPEVAL_TRIALS is not a number"}))
	refused(t, Missing, root, "shard 2/3 is lost")
	m, _ := Read([]string{root}, Options{})
	if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "never came to its first trial: CAPEVAL_TRIALS is not a number") {
		t.Errorf("got notes %q", m.Notes)
	}

	// One suite of two lacks a shard.
	root, run, _ := three(t)
	run.Suite = "other"
	for i := range 2 {
		r, own := part(run, rowsOf(run), i+1, 3, byHash(3))
		write(t, shardDir(root, i+1), r, own)
	}
	refused(t, Missing, root, "suite other: shard 3/3 is lost")

	refused(t, Missing, t.TempDir(), "found no shard")
	if _, err := Read([]string{filepath.Join(root, "nowhere")}, Options{}); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("got %v", err)
	}
}

// A shard that is running or was killed is finished in a copy. What ended
// counts; what did not is named.
func TestKilled(t *testing.T) {
	kill := func(t *testing.T, cut func(path string)) string {
		root, run, rows := three(t)
		must(t, os.RemoveAll(shardDir(root, 2)))
		r, own := part(run, rows, 2, 3, byHash(3))
		_, path := journal(t, shardDir(root, 2), r, own)
		cut(path)
		return root
	}
	lines := func(path string) []string {
		data, err := os.ReadFile(path)
		must(t, err)
		return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	root := kill(t, func(string) {}) // after its last trial
	before := digestOf(t, root)
	m, _ := merged(t, Options{}, root)
	if got := m.Suites[0].Run.Ended; got != "" || digestOf(t, root) != before {
		t.Errorf("the run ended %q, want \"\", since one shard has no end; shards changed: %v", got, digestOf(t, root) != before)
	}
	root = kill(t, func(path string) { // in the middle of its last line
		data, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(path, data[:len(data)-20], 0o644))
	})
	refused(t, Missing, root, "suite agent: shard 2/3 in "+shardDir(root, 2)+" never ended 1 cell: task-05[", "--resume "+shardDir(root, 2))
	root = kill(t, func(path string) { // before its last trial ended
		all := lines(path)
		must(t, os.WriteFile(path, []byte(strings.Join(all[:len(all)-1], "")), 0o644))
	})
	refused(t, Missing, root, "never ended 1 cell: task-05[")
	root = kill(t, func(path string) { must(t, os.Remove(path)) }) // before its first trial
	refused(t, Missing, root, "never ended 6 cells: task-00[")
	root = kill(t, func(path string) { // a line in the middle is damaged: nobody tore that
		all := lines(path)
		all[3] = all[3][:10] + "\n"
		must(t, os.WriteFile(path, []byte(strings.Join(all, "")), 0o644))
	})
	refused(t, Integrity, root, ":4: ")
}

// A shard that stopped by itself, at its budget, left cells that never began.
func TestStopped(t *testing.T) {
	root, run, rows := three(t)
	must(t, os.RemoveAll(shardDir(root, 3)))
	r, own := part(run, rows, 3, 3, byHash(3))
	r.Stopped = "budget"
	d, _ := journal(t, shardDir(root, 3), r, own[:len(own)-2])
	must(t, d.Finish())
	refused(t, Missing, root, "shard 3/3 in "+shardDir(root, 3)+" never ended ")
}

func TestCellTwice(t *testing.T) {
	root, run, rows := three(t)
	stolen := record.Cell{Task: "task-00", Trial: 0}
	r, own := part(run, rows, 2, 3, func(c record.Cell) int {
		if c == stolen {
			return 2
		}
		return record.ShardOf(c, 3)
	})
	if record.ShardOf(stolen, 3) == 2 {
		t.Fatal("the cell is of shard 2 anyway")
	}
	must(t, os.RemoveAll(shardDir(root, 2)))
	write(t, shardDir(root, 2), r, own)
	refused(t, Integrity, root, `trial 0 of task "task-00" belongs to shard`, "shard 2/3 in "+shardDir(root, 2), "need each cell once")
}

// Rows that the shard cannot have measured.
func TestPlanted(t *testing.T) {
	check := func(name, want string, change func(rows []record.Trial) []record.Trial) {
		t.Run(name, func(t *testing.T) {
			root, run, rows := three(t)
			_, own := part(run, rows, 2, 3, byHash(3))
			d := rundir.Suite(shardDir(root, 2), "agent")
			must(t, d.WriteTrials(change(own)))
			refused(t, Integrity, root, want, "shard 2/3 in "+shardDir(root, 2))
		})
	}
	one := func(change func(*record.Trial)) func([]record.Trial) []record.Trial {
		return func(rows []record.Trial) []record.Trial { change(&rows[0]); return rows }
	}
	check("run", `found run "other", need "run"`, one(func(t *record.Trial) { t.Run = "other" }))
	check("no run", `found run "", need "run"`, one(func(t *record.Trial) { t.Run = "" }))
	check("suite", "found suite", one(func(t *record.Trial) { t.Suite = "other" }))
	check("arm", "found suite", one(func(t *record.Trial) { t.Arm = "baseline" }))
	check("seed", "found seed 99, need ", one(func(t *record.Trial) { t.Seed = 99 }))
	check("task", "found a cell outside the plan", one(func(t *record.Trial) { t.Task = "task-99" }))
	check("trial", "found a cell outside the plan", one(func(t *record.Trial) { t.Trial = 3 }))
	check("another shard's", "found a cell that the plan gives to another shard", func(rows []record.Trial) []record.Trial {
		row := rows[0]
		for row.Trial = range 3 {
			if record.ShardOf(record.Cell{Task: row.Task, Trial: row.Trial}, 3) != 2 {
				break
			}
		}
		row.Seed = 7 + int64(row.Trial)
		return append(rows, row)
	})
	check("contradiction", "found two different records of attempt 1", func(rows []record.Trial) []record.Trial {
		row := rows[0]
		row.Feedback = "better than that"
		return append(rows, row)
	})
}

// A folder under another suite's name, and a rollout that is no file.
func TestPlantedFiles(t *testing.T) {
	root, _, _ := three(t)
	must(t, os.Rename(filepath.Join(shardDir(root, 2), "agent"), filepath.Join(shardDir(root, 2), "tnega")))
	refused(t, Integrity, root, "holds suite agent, need the folder "+filepath.Join(shardDir(root, 2), "agent"))

	root, run, _ := three(t)
	d := rundir.Suite(shardDir(root, record.ShardOf(record.Cell{Task: "task-00"}, 3)), "agent")
	path := d.RolloutPath(run.Split, "task-00", run.Arm, 0)
	must(t, os.Remove(path))
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Skip("no symbolic links here")
	}
	m, err := Read([]string{root}, Options{})
	must(t, err)
	var problems Problems
	if err := m.Write(t.TempDir()); !errors.As(err, &problems) || problems[0].Kind != Integrity || !strings.Contains(err.Error(), "the rollout was planted") {
		t.Errorf("got %v, want a refusal", err)
	}

	root, _, _ = three(t)
	must(t, os.WriteFile(filepath.Join(shardDir(root, 2), "agent", "run.json"), []byte(`{"schema":"capeval.run/v1","suite":"agent"}`), 0o644))
	refused(t, Integrity, root, "run.json", "need train, val or test")
}
