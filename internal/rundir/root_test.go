package rundir

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestCreate(t *testing.T) {
	project := t.TempDir()
	home := filepath.Join(project, ".capeval")
	latest := filepath.Join(home, "runs", "latest")
	create := func(parts ...string) {
		t.Helper()
		want := filepath.Join(append([]string{project}, parts...)...)
		got, err := Create(want)
		if err != nil || got != want {
			t.Fatalf("Create = %q, %v, want %q", got, err, want)
		}
	}
	pointsAt := func(want string) {
		t.Helper()
		if got, err := os.Readlink(latest); err != nil || got != want {
			t.Errorf("latest points at %q (%v), want %q", got, err, want)
		}
	}
	create("out") // a folder of the user's: nothing beside it
	if _, err := os.Lstat(home); err == nil {
		t.Error("a run directory elsewhere made .capeval")
	}
	create(".capeval", "runs", "one")
	pointsAt("one")
	if data, err := os.ReadFile(filepath.Join(home, ".gitignore")); err != nil || string(data) != ignored {
		t.Errorf(".gitignore holds %q (%v)", data, err)
	}
	must(t, os.WriteFile(filepath.Join(home, ".gitignore"), []byte("mine\n"), 0o644))
	create(".capeval", "runs", "two", "baseline") // one arm of a run
	pointsAt("two")
	create(".capeval", "runs", "one") // resumed
	pointsAt("one")
	create(".capeval", "runs", "latest") // by its other name
	pointsAt("one")
	create(".capeval", "aside")
	pointsAt("one")
	if data, _ := os.ReadFile(filepath.Join(home, ".gitignore")); string(data) != "mine\n" {
		t.Errorf(".gitignore became %q", data)
	}

	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { create(".capeval", "runs", "three") })
	}
	wg.Wait()
	pointsAt("three")

	must(t, os.Remove(latest), os.WriteFile(latest, []byte("a file"), 0o644))
	create(".capeval", "runs", "four")
	if data, err := os.ReadFile(latest); err != nil || string(data) != "a file" {
		t.Errorf("the file latest became %q (%v)", data, err)
	}
	entries, err := os.ReadDir(filepath.Join(home, "runs"))
	must(t, err)
	if len(entries) != 5 { // one to four, and latest
		t.Errorf("runs holds %v", entries)
	}
}
