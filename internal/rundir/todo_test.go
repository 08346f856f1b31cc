package rundir

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/capeval/capeval/record"
)

func todo(t *testing.T, d Dir, retry bool) []string {
	t.Helper()
	cells, err := d.Todo(retry)
	must(t, err)
	all := []string{}
	for _, c := range cells {
		all = append(all, fmt.Sprintf("%s %d.%d", c.Task, c.Trial, c.Attempt))
	}
	return all
}

func TestTodo(t *testing.T) {
	d, run := small(t)
	check := func(when string, retry bool, want ...string) {
		t.Helper()
		if got := todo(t, d, retry); !slices.Equal(got, want) {
			t.Errorf("%s, retry %v: %q, want %q", when, retry, got, want)
		}
	}
	for _, when := range []string{"journals", "finished"} {
		// In flight: a second attempt. Never started: a first one.
		check(when, false, "task-00 1.2", "task-00 2.1", "task-01 2.1")
		// task-01 1 failed in set-up: only a retry runs it again.
		check(when, true, "task-00 1.2", "task-00 2.1", "task-01 1.2", "task-01 2.1")
		must(t, d.Finish())
	}
	// A later pass supersedes the rows that Finish made up.
	j, err := d.OpenJournal("p1")
	must(t, err,
		j.Start(startOf(run, "task-00", 1, 2)), j.End(scored(run, "task-00", 1, 2, 1)),
		j.Start(startOf(run, "task-00", 2, 1)), j.End(missing(run, "task-00", 2, 1, record.CauseRunner)),
		j.Start(startOf(run, "task-01", 2, 1)), // in flight
		j.Close())
	for _, when := range []string{"second pass", "second pass finished"} {
		check(when, false, "task-01 2.2")
		check(when, true, "task-00 2.2", "task-01 1.2", "task-01 2.2")
		r, err := d.Result(record.Options{})
		must(t, err)
		if r.NCells != 6 || r.NMissing != 3 {
			t.Errorf("%s: %d of %d cells missing, want 3 of 6", when, r.NMissing, r.NCells)
		}
		must(t, d.Finish())
	}
	trials, _, err := d.ReadJournal()
	must(t, err)
	want := []string{
		"task-00 0.1 1", "task-00 1.1 -interrupted", "task-00 1.2 1", "task-00 2.1 -runner",
		"task-01 0.1 -rate_limit", "task-01 0.2 0.25", "task-01 1.1 -setup", "task-01 2.1 -interrupted",
	}
	if got := rows(trials); !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

func TestTodoFile(t *testing.T) {
	d := Suite(t.TempDir(), "suite")
	if _, ok, err := d.ReadTodo(); ok || err != nil {
		t.Errorf("no file: %v, %v, want neither cells nor an error", ok, err)
	}
	cells := []Pending{{record.Cell{Task: "a", Trial: 2}, 1}, {record.Cell{Task: "b"}, 3}}
	must(t, d.WriteTodo(cells))
	got, ok, err := d.ReadTodo()
	if !ok || err != nil || !slices.Equal(got, cells) {
		t.Errorf("read %v, %v, %v, want %v", got, ok, err, cells)
	}
	must(t, d.WriteTodo(nil)) // nothing to do is not the same as no list
	if got, ok, err := d.ReadTodo(); !ok || err != nil || len(got) != 0 {
		t.Errorf("read %v, %v, %v, want an empty list", got, ok, err)
	}
	for _, bad := range []string{`{`, `{"schema":"x"}`, `{"schema":"capeval.todo/v1","cells":[{"task":"a","trial":0}]}`} {
		must(t, os.WriteFile(d.file("todo.json"), []byte(bad), 0o644))
		if _, _, err := d.ReadTodo(); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	must(t, d.Reset(), d.Reset())
	if _, ok, _ := d.ReadTodo(); ok {
		t.Error("Reset left todo.json")
	}
}
