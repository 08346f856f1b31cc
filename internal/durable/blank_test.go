package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestBlankFailsAtEachStep(t *testing.T) {
	const steps = 4 // create, write, close, rename
	for n := 1; n <= steps+1; n++ {
		t.Run(fmt.Sprint("step ", n), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			if err := WriteFile(path, []byte("old"), Options{}); err != nil {
				t.Fatal(err)
			}
			d, count := failing(n)
			b, err := d.blank(dir, 0o644)
			if err == nil {
				err = b.Become(path, []byte("new and longer"))
			}
			want := "old"
			if n > steps {
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

func TestBlankDiscarded(t *testing.T) {
	dir := t.TempDir()
	b, err := NewBlank(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 || !IsTemp(got[0]) {
		t.Errorf("the folder holds %q, want one temporary file", got)
	}
	if err := b.Discard(); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q, want nothing", got)
	}
	if _, err := NewBlank(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
}
