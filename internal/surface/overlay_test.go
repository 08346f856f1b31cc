package surface

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOverlay lays the base over checkouts that a head may have made, hostile
// ones included: afterwards the surface is the base's, and nothing else changed.
func TestOverlay(t *testing.T) {
	s := set(t, "", "evals/**", "capeval.yaml", "deep/**/tasks.jsonl")
	files := base()
	files["deep/a/b/tasks.jsonl"] = "{}\n"
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	cases := map[string]func(dir string){
		"nothing":        func(string) {},
		"edited":         func(dir string) { put(t, dir, "evals/a.jsonl", "{\"easy\":true}\n") },
		"all removed":    func(dir string) { _ = os.RemoveAll(filepath.Join(dir, "evals")) },
		"added":          func(dir string) { put(t, dir, "evals/more/easy_test.go", "package evals\n") },
		"ignored, added": func(dir string) { put(t, dir, "evals/cache.log", "x") },
		"mode":           func(dir string) { _ = os.Chmod(filepath.Join(dir, "evals/run.sh"), 0o644) },
		"link for a file": func(dir string) {
			replace(t, dir, "evals/a.jsonl", victim)
		},
		"link out for the folder": func(dir string) { replace(t, dir, "evals", outside) },
		"link in for the folder":  func(dir string) { replace(t, dir, "evals", "agent") },
		"link for a folder that no glob names": func(dir string) {
			replace(t, dir, "deep/a", outside)
		},
		"file for a folder": func(dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "deep"))
			put(t, dir, "deep", "x")
		},
		"folder for a file": func(dir string) {
			_ = os.Remove(filepath.Join(dir, "capeval.yaml"))
			put(t, dir, "capeval.yaml/x/y", "x")
		},
		"hard link": func(dir string) {
			name := filepath.Join(dir, "evals/a.jsonl")
			_ = os.Remove(name)
			if err := os.Link(victim, name); err != nil {
				t.Fatal(err)
			}
		},
		"another case": func(dir string) {
			_ = os.Rename(filepath.Join(dir, "evals"), filepath.Join(dir, "EVALS"))
		},
		"attributes": func(dir string) { put(t, dir, ".gitattributes", "*.txt text eol=lf\n") },
	}
	r := newRepo(t)
	first := r.commit(files)
	want := r.tree(s, first)
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			head := repo{t, filepath.Join(t.TempDir(), "head")}
			r.git("worktree", "add", "-q", "--detach", head.dir, first)
			put(t, head.dir, "agent/agent.go", "package agent // better\n")
			change(head.dir)
			if err := s.Overlay(context.Background(), r.dir, first, head.dir); err != nil {
				t.Fatal(err)
			}
			if got := head.work(s); !slices.Equal(got, want) {
				t.Errorf("the surface differs by %s", Diff(want, got))
			}
			if data, _ := os.ReadFile(filepath.Join(head.dir, "agent/agent.go")); string(data) != "package agent // better\n" {
				t.Errorf("the agent became %q", data)
			}
			if data, _ := os.ReadFile(victim); string(data) != "mine" {
				t.Errorf("a file outside became %q", data)
			}
			if entries, _ := os.ReadDir(outside); len(entries) != 1 {
				t.Errorf("outside lie %v, want the one file", entries)
			}
			_ = os.Remove(filepath.Join(head.dir, ".gitattributes")) // by which git would see its own line endings
			if status := head.git("status", "--porcelain", "--", "evals", "capeval.yaml", "deep"); status != "" {
				t.Errorf("git sees %s", status)
			}
		})
	}
}

// A file that is right keeps its time, so that Go's caches stay warm.
func TestOverlayLeavesWhatIsRight(t *testing.T) {
	r := newRepo(t)
	first := r.commit(base())
	name := filepath.Join(r.dir, "evals/a.jsonl")
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	if err := globs(t).Overlay(context.Background(), r.dir, first, r.dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("the file was written again: %v %v", info.ModTime(), err)
	}
}

func TestOverlayRemovesFoldersThatItEmptied(t *testing.T) {
	r := newRepo(t)
	first := r.commit(base())
	put(t, r.dir, "evals/new/deep/easy_test.go", "package deep\n")
	if err := globs(t).Overlay(context.Background(), r.dir, first, r.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "evals/new")); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestOverlayRefuses(t *testing.T) {
	r := newRepo(t)
	first := r.commit(map[string]string{"evals/big": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"})
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx := context.Background()
	check(globs(t).Overlay(ctx, r.dir, first, r.dir), "evals/big is kept by Git LFS")
	check(globs(t).Overlay(ctx, r.dir, "absent", r.dir), "found no commit of that name")
	r.write(base())
	r.git("rm", "-q", "evals/big")
	whole := r.commit(nil)
	check(globs(t).Overlay(ctx, r.dir, whole, filepath.Join(r.dir, "absent")), "no such file")
	for _, p := range []string{".git/hooks/x", "a/.GIT/x", "../x", "a/../../x", "/x"} {
		check(treeFile{Entry: Entry{Path: p, Mode: modeFile}}.layable(), "need one inside the checkout")
	}
}

func put(t testing.TB, dir, p, content string) {
	t.Helper()
	repo{t, dir}.write(map[string]string{p: content})
}

func replace(t testing.TB, dir, p, target string) {
	t.Helper()
	name := filepath.Join(dir, p)
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}
