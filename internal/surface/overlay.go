package surface

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Overlay makes the protected files below top, the top folder of a checkout,
// those of a commit of the repository around dir: it writes what differs or is
// missing, and removes what matches and is not in the commit, ignored and
// untracked files included. Other files stay. Files that are right already keep
// their times. Afterwards Dir of top equals Tree of the commit, which Overlay
// checks.
//
// It never writes through a link or outside top, whatever the checkout holds: a
// link or a file where a protected file needs a folder is removed, and so is a
// folder in a protected file's place. A commit whose surface holds a submodule or
// a Git LFS pointer is refused, since its files are not in the repository. After
// an error the folder is in no particular state.
func (s Set) Overlay(ctx context.Context, dir, ref, top string) error {
	if err := s.overlay(ctx, dir, ref, top); err != nil {
		return fmt.Errorf("lay the surface of %s over %s: %w", ref, top, err)
	}
	return nil
}

func (s Set) overlay(ctx context.Context, dir, ref, top string) error {
	files, err := s.tree(ctx, dir, ref)
	if err != nil {
		return err
	}
	want := map[string]treeFile{}
	for _, f := range files {
		if err := f.layable(); err != nil {
			return err
		}
		want[f.Path] = f
	}
	have, err := s.dir(top)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	same := map[string]bool{}
	for _, e := range have {
		if same[e.Path] = want[e.Path].Entry == e; same[e.Path] {
			continue
		}
		if err := root.Remove(filepath.FromSlash(e.Path)); err != nil {
			return err
		}
		if _, stays := want[e.Path]; !stays {
			prune(root, path.Dir(e.Path))
		}
	}
	for _, f := range files {
		if same[f.Path] {
			continue
		}
		if err := f.lay(root); err != nil {
			return fmt.Errorf("%s: %w", shown(f.Path), err)
		}
	}
	return s.settled(files, top)
}

// settled checks that the folder holds what was laid.
func (s Set) settled(files []treeFile, top string) error {
	have, err := s.dir(top)
	if err != nil {
		return err
	}
	want := Manifest{}
	for _, f := range files {
		want = append(want, f.Entry)
	}
	if c := Diff(want, have); !c.Empty() {
		return fmt.Errorf("the folder changed meanwhile, or its file system cannot hold these files: %s", c)
	}
	return nil
}

// lfsPointer begins the file that stands for one kept by Git LFS.
var lfsPointer = []byte("version https://git-lfs.github.com/spec/")

// layable says why f cannot be written into a checkout.
func (f treeFile) layable() error {
	parts := strings.Split(f.Path, "/")
	dotGit := func(part string) bool { return part == ".." || fold(part) == ".git" }
	switch {
	case slices.ContainsFunc(parts, dotGit) || !filepath.IsLocal(filepath.FromSlash(f.Path)):
		return fmt.Errorf("found the path %s in the commit, need one inside the checkout", shown(f.Path))
	case f.Mode == modeSubmodule:
		return fmt.Errorf("%s is a submodule, whose files are not in this repository; need the files themselves", shown(f.Path))
	case f.Mode != modeLink && bytes.HasPrefix(f.content, lfsPointer):
		return fmt.Errorf("%s is kept by Git LFS, so its content is not in this repository; need the file itself", shown(f.Path))
	}
	return nil
}

// lay writes f below root.
func (f treeFile) lay(root *os.Root) error {
	parts := strings.Split(f.Path, "/")
	for i := 1; i < len(parts); i++ {
		parent := filepath.Join(parts[:i]...)
		info, err := root.Lstat(parent)
		if err == nil && !info.IsDir() {
			err = root.Remove(parent)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := root.Mkdir(parent, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	name := filepath.FromSlash(f.Path)
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	if f.Mode == modeLink {
		return root.Symlink(string(f.content), name)
	}
	perm := fs.FileMode(0o644)
	if f.Mode == modeExec {
		perm = 0o755
	}
	w, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = w.Write(f.content)
	return errors.Join(err, w.Close())
}

// prune removes the folder at p, and those around it, while they are empty.
func prune(root *os.Root, p string) {
	for ; p != "."; p = path.Dir(p) {
		if root.Remove(filepath.FromSlash(p)) != nil {
			return // it holds something
		}
	}
}
