package merge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// Of one shard that was run twice the newest attempt counts: the attempt of the
// job, then its start, then its id.
func TestNewestAttempt(t *testing.T) {
	check := func(name string, change func(*record.Run)) {
		t.Run(name, func(t *testing.T) {
			root, run, _ := three(t)
			change(&run)
			rows := rowsOf(run)
			for i := range rows {
				if rows[i].Status == record.Scored {
					rows[i].Reward, rows[i].Cause, rows[i].Feedback = stats.Defined(0), record.CauseExpectation, "second attempt"
				}
			}
			r, own := part(run, rows, 2, 3, byHash(3))
			write(t, shardDir(root, 22), r, own)
			before := digestOf(t, root)
			m, out := merged(t, Options{RunID: "x"}, root)
			if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "shard 2/3 in "+shardDir(root, 22)) || !strings.HasSuffix(m.Notes[0], " in "+shardDir(root, 2)) {
				t.Errorf("got notes %q, want what replaced what", m.Notes)
			}
			if digestOf(t, root) != before {
				t.Error("the shards changed")
			}
			second := 0
			for _, task := range m.Suites[0].Result.PerTask {
				for k, text := range task.Feedback {
					if text == "second attempt" {
						second++
						if record.ShardOf(record.Cell{Task: task.Task, Trial: k}, 3) != 2 {
							t.Errorf("%s[%d] is of the second attempt", task.Task, k)
						}
					}
				}
			}
			if second == 0 {
				t.Error("the first attempt counted")
			}
			if _, err := rundir.Suite(out, "agent").Result(record.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	check("attempt", func(r *record.Run) { r.Attempt, r.ID, r.Started = 2, "a", "2026-11-30T20:00:00Z" }) // stronger than the start
	check("start", func(r *record.Run) { r.ID, r.Started = "a", "2026-11-30T21:00:01Z" })                 // stronger than the id
	check("id", func(r *record.Run) { r.ID = "run2" })
}

// The newest counts also where it is worse: it is the one that was asked for.
func TestNewestIsKilled(t *testing.T) {
	root, run, rows := three(t)
	run.Attempt = 2
	r, own := part(run, rows, 2, 3, byHash(3))
	journal(t, shardDir(root, 22), r, own[:1])
	refused(t, Missing, root, "shard 2/3 in "+shardDir(root, 22)+" never ended")
}

// One run in two artifacts counts once, in its later form.
func TestOneRunTwice(t *testing.T) {
	root, run, rows := three(t)
	must(t, os.CopyFS(shardDir(root, 4), os.DirFS(shardDir(root, 2))))
	m, _ := merged(t, Options{}, root)
	if len(m.Suites[0].Shards) != 3 {
		t.Errorf("got %d shards, want 3", len(m.Suites[0].Shards))
	}

	// A first artifact was saved before the run was resumed, under a name that
	// sorts behind the second.
	r, own := part(run, rows, 2, 3, byHash(3))
	must(t, os.RemoveAll(shardDir(root, 4)))
	d, _ := journal(t, shardDir(root, 4), r, own[:2])
	must(t, d.Finish())
	m, _ = merged(t, Options{}, root)
	if got := m.Suites[0].Shards[1].Root; got != shardDir(root, 2) {
		t.Errorf("%s counts, want the resumed run", got)
	}

	// Two forms of one run that say different things.
	for i := range own {
		if own[i].Status == record.Scored {
			own[i].Reward, own[i].Cause = stats.Defined(1), ""
		}
	}
	must(t, os.RemoveAll(shardDir(root, 4)))
	write(t, shardDir(root, 4), r, own)
	refused(t, Integrity, root, "shard 2/3 in "+shardDir(root, 4)+" and shard 2/3 in "+shardDir(root, 2)+" say different things of one run run")
}

// Artifacts lie below a folder, each in its own, perhaps with the folder of
// runs; runs/latest and the leavings of a killed merge are no further shards.
func TestFind(t *testing.T) {
	root, run, _ := three(t)
	must(t, os.Rename(shardDir(root, 3), filepath.Join(root, "a", "runs")))
	must(t, os.MkdirAll(filepath.Join(root, "deep", "artifact"), 0o755))
	must(t, os.Mkdir(filepath.Join(root, "deep", "artifact", "runs"), 0o755))
	must(t, os.Rename(filepath.Join(root, "a", "runs"), filepath.Join(root, "deep", "artifact", "runs", "01RUN")))
	if err := os.Symlink("01RUN", filepath.Join(root, "deep", "artifact", "runs", "latest")); err != nil {
		t.Skip("no symbolic links here")
	}
	write(t, filepath.Join(root, stagePrefix+"X"), run, rowsOf(run))
	m, _ := merged(t, Options{}, filepath.Join(root, "a"), filepath.Join(root, "deep"), filepath.Join(root, "deep", "artifact", "runs", "latest"))
	if len(m.Notes) > 0 || len(m.Suites[0].Shards) != 3 {
		t.Errorf("got %d shards, notes %q", len(m.Suites[0].Shards), m.Notes)
	}
	m, _ = merged(t, Options{}, root)
	if len(m.Suites[0].Shards) != 3 {
		t.Errorf("got %d shards below the root", len(m.Suites[0].Shards))
	}
	for _, path := range []string{filepath.Join(shardDir(root, 1), "agent"), filepath.Join(shardDir(root, 1), "agent", "run.json")} {
		if _, err := Read([]string{path, root}, Options{}); err == nil || err.(Problems)[0].Kind != Usage {
			t.Errorf("%s: got %v, want a usage error", path, err)
		}
	}
}

// The output must not lie in a shard, which would change.
func TestAround(t *testing.T) {
	root, _, _ := three(t)
	m, _ := merged(t, Options{}, root)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(shardDir(root, 2), link); err != nil {
		t.Skip("no symbolic links here")
	}
	for path, want := range map[string]string{
		shardDir(root, 1):                            shardDir(root, 1),
		filepath.Join(shardDir(root, 1), "new/er"):   shardDir(root, 1),
		filepath.Join(link, "new"):                   shardDir(root, 2),
		filepath.Join(root, "a", "1x"):               "",
		filepath.Join(root, "merged"):                "",
		filepath.Join(shardDir(root, 1), "..", "12"): "",
	} {
		if got := m.Around(path); got != want {
			t.Errorf("%s lies in %q, want %q", path, got, want)
		}
	}
}

func TestStage(t *testing.T) {
	dir := t.TempDir()
	check := func(out string, free bool) *Stage {
		t.Helper()
		s, err := NewStage(filepath.Join(dir, out))
		if (err == nil) != free {
			t.Fatalf("%s: got %v", out, err)
		}
		return s
	}
	must(t, os.MkdirAll(filepath.Join(dir, "empty"), 0o755))
	must(t, os.MkdirAll(filepath.Join(dir, "full", "x"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	check("full", false)
	check("file", false)
	for _, out := range []string{"empty", "new", "below/new"} {
		s := check(out, true)
		must(t, os.WriteFile(filepath.Join(s.Dir, "run"), nil, 0o644))
		must(t, s.Commit())
		must(t, s.Drop())
		if !exists(filepath.Join(dir, out, "run")) || exists(s.Dir) {
			t.Errorf("%s was not put in place", out)
		}
	}
	// Somebody was faster.
	s := check("race", true)
	must(t, os.MkdirAll(filepath.Join(dir, "race", "x"), 0o755))
	if err := s.Commit(); err == nil || !exists(filepath.Join(dir, "race", "x")) {
		t.Errorf("got %v, want the other's to stay", err)
	}
	must(t, s.Drop())
	if exists(s.Dir) {
		t.Error("the stage stayed")
	}
}
