package merge

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// sameSuites asks for equal bytes in everything but merge.json and outcome.json,
// whose assertions a merge cannot run.
func sameSuites(t testing.TB, want, got string) {
	t.Helper()
	a, b := tree(t, want), tree(t, got)
	for name, text := range a {
		if filepath.Base(name) != "outcome.json" && b[name] != text {
			t.Errorf("%s differs:\n%s\nwant\n%s", name, b[name], text)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok && name != "merge.json" {
			t.Errorf("%s is not there in the unsharded run", name)
		}
	}
}

// With one id and one clock the merged run is the unsharded run, byte for byte:
// plan, trials, result and rollouts, of several suites.
func TestEqualsUnsharded(t *testing.T) {
	whole, shards := t.TempDir(), t.TempDir()
	for _, suite := range []string{"Agent", "other agent"} {
		run := planOf(suite, 6, 3)
		rows := rowsOf(run)
		write(t, whole, run, rows)
		for i := range 3 {
			r, own := part(run, rows, i+1, 3, byHash(3))
			write(t, shardDir(shards, i+1), r, own)
		}
	}
	before := digestOf(t, shards)
	m, out := merged(t, Options{}, shards)
	sameSuites(t, whole, out)
	if len(m.Suites) != 2 || len(m.Notes) != 0 || digestOf(t, shards) != before {
		t.Errorf("got %d suites, notes %q, shards changed: %v", len(m.Suites), m.Notes, digestOf(t, shards) != before)
	}
	if n := strings.Count(strings.Join(keys(tree(t, out)), " "), "rollouts"); n != 12 { // trial 0 of 6 tasks, twice
		t.Errorf("found %d rollouts, want 12", n)
	}
	// In whatever order they are named, and however often.
	_, again := merged(t, Options{}, shardDir(shards, 3), shardDir(shards, 1), shardDir(shards, 2), shardDir(shards, 3))
	if digestOf(t, again) != digestOf(t, out) {
		t.Error("the order of the arguments shows in the output")
	}
	o, ok, err := rundir.Suite(out, "Agent").ReadOutcome()
	if err != nil || !ok || !o.AfterSplitDeferred || len(o.Asserted) != 0 {
		t.Errorf("got %+v, %v, want an outcome that owes the assertions", o, err)
	}
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// What describes the execution is brought together, and the id follows from the
// shards.
func TestExecution(t *testing.T) {
	root, run, rows := t.TempDir(), planOf("agent", 6, 3), []record.Trial(nil)
	for i, change := range []func(*record.Run){
		func(r *record.Run) { r.ID, r.Started, r.Workers, r.Git.Dirty = "b", "2026-11-30T20:59:00Z", 4, true },
		func(r *record.Run) { r.ID, r.Ended, r.Procs, r.Versions.Go = "c", "2026-11-30T22:00:00Z", 3, "go1.26" },
		func(r *record.Run) { r.ID, r.Stopped, r.Attempt = "a", "budget", 2 },
	} {
		run := run
		change(&run)
		rows = rowsOf(run)
		r, own := part(run, rows, i+1, 3, byHash(3))
		write(t, shardDir(root, i+1), r, own)
	}
	m, out := merged(t, Options{}, root)
	got, err := rundir.Suite(out, "agent").ReadRun()
	must(t, err)
	if got.Started != "2026-11-30T20:59:00Z" || got.Ended != "2026-11-30T22:00:00Z" || got.Workers != 4 || got.Procs != 3 || !got.Git.Dirty || got.Stopped != "budget" || got.Attempt != 2 || got.Shard != nil {
		t.Errorf("got %+v", got)
	}
	if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "shard 1/3") || !strings.Contains(m.Notes[0], "with capeval v1, go1.26 and ginkgo 2") {
		t.Errorf("got notes %q, want the other version", m.Notes)
	}
	if len(got.ID) != 26 || got.ID != m.ID || got.ID[:10] != rundir.NewID(at(t, got.Started), [10]byte{})[:10] {
		t.Errorf("got id %s, want one that begins as the run did", got.ID)
	}
	n, _ := merged(t, Options{RunID: "mine"}, root)
	if n.ID != "mine" || n.Suites[0].Result.Run.ID != "mine" {
		t.Errorf("got id %s, want mine", n.ID)
	}
	if _, err := rundir.Suite(out, "agent").Result(record.Options{}); err != nil { // rows and plan agree on the id
		t.Error(err)
	}
}

// Any partition of any cells makes the same run, also where shards are empty.
func TestPartitions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		run := planOf("agent", rapid.IntRange(1, 6).Draw(rt, "tasks"), rapid.IntRange(1, 4).Draw(rt, "trials"))
		for i := range run.Plan {
			run.Plan[i].Trials = rapid.IntRange(1, run.Trials).Draw(rt, "own trials")
			if rapid.Bool().Draw(rt, "focused") {
				run.Plan[i].Deselected, run.Subset = []int{0}, true
			}
		}
		var rows []record.Trial
		for _, row := range rowsOf(run) {
			if !run.Subset || row.Trial > 0 || !deselected(run, row.Task) {
				rows = append(rows, row)
			}
		}
		n := rapid.IntRange(1, 5).Draw(rt, "shards")
		owner := map[record.Cell]int{}
		for _, p := range run.Plan {
			for k := range p.Trials {
				owner[record.Cell{Task: p.Task, Trial: k}] = rapid.IntRange(1, n).Draw(rt, "owner")
			}
		}
		var shards []*Shard
		for _, i := range rapid.Permutation(upTo(n)).Draw(rt, "order") {
			r, own := part(run, rows, i, n, func(c record.Cell) int { return owner[c] })
			for j := range r.Plan { // a shard knows only which of its own cells were left out
				p := &r.Plan[j]
				if len(p.Deselected) > 0 && owner[record.Cell{Task: p.Task}] != i {
					p.Deselected = nil
				}
			}
			for range rapid.IntRange(1, 2).Draw(rt, "times") {
				shards = append(shards, &Shard{Root: "shard", Run: r, trials: slices.Clone(own), read: true})
			}
		}
		m := &Merged{}
		if err := m.of(shards, Options{}, nil); err != nil {
			rt.Fatal(err)
		}
		want, err := record.Summarize(run, rows, record.Options{})
		must(t, err)
		if got := text(t, m.Suites[0].Run, m.Suites[0].trials, m.Suites[0].Result); got != text(t, run, rows, want) {
			rt.Fatalf("got\n%s\nwant\n%s", got, text(t, run, rows, want))
		}
	})
}

// text is run.json, trials.jsonl, sorted, and result.json.
func text(t testing.TB, run record.Run, rows []record.Trial, result record.SplitResult) string {
	t.Helper()
	var b bytes.Buffer
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b record.Trial) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), a.Trial-b.Trial, a.Attempt-b.Attempt)
	})
	must(t, record.WriteRun(&b, run))
	must(t, record.WriteTrials(&b, rows))
	must(t, record.WriteResult(&b, result))
	return b.String()
}

func deselected(run record.Run, task string) bool {
	for _, p := range run.Plan {
		if p.Task == task {
			return len(p.Deselected) > 0
		}
	}
	return false
}

func upTo(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i+1)
	}
	return list
}
