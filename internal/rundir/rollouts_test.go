package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/record"
)

// temps counts the temporary files in the folder of val's rollouts.
func temps(d Dir) (temps, others int) {
	entries, _ := os.ReadDir(filepath.Join(d.Path, "rollouts", "val"))
	for _, e := range entries {
		if durable.IsTemp(e.Name()) {
			temps++
		} else {
			others++
		}
	}
	return temps, others
}

// stocked waits until so many files are ready.
func stocked(t *testing.T, d Dir, want int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if n, _ := temps(d); n == want {
			return
		}
		if time.Now().After(end) {
			n, _ := temps(d)
			t.Fatalf("%d files are ready, want %d", n, want)
		}
	}
}

func TestRollouts(t *testing.T) {
	d := Suite(t.TempDir(), "suite")
	r := d.OpenRollouts(record.Val, 3)
	for range 10 {
		r.Expect()
	}
	stocked(t, d, 3) // no more than it was told
	write := func(task string, v any) error { return r.Write(task, "candidate", 0, v) }
	check := func(task, want string) {
		t.Helper()
		data, err := os.ReadFile(d.RolloutPath(record.Val, task, "candidate", 0))
		if err != nil || string(data) != want {
			t.Errorf("task %s: %q, %v; want %q", task, data, err, want)
		}
	}
	var all sync.WaitGroup
	for i := range 8 { // more than are ready
		all.Go(func() {
			if err := write(fmt.Sprint(i), i); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 8 {
		check(fmt.Sprint(i), fmt.Sprintf("%d\n", i))
	}
	must(t, write("7", "again")) // a later attempt
	check("7", "\"again\"\n")

	r.Expect()
	stocked(t, d, 1)
	if err := write("never", func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
	r.Expect()
	stocked(t, d, 1)
	must(t, r.Close(), r.Close())
	r.Expect()
	must(t, write("late", 1))
	check("late", "1\n")
	if n, files := temps(d); n != 0 || files != 9 {
		t.Errorf("%d temporary files and %d others, want 0 and 9", n, files)
	}
}

// A folder that is gone is made again, and one that cannot be made is an error
// of the write.
func TestRolloutsWithoutFolder(t *testing.T) {
	d := Suite(t.TempDir(), "suite")
	r := d.OpenRollouts(record.Val, 1)
	r.Expect()
	stocked(t, d, 1)
	must(t, os.RemoveAll(filepath.Join(d.Path, "rollouts")))
	must(t, r.Write("a", "candidate", 0, 1))
	must(t, os.RemoveAll(d.Path), os.WriteFile(d.Path, nil, 0o644))
	r.Expect()
	if err := r.Write("b", "candidate", 0, 1); err == nil {
		t.Error("a rollout was written below a file")
	}
	must(t, r.Close())
}

// Rollouts that nobody wrote leave nothing, and what a killed process had ready
// goes when the run is finished.
func TestRolloutsLeaveNothing(t *testing.T) {
	d, _ := small(t)
	r := d.OpenRollouts(record.Val, 2)
	r.Expect()
	stocked(t, d, 1)
	must(t, r.Close())
	if _, err := os.Stat(filepath.Join(d.Path, "rollouts")); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
	r = d.OpenRollouts(record.Val, 2) // and is never closed
	must(t, r.Write("a", "candidate", 0, 1))
	r.Expect()
	stocked(t, d, 1)
	must(t, d.Finish())
	if n, files := temps(d); n != 0 || files != 1 {
		t.Errorf("%d temporary files and %d others, want 0 and 1", n, files)
	}
}
