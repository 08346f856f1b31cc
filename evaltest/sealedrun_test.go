package evaltest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// ids of the case sealed, whose five tasks have two trials each.
var heldIDs = []string{"held-a", "held-b", "held-c", "held-d", "held-e"}

func sealedBodies() []string {
	var want []string
	for _, id := range heldIDs {
		want = append(want, "body "+id+" 0", "body "+id+" 1")
	}
	return append(want, "rollout held-e 0", "rollout held-e 1")
}

// In every engine and in both roles each trial runs once, with a receipt,
// and the look is recorded once.
func TestSealedRun(t *testing.T) {
	for name, how := range map[string]suiteRun{
		"serial":       {env: asRunEvals},
		"procs 1":      {procs: 1, env: asRunEvals},
		"procs 4":      {procs: 4, env: asRunEvals},
		"RunSpecs":     {env: append([]string{"RUNNER=RunSpecs"}, asRunEvals...)},
		"RunSpecs -p":  {procs: 2, env: append([]string{"RUNNER=RunSpecs"}, asRunEvals...)},
		"workers":      {env: append([]string{"CAPEVAL_WORKERS=4"}, asRunEvals...)},
		"Preview":      {env: append([]string{"RUNNER=Preview"}, asRunEvals...)},
		"test by name": {env: append([]string{"CAPEVAL_SPLIT=test"}, asRunEvals...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, how.on("sealed"))
			if got := j.decl.Plan(); len(got.Tasks) != 5 || got.Tasks[0].Trials != 2 || got.BaseSeed != 7 || got.Suite != "kinds" {
				t.Fatalf("declared %+v", got)
			}
			var runs []ran
			for _, role := range []seal.Role{seal.Candidate, seal.Baseline} {
				r := j.run(t, role)
				r.exits(t, !red)
				if got := r.lines("body", "rollout"); !slices.Equal(got, sealedBodies()) {
					t.Errorf("ran %q, want %q\n%s", got, sealedBodies(), r.output)
				}
				if got := r.lines("before", "just before", "after", "just after"); len(got) != 2*2*4 {
					t.Errorf("%d hooks, want four around each trial of held-d and held-e: %q", len(got), got)
				}
				if res := r.result(t); res.Split != record.Test || res.Arm != string(role) || res.NCells != 10 || res.NMissing != 0 || res.Subset {
					t.Errorf("result %+v", res)
				}
				if n := r.plan(t).Sealed; n != 0 {
					t.Errorf("run.json says that %d tasks were not built", n)
				}
				runs = append(runs, r)
			}
			rep, g := j.proven(t)
			if !rep.Clean() || rep.Granted != 20 || j.observed.Load() != 1 {
				t.Errorf("clean %v with %d grants and %d looks, want 20 and 1: %+v", rep.Clean(), rep.Granted, j.observed.Load(), rep)
			}
			if got := append(receipts(t, runs[0], g), receipts(t, runs[1], g)...); len(got) != 20 {
				t.Errorf("%d results count, want 20", len(got))
			}
		})
	}
}

// The result of the split is handed to its assertions.
func TestSealedAfterSplit(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		j := newJob(t, how.on("sealed-after-split", asRunEvals...))
		r := j.run(t, seal.Baseline)
		r.exits(t, !red)
		if got := r.lines("after split"); !slices.Equal(got, []string{"after split test baseline 10 of 10"}) {
			t.Errorf("%q\n%s", got, r.output)
		}
	})
}

// The rows of the test split are handed out with a grant, and without one to
// nobody, however the rows come to be of the test split.
func TestSealedRows(t *testing.T) {
	tasks := file(t, "tasks.jsonl", `{"id":"one","split":"test","question":"first-words"}`+"\n"+`{"id":"two","split":"test","question":"other-words"}`+"\n")
	everyWay(t, func(t *testing.T, how suiteRun) {
		j := newJob(t, how.on("sealed-rows", append([]string{"TASKS=" + tasks}, asRunEvals...)...))
		r := j.run(t, seal.Candidate)
		r.exits(t, !red)
		r.did(t, `one 0: "first-words"`, `one 1: "first-words"`, `two 0: "other-words"`, `two 1: "other-words"`)
	})
	open := `{"id":"one","question":"first-words"}` + "\n"
	for name, rows := range map[string]string{"spy": `{"id":"one","split":"test","question":"first-words"}` + "\n" + `{"id":"v","split":"val","question":"open"}` + "\n", "by-argument": open, "by-container": open} {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, how suiteRun) {
				r := how.on("sealed-rows-"+name, "TASKS="+file(t, "tasks.jsonl", rows)).run(t)
				for _, line := range r.lines("read") {
					if !strings.Contains(line, "open") {
						t.Errorf("what a test task holds was handed out: %s", line)
					}
				}
				r.lacks(t, "first-words")
			})
		})
	}
}

// A grant that nobody answers for opens nothing.
func TestDeadGrants(t *testing.T) {
	j := newJob(t, suiteRun{}.on("sealed", asRunEvals...))
	good := j.grant(t, seal.Candidate, nil)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link, fifo, big, hole := filepath.Join(dir, "link"), filepath.Join(dir, "fifo"), filepath.Join(dir, "big"), filepath.Join(dir, "hole")
	f, err := os.OpenFile(big, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(f.Truncate(100<<20), f.Close(), os.Symlink(good, link), os.Symlink("nowhere", hole), makeFIFO(fifo))
	}
	if err != nil {
		t.Fatal(err)
	}
	wrongNonce := j.grant(t, seal.Candidate, func(g *seal.Grant) { g.Nonce = seal.NewNonce() })
	noBroker := j.grant(t, seal.Candidate, func(g *seal.Grant) { g.Addr += "-none" })
	for name, path := range map[string]string{
		"link": link, "dangling link": hole, "folder": dir, "mode 0644": write("open", data, 0o644), "mode 0400": write("still", data, 0o400),
		"missing": filepath.Join(dir, "missing"), "100 MB": big, "FIFO": fifo, "device": "/dev/null", "terminal": "/dev/tty",
		"empty": write("empty", nil, 0o600), "half": write("half", data[:len(data)/2], 0o600), "twice": write("twice", append(data[:len(data):len(data)], data...), 0o600),
		"no JSON": write("nonsense", []byte("nonsense"), 0o600), "null": write("null", []byte("null"), 0o600), "array": write("array", []byte("[]"), 0o600),
		"another nonce": wrongNonce, "no broker": noBroker, "long path": strings.Repeat("/x", 3000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := j.with(path).run(t)
			r.refused(t, 4, "S03", "no finalize job stands behind it", "unset CAPEVAL_SEAL_GRANT")
			r.lacks(t, j.nonce, "goroutine ")
		})
	}
	t.Run("the job is over", func(t *testing.T) {
		over := newJob(t, suiteRun{}.on("sealed", asRunEvals...))
		path := over.grant(t, seal.Candidate, nil)
		over.broker.Close()
		for name, how := range ways {
			t.Run(name, func(t *testing.T) {
				how = how.on("sealed", asRunEvals...)
				how.env = append(how.env, seal.GrantVariable+"="+path)
				how.run(t).refused(t, 4, "S03", "attempt-1")
			})
		}
		over.untouched(t)
	})
	t.Cleanup(func() { j.untouched(t) })
}

// The ledger is asked about the grant's attempt.
func TestLedgerIsAsked(t *testing.T) {
	for _, c := range []struct{ name, line, text string }{
		{"superseded", "reserved attempt-2", `the last reservation is that of "attempt-2"`},
		{"committed", "committed attempt-1", "ledger: committed"},
		{"aborted", "aborted attempt-1", "ledger: aborted"},
		{"observed by another nonce", "observed attempt-1 sha256:00", "another nonce"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, suiteRun{}.on("sealed", asRunEvals...))
			j.write(t, c.line)
			j.run(t, seal.Candidate).refused(t, 4, "S03", "attempt-1", c.text)
			j.untouched(t)
		})
	}
	t.Run("a forged attempt with its own broker", func(t *testing.T) {
		everyWay(t, func(t *testing.T, how suiteRun) {
			j := reserve(t, how.on("sealed", asRunEvals...))
			j.attempt = "attempt-of-nobody"
			var err error
			if j.broker, err = seal.StartBroker(j.config()); err != nil {
				t.Fatal(err)
			}
			defer j.broker.Close()
			j.run(t, seal.Candidate).refused(t, 4, "S03", "attempt-of-nobody", "last reservation")
			j.untouched(t)
		})
	})
	t.Run("no ledger", func(t *testing.T) {
		t.Parallel()
		j := newJob(t, suiteRun{}.on("sealed", asRunEvals...))
		if err := os.Remove(j.ledger); err != nil {
			t.Fatal(err)
		}
		j.run(t, seal.Candidate).refused(t, 4, "S03", "no such file")
		j.untouched(t)
	})
	t.Run("a kind that this build cannot read", func(t *testing.T) {
		t.Parallel()
		j := newJob(t, suiteRun{}.on("sealed-no-ledger", asRunEvals...))
		j.run(t, seal.Candidate).refused(t, 4, "S03", `ledger of kind "test"`)
		j.untouched(t)
	})
}

// A grant opens what was reserved, and nothing that looks like it.
func TestOtherThanReserved(t *testing.T) {
	for i, c := range []struct {
		name  string
		suite string
		env   []string // of the reservation
		then  []string // of the run
		grant func(*seal.Grant)
		texts []string
	}{
		{"content", "sealed-edited", []string{"EDIT=one"}, []string{"EDIT=two"}, nil, []string{"test split is sha256:", `First difference: task "held-f" has another content`}},
		{"content, without the list", "sealed-edited", []string{"EDIT=one"}, []string{"EDIT=two"}, func(g *seal.Grant) { g.Tasks = nil }, []string{"the finalize job reserved sha256:"}},
		{"a task more", "sealed", nil, []string{"CASE=sealed-edited"}, nil, []string{`task "held-f" was not reserved`}},
		{"a task less", "sealed-edited", nil, []string{"CASE=sealed"}, nil, []string{`task "held-f" is not here`}},
		{"trials of a task", "sealed-trials", []string{"EDIT=2", "CAPEVAL_TRIALS="}, []string{"EDIT=3"}, nil, []string{`task "held-f" has 3 trials, reserved were 2`}},
		{"trials", "sealed", nil, []string{"CAPEVAL_TRIALS=3"}, nil, []string{`task "held-a" has 3 trials, reserved were 2`}},
		{"base seed", "sealed", nil, []string{"CAPEVAL_BASE_SEED=8"}, nil, []string{"base seed 8"}},
		{"files that score", "sealed", nil, []string{"MOVED=1"}, nil, []string{"the files that score"}},
		{"suite", "sealed", nil, nil, func(g *seal.Grant) { g.Suite = "other" }, []string{`This is suite "kinds"; the grant in CAPEVAL_SEAL_GRANT is for suite "other"`}},
		{"no test task at all", "sealed", nil, []string{"CASE=sealed-none"}, nil, []string{`task "held-a" is not here`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ways := mostWays
			if i == 0 {
				ways = everyWay
			}
			ways(t, func(t *testing.T, how suiteRun) {
				j := newJob(t, how.on(c.suite, slices.Concat(asRunEvals, c.env)...))
				then := j.with(j.grant(t, seal.Candidate, c.grant))
				then.env = append(then.env, c.then...)
				if slices.Contains(c.then, "MOVED=1") { // to a checkout with one file more
					then.dir = t.TempDir()
					if err := errors.Join(os.CopyFS(then.dir, os.DirFS("testdata/suites/kinds")), os.WriteFile(filepath.Join(then.dir, "more_test.go"), []byte("package kinds\n"), 0o644)); err != nil {
						t.Fatal(err)
					}
				}
				then.run(t).refused(t, 5, "S04", c.texts...)
				j.untouched(t)
			})
		})
	}
}

// What would leave out a part of the look, or run a part twice, is refused
// before it.
func TestSealedRunIsWholeAndOnce(t *testing.T) {
	for i, c := range []struct {
		name, suite string
		env         []string
		flags       []string
		code, text  string
	}{
		{name: "filter", suite: "sealed", flags: []string{"--label-filter=task:held-a"}, code: "S17", text: "leaves out a part"},
		{name: "focus", suite: "sealed", flags: []string{"--focus=held-a"}, code: "S17", text: "leaves out a part"},
		{name: "skip", suite: "sealed", flags: []string{"--skip=held-a"}, code: "S17", text: "leaves out a part"},
		{name: "programmatic focus", suite: "sealed-focus", code: "S17", text: "Programmatic focus"},
		{name: "pending", suite: "sealed-pending", code: "S17", text: `Pending on task "held-f"`},
		{name: "shard", suite: "sealed", env: []string{"CAPEVAL_SHARD=1/2"}, code: "S17", text: "Shard 1/2"},
		{name: "another split", suite: "sealed", env: []string{"CAPEVAL_SPLIT=val"}, code: "config", text: `CAPEVAL_SPLIT asks for split "val"`},
		{name: "another arm", suite: "sealed", env: []string{"CAPEVAL_ARM=mine"}, code: "config", text: `CAPEVAL_ARM asks for arm "mine"`},
		{name: "an override", suite: "sealed", env: []string{"CAPEVAL_ALLOW_TEST=1"}, code: "S23", text: "CAPEVAL_ALLOW_TEST"},
		{name: "--flake-attempts", suite: "sealed", flags: []string{"--flake-attempts=2"}, code: "S05", text: "each is granted once"},
		{name: "FlakeAttempts", suite: "sealed-flake", code: "S05", text: "each is granted once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ways := mostWays
			if i == 0 {
				ways = everyWay
			}
			ways(t, func(t *testing.T, how suiteRun) {
				j := newJob(t, how.on(c.suite, asRunEvals...))
				then := j.with(j.grant(t, seal.Candidate, nil))
				then.env = append(then.env, c.env...)
				r := then.flag(c.flags...).run(t)
				r.refused(t, 2, c.code, c.text)
				j.untouched(t)
			})
		})
	}
	for _, flag := range []string{"--repeat=1", "--until-it-fails"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, suiteRun{procs: 2}.on("sealed", asRunEvals...))
			j.with(j.grant(t, seal.Candidate, nil)).flag(flag).run(t).refused(t, 2, "S05", "each is granted once")
			j.untouched(t)
		})
	}
	t.Run("-count=2", func(t *testing.T) {
		t.Parallel()
		j := newJob(t, suiteRun{}.on("sealed", asRunEvals...))
		how := j.with(j.grant(t, seal.Candidate, nil))
		how.args = append(how.args, "-test.count=2")
		r := how.run(t)
		r.exits(t, red)
		r.did(t)
		j.untouched(t)
	})
	t.Run("dry run", func(t *testing.T) {
		t.Parallel()
		for _, runner := range []string{"", "RUNNER=RunSpecs"} {
			j := newJob(t, suiteRun{}.on("sealed", append([]string{runner}, asRunEvals...)...))
			r := j.with(j.grant(t, seal.Candidate, nil)).flag("--dry-run").run(t)
			r.exits(t, !red)
			r.did(t)
			r.has(t, fmt.Sprintf("Ran %d of", 11))
			j.untouched(t)
		}
	})
}
