package surface

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// repo is a real repository in a new folder.
type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, args ...string) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z", "GIT_ALLOW_PROTOCOL=file",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_KEY_1=core.fsync", "GIT_CONFIG_VALUE_1=none")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes files; a content that begins with "-> " is a link, one that
// begins with "#!" is executable.
func (r repo) write(files map[string]string) {
	r.t.Helper()
	for p, content := range files {
		name := filepath.Join(r.dir, p)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			r.t.Fatal(err)
		}
		_ = os.RemoveAll(name)
		var err error
		if target, link := strings.CutPrefix(content, "-> "); link {
			err = os.Symlink(target, name)
		} else {
			perm := os.FileMode(0o644)
			if strings.HasPrefix(content, "#!") {
				perm = 0o755
			}
			err = os.WriteFile(name, []byte(content), perm)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r repo) commit(files map[string]string) string {
	r.t.Helper()
	r.write(files)
	r.git("add", "-A", "-f")
	r.git("commit", "-q", "--allow-empty", "-m", "c")
	return r.git("rev-parse", "HEAD")
}

func (r repo) tree(s Set, ref string) Manifest {
	r.t.Helper()
	m, err := s.Tree(context.Background(), r.dir, ref)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

func (r repo) work(s Set) Manifest {
	r.t.Helper()
	m, err := s.Dir(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

func paths(m Manifest) string {
	var out []string
	for _, e := range m {
		out = append(out, e.Mode+" "+e.Path)
	}
	return strings.Join(out, "\n")
}

// base is a surface with one of everything.
func base() map[string]string {
	return map[string]string{
		"capeval.yaml":          "version: 1\n",
		"evals/a.jsonl":         "{}\n",
		"evals/run.sh":          "#!/bin/sh\n",
		"evals/link":            "-> a.jsonl",
		"evals/crlf.txt":        "a\r\nb\r\n",
		"evals/\xff\xfe":        "a name that is no UTF-8",
		"evals/new\nline \"x\"": "a name that git quotes",
		"evals/empty":           "",
		"agent/agent.go":        "package agent\n",
		".gitignore":            "*.log\n",
	}
}

func globs(t testing.TB) Set { return set(t, "", "evals/**", "capeval.yaml") }

func TestTreeAndDirAgree(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepo(t, "--object-format="+format)
		r.commit(base())
		m := r.tree(globs(t), "HEAD")
		want := "100644 capeval.yaml\n100644 evals/a.jsonl\n100644 evals/crlf.txt\n100644 evals/empty\n" +
			"120000 evals/link\n100644 evals/new\nline \"x\"\n100755 evals/run.sh\n100644 evals/\xff\xfe"
		if got := paths(m); got != want {
			t.Errorf("%s: got\n%q\nwant\n%q", format, got, want)
		}
		if !slices.Equal(m, r.work(globs(t))) {
			t.Errorf("%s: the folder lists\n%v\nthe commit\n%v", format, r.work(globs(t)), m)
		}
		// SHA-256 of "{}\n" and of the link's target, by sha256sum.
		if d := m[1].Digest; d != "sha256:ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356" {
			t.Errorf("a.jsonl: %s", d)
		}
		if d := m[4].Digest; d != digest([]byte("a.jsonl")) {
			t.Errorf("the link's digest is %s, want that of its target's name", d)
		}
	}
}

// TestEveryChangeShows changes one thing at a time.
func TestEveryChangeShows(t *testing.T) {
	r := newRepo(t)
	first := r.commit(base())
	s := globs(t)
	was := r.tree(s, first)
	check := func(want string, change func()) {
		t.Helper()
		r.git("checkout", "-q", "-f", first)
		r.git("clean", "-q", "-f", "-d", "-x")
		change()
		r.git("add", "-A", "-f")
		r.git("commit", "-q", "--allow-empty", "-m", "change")
		head := r.tree(s, "HEAD")
		c := Diff(was, head)
		if c.String() != want {
			t.Errorf("got %s, want %s", c, want)
		}
		if equal := was.Digest() == head.Digest(); equal != c.Empty() {
			t.Errorf("%s: digests equal is %v", want, equal)
		}
		if work := Diff(was, r.work(s)); work.String() != want {
			t.Errorf("in the folder: got %s, want %s", work, want)
		}
	}
	move := func(from, to string) func() { return func() { r.git("mv", "-f", from, to) } }
	write := func(p, content string) func() { return func() { r.write(map[string]string{p: content}) } }
	check("", func() {})
	check("", write("agent/agent.go", "package agent // better\n"))
	check("evals/a.jsonl (changed)", write("evals/a.jsonl", "{ }\n"))
	check("evals/a.jsonl (changed)", write("evals/a.jsonl", "#!{}\n"))
	check("evals/a.jsonl (changed)", func() { _ = os.Chmod(filepath.Join(r.dir, "evals/a.jsonl"), 0o755) })
	check("evals/a.jsonl (changed)", write("evals/a.jsonl", "-> ../agent/agent.go"))
	check("evals/link (changed)", write("evals/link", "-> run.sh"))
	check("evals/link (changed)", write("evals/link", "a.jsonl")) // the same bytes, no link
	check("evals/A.jsonl (added), evals/a.jsonl (removed)", move("evals/a.jsonl", "evals/A.jsonl"))
	check("Evals/a.jsonl (added)", write("Evals/a.jsonl", "{}\n"))
	check("capeval.yaml (removed)", func() { r.git("rm", "-q", "capeval.yaml") })
	check("evals/debug.log (added)", write("evals/debug.log", "ignored, and read all the same"))
	check("evals/.gitattributes (added)", write("evals/.gitattributes", "* text\n"))
	check("evals (added), evals/a.jsonl (removed), evals/crlf.txt (removed), evals/empty (removed), evals/link (removed), "+
		`"evals/new\nline \"x\"" (removed), evals/run.sh (removed), "evals/\xff\xfe" (removed)`, func() {
		_ = os.Rename(filepath.Join(r.dir, "evals"), filepath.Join(r.dir, "elsewhere"))
		_ = os.Symlink("elsewhere", filepath.Join(r.dir, "evals"))
	})
}

func TestSubmodule(t *testing.T) {
	inner := newRepo(t)
	inner.commit(map[string]string{"tasks.jsonl": "{}\n"})
	r := newRepo(t)
	r.commit(base())
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "evals/sub")
	first := r.commit(nil)
	m := r.tree(globs(t), first)
	at := slices.IndexFunc(m, func(e Entry) bool { return e.Path == "evals/sub" })
	if at < 0 || m[at].Mode != modeSubmodule || m[at].Digest != "git:"+inner.git("rev-parse", "HEAD") {
		t.Errorf("found %v, want the submodule with its commit", m)
	}
	moved := inner.commit(map[string]string{"tasks.jsonl": "{\"easier\":true}\n"})
	(repo{t, filepath.Join(r.dir, "evals/sub")}).git("pull", "-q")
	r.commit(nil)
	head := r.tree(globs(t), "HEAD")
	if c := Diff(m, head); c.String() != "evals/sub (changed)" || head[at].Digest != "git:"+moved {
		t.Errorf("another commit of the submodule: %s", c)
	}
	if work := r.work(globs(t)); !strings.Contains(paths(work), "100644 evals/sub/tasks.jsonl") || strings.Contains(paths(work), ".git\n") {
		t.Errorf("the checkout lists %s, want the submodule's files without its .git", paths(work))
	}
	if err := globs(t).Overlay(context.Background(), r.dir, first, t.TempDir()); err == nil || !strings.Contains(err.Error(), "evals/sub is a submodule") {
		t.Errorf("overlay: %v", err)
	}
}

// TestReplaceRefIsIgnored: a replace ref shows other content under the same id.
func TestReplaceRefIsIgnored(t *testing.T) {
	r := newRepo(t)
	first := r.commit(base())
	was := r.tree(globs(t), first)
	blob := r.git("rev-parse", first+":evals/a.jsonl")
	r.write(map[string]string{"easy": "{\"easy\":true}\n"})
	r.git("replace", blob, r.git("hash-object", "-w", "easy"))
	if now := r.tree(globs(t), first); !slices.Equal(now, was) {
		t.Error("a replace ref changed what the commit holds")
	}
}

func TestTreeRefuses(t *testing.T) {
	r := newRepo(t)
	r.commit(base())
	for _, ref := range []string{"absent", "--all", "HEAD:evals", ""} {
		if _, err := globs(t).Tree(context.Background(), r.dir, ref); err == nil || !strings.Contains(err.Error(), "found no commit of that name") {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if _, err := globs(t).Tree(context.Background(), t.TempDir(), "HEAD"); err == nil {
		t.Error("no repository, no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := globs(t).Tree(ctx, r.dir, "HEAD"); err == nil {
		t.Error("cancelled, no error")
	}
}

func TestLocate(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"agents/support/capeval.yaml": "version: 1\n"})
	t.Setenv("GIT_DIR", "/nowhere") // as a hook of another repository would set it
	top, prefix, err := Locate(context.Background(), filepath.Join(r.dir, "agents/support"))
	want, _ := filepath.EvalSymlinks(r.dir)
	if err != nil || top != want || prefix != "agents/support" {
		t.Errorf("got %q %q (%v), want %q", top, prefix, err, want)
	}
	if _, prefix, err = Locate(context.Background(), r.dir); err != nil || prefix != "" {
		t.Errorf("at the top: %q (%v)", prefix, err)
	}
}

func TestRefusal(t *testing.T) {
	c := Changes{Added: []string{"evals/b, c"}, Changed: []string{"evals/a"}, Removed: []string{"evals/::error::x\n"}}
	const want = "capeval: PROTECTED [S21]\n" +
		`The pull request changes the evaluation surface: evals/a (changed), "evals/b, c" (added), "evals/::error::x\n" (removed). Its score is not data.` + "\n" +
		"Do: split the change: evals first, agent second.\n" +
		"Not an option: a comparison in which tasks or scorers changed together with the agent."
	if got := c.Refusal(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c = Changes{}
	for i := range 25 {
		c.Added = append(c.Added, strings.Repeat("x", i+1))
	}
	if got := c.String(); !strings.HasSuffix(got, "(added), and 5 more") {
		t.Errorf("25 files: %s", got)
	}
}

// TestDiffLaws: nothing differs from itself, and swapping the sides swaps what
// was added and removed.
func TestDiffLaws(t *testing.T) {
	manifest := rapid.Custom(func(t *rapid.T) Manifest {
		m := Manifest{}
		for _, p := range rapid.SliceOfNDistinct(rapid.StringN(1, 3, 6), 0, 6, rapid.ID).Draw(t, "paths") {
			m = append(m, Entry{p, rapid.SampledFrom([]string{modeFile, modeExec}).Draw(t, "mode"), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "digest")})
		}
		slices.SortFunc(m, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
		return m
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := manifest.Draw(t, "a"), manifest.Draw(t, "b")
		c, back := Diff(a, b), Diff(b, a)
		if !Diff(a, a).Empty() || !slices.Equal(c.Added, back.Removed) || !slices.Equal(c.Removed, back.Added) || !slices.Equal(c.Changed, back.Changed) {
			t.Fatalf("%v against %v: %v and back %v", a, b, c, back)
		}
		if c.Empty() != (a.Digest() == b.Digest()) {
			t.Fatalf("%v and %v: digests and differences disagree", a, b)
		}
		if len(a)+len(c.Added)-len(c.Removed) != len(b) {
			t.Fatalf("%v against %v: %v does not add up", a, b, c)
		}
	})
}
