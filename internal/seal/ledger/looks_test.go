package ledger_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
	"pgregory.net/rapid"
)

// task returns a task with the content c.
func task(id, c string) ledger.Task {
	return ledger.Task{ID: id, Digest: ledger.Digest([]byte(c))}
}

func attempt(suite, release string, tasks ...ledger.Task) ledger.Attempt {
	a := storetest.Attempt(suite, release, suite+" "+release)
	a.Tasks = tasks
	return a
}

// TestLooks counts looks after one finalize of refunds v1 with tasks a and b.
func TestLooks(t *testing.T) {
	a, b := task("a", "late"), task("b", "twice")
	one := begin(t).finalize(attempt("refunds", "v1", a, b))
	scorer := storetest.Attempt("", "", "").Scorer
	type want struct {
		look, fresh, reused     int
		edited, added, removed  []string
		renamed                 string
		scorerChanged, previous bool
	}
	for why, c := range map[string]struct {
		s    ledger.Snapshot
		sp   ledger.Split
		want want
	}{
		"an empty ledger":      {begin(t).Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{a, b}}, want{look: 1, fresh: 2}},
		"the same split":       {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{b, a}}, want{look: 2, reused: 2, previous: true}},
		"one task edited":      {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{a, task("b", "thrice")}}, want{look: 2, reused: 2, edited: []string{"b"}, previous: true}},
		"one task added":       {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{a, b, task("c", "new")}}, want{look: 2, fresh: 1, reused: 2, added: []string{"c"}, previous: true}},
		"one task removed":     {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{a}}, want{look: 2, reused: 1, removed: []string{"b"}, previous: true}},
		"a task renamed":       {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{a, task("z", "twice")}}, want{look: 2, reused: 2, previous: true}},
		"renamed and reworded": {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{a, task("z", "thrice")}}, want{look: 2, fresh: 1, reused: 1, added: []string{"z"}, removed: []string{"b"}, previous: true}},
		"the suite renamed":    {one.Snapshot, ledger.Split{Suite: "returns", Scorer: scorer, Tasks: []ledger.Task{a, b}}, want{look: 2, reused: 2, renamed: "refunds", previous: true}},
		"the scorer edited":    {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: ledger.Digest([]byte("other")), Tasks: []ledger.Task{a, b}}, want{look: 2, reused: 2, scorerChanged: true, previous: true}},
		"a scorer unknown":     {one.Snapshot, ledger.Split{Suite: "refunds", Tasks: []ledger.Task{a, b}}, want{look: 2, reused: 2, previous: true}},
		"fresh tasks":          {one.Snapshot, ledger.Split{Suite: "refunds", Scorer: scorer, Tasks: []ledger.Task{task("c", "x")}}, want{look: 1, fresh: 1, added: []string{"c"}, removed: []string{"a", "b"}}},
		"another suite":        {one.Snapshot, ledger.Split{Suite: "orders", Scorer: scorer, Tasks: []ledger.Task{task("c", "x")}}, want{look: 1, fresh: 1}},
	} {
		got := c.s.Look(c.sp)
		w := c.want
		renamed := ""
		if got.RenamedFrom != nil {
			renamed = *got.RenamedFrom
		}
		same := func(a, b []string) bool { return a != nil && slices.Equal(a, b) }
		if got.Look != w.look || got.LooksByTask.Fresh != w.fresh || got.LooksByTask.Reused != w.reused || got.LooksByTask.Max != w.look-1 ||
			!same(got.TasksEdited, w.edited) || !same(got.TasksAdded, w.added) || !same(got.TasksRemoved, w.removed) ||
			renamed != w.renamed || got.ScorerChanged != w.scorerChanged || (len(got.Previous) > 0) != w.previous {
			t.Errorf("%s: got %+v, want %+v", why, got, w)
		}
	}
	p := one.Look(ledger.Split{Suite: "refunds", Tasks: []ledger.Task{a}}).Previous[0]
	if p.Attempt != "refunds v1" || p.Look != 1 || p.Release != "v1" || p.Date != "2026-11-30T21:17:00Z" || p.Result == nil || *p.Result != storetest.Result("refunds v1").FinalSHA256 || p.Seq != 3 {
		t.Errorf("the look before is %+v", p)
	}
}

// A look counts from observed on, whatever became of it, and nothing else does.
func TestWhatIsALook(t *testing.T) {
	a := attempt("refunds", "v1", task("a", "late"))
	sp := ledger.Split{Suite: "refunds", Tasks: a.Tasks}
	s := begin(t)
	s = s.add(s.Reserve(a, ledger.Terms{}, storetest.Time()))
	if got := s.Look(sp); got.Look != 1 || len(got.Previous) != 0 {
		t.Errorf("reserved: %+v, want look 1", got)
	}
	s = s.observe(a)
	if got := s.Look(sp); got.Look != 2 || got.Previous[0].Result != nil {
		t.Errorf("observed: %+v, want look 2 and no result", got)
	}
	if got := s.commit(a.ID).Look(sp); got.Look != 2 {
		t.Errorf("committed: %+v, want look 2", got)
	}
	// looks 1, 2, 3 of three releases, each with the ones before
	s = begin(t)
	for i := range 3 {
		s = s.finalize(attempt("refunds", fmt.Sprint("v", i), task("a", "late"), task(fmt.Sprint(i), fmt.Sprint(i))))
		seal, place, err := s.Final(fmt.Sprint("refunds v", i), storetest.Nonce(fmt.Sprint("refunds v", i)), "refs/x")
		if err != nil || seal.Look.Look != i+1 || len(seal.Previous) != i || seal.LooksByTask.Fresh != min(2, 2-min(i, 1)) {
			t.Errorf("release %d: %+v, %v", i, seal, err)
		}
		if place.Seq != 3*i+3 || place.HeadBefore != s.Entries[3*i].ID || place.Observed != s.Entries[3*i+2].ID || place.Reserved != s.Entries[3*i+1].ID || place.ID != "orchard" || place.Scope != ledger.ScopeLocal {
			t.Errorf("release %d lies at %+v", i, place)
		}
	}
	// What was published of the first look is the same after two more.
	first, _, err := s.Final("refunds v0", storetest.Nonce("refunds v0"), "")
	if err != nil || first.Look.Look != 1 || len(first.Previous) != 0 {
		t.Errorf("the first look, asked for later: %+v, %v", first, err)
	}
	if _, _, err := s.Final("refunds v0", "guess", ""); ledger.ID(err) != "S20" {
		t.Errorf("another nonce: %v", err)
	}
	if _, _, err := s.Final("nobody", "", ""); err == nil {
		t.Error("an attempt that never looked has a result")
	}
}

func TestContamination(t *testing.T) {
	s := begin(t)
	s = s.add(ledger.NewPolicy("refunds", []ledger.Task{
		{ID: "a", Digest: ledger.Digest([]byte("late")), Split: "val"},
		{ID: "c", Digest: "coarse:sha256:1", Split: "train"},
	}, ledger.Run{}, storetest.Time()), nil)
	check := func(why, suite string, tk ledger.Task, want bool) {
		t.Helper()
		got := s.Look(ledger.Split{Suite: suite, Tasks: []ledger.Task{tk}}).Contaminated
		if slices.Equal(got, []string{tk.ID}) != want || got == nil {
			t.Errorf("%s: %v, want %v", why, got, want)
		}
	}
	check("a val task that became test", "refunds", task("a", "late"), true)
	check("and was edited", "refunds", task("a", "later"), true)
	check("and was renamed", "refunds", task("z", "late"), true)
	check("and moved to another suite", "returns", task("z", "late"), true)
	check("an id that another suite uses too", "orders", task("a", "other"), false)
	check("a coarse digest tells nothing", "orders", ledger.Task{ID: "x", Digest: "coarse:sha256:1"}, false)
	check("its id does", "refunds", ledger.Task{ID: "c", Digest: "coarse:sha256:9"}, true)
	check("a fresh task", "refunds", task("f", "fresh"), false)
	seen := []ledger.Task{{ID: "a", Digest: ledger.Digest([]byte("late")), Split: "val"}}
	if got := s.Unseen("refunds", append(seen, ledger.Task{ID: "b", Split: "val"})); len(got) != 1 || got[0].ID != "b" {
		t.Errorf("unseen: %+v, want b alone", got)
	}
}

func TestCoarseDigestsDoNotCount(t *testing.T) {
	coarse := func(id, d string) ledger.Task { return ledger.Task{ID: id, Digest: "coarse:" + d} }
	s := begin(t).finalize(attempt("refunds", "v1", coarse("a", "1"), coarse("b", "1")))
	got := s.Look(ledger.Split{Suite: "refunds", Tasks: []ledger.Task{coarse("a", "2"), coarse("c", "1")}})
	if got.Look != 2 || got.LooksByTask.Fresh != 1 || len(got.TasksEdited) != 0 || !slices.Equal(got.TasksAdded, []string{"c"}) || !slices.Equal(got.TasksRemoved, []string{"b"}) {
		t.Errorf("%+v: want look 2 by the id of a, c fresh, nothing edited", got)
	}
}

// The lists of a published look are never null.
func TestLookAsJSON(t *testing.T) {
	var generic map[string]any
	data, err := json.Marshal(begin(t).Look(ledger.Split{Suite: "s", Tasks: []ledger.Task{{ID: "a"}}}))
	if err == nil {
		err = json.Unmarshal(data, &generic)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range generic {
		if (v == nil) != (k == "renamed_from") {
			t.Errorf("%s is %v in %s", k, v, data)
		}
	}
}

// TestLookLaws holds the count to its definition, computed from the records one
// by one.
func TestLookLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		split := rapid.Custom(func(rt *rapid.T) []ledger.Task {
			ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 1, 4, rapid.ID).Draw(rt, "ids")
			var tasks []ledger.Task
			for _, id := range ids {
				tk := task(fmt.Sprint(id), fmt.Sprint(rapid.IntRange(0, 6).Draw(rt, "content")))
				if rapid.IntRange(0, 4).Draw(rt, "coarse") == 0 {
					tk.Digest = "coarse:sha256:1"
				}
				tasks = append(tasks, tk)
			}
			return tasks
		})
		s := begin(t)
		for i := range rapid.IntRange(0, 6).Draw(rt, "releases") {
			s = s.finalize(attempt(rapid.SampledFrom([]string{"s", "t"}).Draw(rt, "suite"), fmt.Sprint("v", i), split.Draw(rt, "split")...))
		}
		now := split.Draw(rt, "now")
		most, sum := 0, 0
		for _, tk := range now {
			n := 0
			for _, e := range s.Entries {
				if e.Record.Kind == ledger.Observed && slices.ContainsFunc(e.Record.Tasks, func(o ledger.Task) bool {
					return o.ID == tk.ID || o.Digest == tk.Digest && tk.Digest != "coarse:sha256:1"
				}) {
					n++
				}
			}
			most, sum = max(most, n), sum+n
		}
		got := s.Look(ledger.Split{Suite: "s", Tasks: now})
		if got.Look != most+1 || got.LooksByTask.Max != most || got.LooksByTask.Fresh+got.LooksByTask.Reused != len(now) || got.LooksByTask.Mean != float64(sum)/float64(len(now)) {
			rt.Fatalf("got %+v, want look %d, %d looks in all", got, most+1, sum)
		}
		slices.Reverse(now)
		if again := s.Look(ledger.Split{Suite: "s", Tasks: now}); !reflect.DeepEqual(again, got) {
			rt.Fatalf("in another order: %+v, then %+v", got, again)
		}
		if wider := s.Look(ledger.Split{Suite: "s", Tasks: append(now, task("new", "new"))}); wider.Look != got.Look {
			rt.Fatalf("a fresh task beside them makes look %d of %d", wider.Look, got.Look)
		}
	})
}

func TestCheckpoints(t *testing.T) {
	a, b := storetest.Attempt("refunds", "v1", "A"), storetest.Attempt("refunds", "v2", "B")
	one := begin(t).finalize(a)
	two := one.finalize(b)
	c := one.Checkpoint()
	data, err := c.Encode()
	if back, derr := ledger.DecodeCheckpoint(data); err != nil || derr != nil || back != c {
		t.Errorf("read %+v, %v, %v, want %+v", back, err, derr, c)
	}
	if err := two.Check(one.Genesis, c, two.Checkpoint()); err != nil {
		t.Errorf("a ledger that went on: %v", err)
	}
	if err := one.Check("", two.Checkpoint()); ledger.ID(err) != "S10" {
		t.Errorf("a shorter one: %v, want S10", err)
	}
	if err := two.Check("sha256:other"); ledger.ID(err) != "S09" {
		t.Errorf("another genesis: %v, want S09", err)
	}
	if err := (ledger.Snapshot{}).Check(""); ledger.ID(err) != "S09" {
		t.Errorf("no ledger: %v, want S09", err)
	}
	moved := c // as another store names the same record
	moved.Head, moved.Genesis = "0123", "4567"
	if err := two.Check("", moved); err != nil {
		t.Errorf("a ledger that was carried to another store: %v", err)
	}
	for _, bad := range []string{"", "{}", `{"v":1}`, `{"v":1,"x":2}`, "null", string(data) + "{}"} {
		if _, err := ledger.DecodeCheckpoint([]byte(bad)); err == nil {
			t.Errorf("%q was taken as a checkpoint", bad)
		}
	}
}
