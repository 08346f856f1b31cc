package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var errStep = errors.New("the disk said no")

// failing returns the host's disk that fails at the n-th step, counting from 1,
// and a function that says how many steps there were.
func failing(n int) (disk, func() int) {
	d, steps := host(), 0
	step := func() error {
		if steps++; steps == n {
			return errStep
		}
		return nil
	}
	real := d
	d.create = func(path string, perm fs.FileMode) (file, error) {
		if err := step(); err != nil {
			return nil, err
		}
		f, err := real.create(path, perm)
		return stepFile{f, step}, err
	}
	d.rename = func(from, to string) error { return errors.Join(step(), or(steps == n, real.rename, from, to)) }
	d.link = func(from, to string) error { return errors.Join(step(), or(steps == n, real.link, from, to)) }
	d.read = func(path string) ([]byte, error) {
		if err := step(); err != nil {
			return nil, err
		}
		return real.read(path)
	}
	d.syncDir = func(string) error { return step() }
	return d, func() int { return steps }
}

func or(skip bool, do func(from, to string) error, from, to string) error {
	if skip {
		return nil
	}
	return do(from, to)
}

type stepFile struct {
	file
	step func() error
}

// Write fails after half of the bytes, which is the worst that it can do.
func (f stepFile) Write(p []byte) (int, error) {
	if err := f.step(); err != nil {
		n, _ := f.file.Write(p[:len(p)/2])
		return n, err
	}
	return f.file.Write(p)
}

func (f stepFile) Sync() error { return errors.Join(f.step(), f.file.Sync()) }

func (f stepFile) Close() error { return errors.Join(f.step(), f.file.Close()) }

// names returns the names in the folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestWriteFileFailsAtEachStep(t *testing.T) {
	// create, write, sync, close, rename, sync of the folder
	const steps = 6
	for n := 1; n <= steps+1; n++ {
		t.Run(fmt.Sprint("step ", n), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			if err := WriteFile(path, []byte("old"), Options{}); err != nil {
				t.Fatal(err)
			}
			d, count := failing(n)
			err := d.writeFile(path, writing([]byte("new and longer")), Options{})
			want := "old"
			if n >= steps { // only the folder's fsync failed, or nothing did
				want = "new and longer"
			}
			if got, _ := os.ReadFile(path); string(got) != want {
				t.Errorf("content %q, want %q", got, want)
			}
			if n <= steps && !errors.Is(err, errStep) {
				t.Errorf("error %v, want the disk's", err)
			}
			if n > steps && (err != nil || count() != steps) {
				t.Errorf("error %v after %d steps, want none after %d", err, count(), steps)
			}
			if got := names(t, dir); len(got) != 1 {
				t.Errorf("the folder holds %q, want f alone", got)
			}
		})
	}
}

func TestWriteFileWithoutSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	d, count := failing(0)
	if err := d.writeFile(path, writing([]byte("x")), Options{NoSync: true, Perm: 0o600}); err != nil {
		t.Fatal(err)
	}
	if count() != 4 { // create, write, close, rename
		t.Errorf("%d steps, want 4: neither the file nor its folder is synced", count())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want permissions 0600", info.Mode(), err)
	}
}

func TestWriteFileNeedsItsFolder(t *testing.T) {
	err := WriteFile(filepath.Join(t.TempDir(), "no", "f"), nil, Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
}

// childWrite replaces path for ever, and prints a line for every version that
// stands.
func childWrite(path string) {
	for n := 0; ; n++ {
		if err := WriteFile(path, sealed(n), Options{NoSync: n%2 == 1}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

func TestWriteFileKilled(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	temps, versions := 0, 0
	for range kills() {
		done := killAtRandom(t, child(t, "write", path), rnd)
		versions += len(done)
		data, err := os.ReadFile(path)
		if err != nil || !whole(data) {
			t.Fatalf("after %s versions: %d bytes are not whole (%v)", done[len(done)-1], len(data), err)
		}
		for _, name := range names(t, dir) {
			if name == "f" {
				continue
			}
			if !IsTemp(filepath.Join(dir, name)) {
				t.Errorf("%q was left and is not recognised as temporary", name)
			}
			temps++
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d children killed, %d versions, %d temporary files left", kills(), versions, temps)
}

func TestIsTemp(t *testing.T) {
	check := func(name string, want bool) {
		t.Helper()
		if got := IsTemp(name); got != want {
			t.Errorf("IsTemp(%q) = %v", name, got)
		}
	}
	check("run.json", false)
	check(".capeval-tmp-X", true)
	check(filepath.Join("a", ".capeval-tmp-X"), true)
	check(filepath.Join(".capeval-tmp-X", "run.json"), false) // the folder is not the file
}
