//go:build unix

package seal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func written(t testing.TB, g Grant) string {
	t.Helper()
	dir, err := MakeDir(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "grant")
	if err := WriteGrant(path, g); err != nil {
		t.Fatal(err)
	}
	return path
}

func good() Grant {
	return grantOf(BrokerConfig{Addr: "/tmp/x/broker", Attempt: "attempt-1", Nonce: strings.Repeat("ab", 32)}, plan(3, 2))
}

func TestGrantIsReadBack(t *testing.T) {
	g := good()
	path := written(t, g)
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	got, err := ReadGrant(path)
	if err != nil || fmt.Sprint(got.Tasks, got.FP, got.Plan, got.Ledger, got.Nonce) != fmt.Sprint(g.Tasks, g.FP, g.Plan, g.Ledger, g.Nonce) {
		t.Errorf("found %+v, %v", got, err)
	}
	if err := WriteGrant(path, g); err == nil {
		t.Error("a grant was written over another")
	}
}

// The nonce is in no text that somebody may print.
func TestNonceIsNotPrinted(t *testing.T) {
	g := good()
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(format, g); strings.Contains(text, g.Nonce) {
			t.Errorf("%s prints %s", format, text)
		}
	}
}

func TestGrantNeedsAPrivateFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteGrant(filepath.Join(dir, "grant"), good()); err == nil || !strings.Contains(err.Error(), "0700") {
		t.Errorf("a grant in an open folder: %v", err)
	}
	if err := WriteGrant(filepath.Join(dir, "none", "grant"), good()); err == nil {
		t.Error("a grant in no folder")
	}
}

func TestMakeDir(t *testing.T) {
	repo := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(repo, "tmp")) // inside, so another place is taken
	if err := os.Mkdir(os.Getenv("TMPDIR"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := MakeDir(repo)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 || strings.HasPrefix(dir, repo) || len(dir) > 90 {
		t.Errorf("%s with mode %v, %v", dir, info.Mode(), err)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	again, err := MakeDir(repo)
	if err != nil || strings.HasPrefix(again, long) {
		t.Errorf("%s, %v: a socket there has no address", again, err)
	}
	_ = os.Remove(again)
	if rest, _ := os.ReadDir(long); len(rest) > 0 {
		t.Errorf("left %v", rest)
	}
	if _, err := MakeDir(filepath.Join(repo, "none")); err == nil {
		t.Error("no repository, no error")
	}
}

// Whatever is no private regular file is refused at once.
func TestBadGrantFiles(t *testing.T) {
	path := written(t, good())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name string, data []byte, mode os.FileMode) {
		if err := errors.Join(os.WriteFile(at(name), data, 0o600), os.Chmod(at(name), mode)); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o620, 0o700, 0o400, 0o601, 0o600 | os.ModeSetuid} {
		put(fmt.Sprintf("mode %v", mode), data, mode)
	}
	put("empty", nil, 0o600)
	put("half", data[:len(data)/2], 0o600)
	put("two", slices.Concat(data, []byte("\n"), data), 0o600)
	put("garbage", []byte(strings.Repeat("\x00\xff", 100)), 0o600)
	put("deep", []byte(strings.Repeat("[", 100000)), 0o600)
	put("big", nil, 0o600)
	if err := errors.Join(
		os.Truncate(at("big"), 100<<20), os.Symlink(path, at("link")), os.Symlink("nowhere", at("dangling")), os.Symlink("loop", at("loop")),
		os.Mkdir(at("folder"), 0o700), syscall.Mkfifo(at("fifo"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{at("missing"), "", "\x00", "/dev/null", "/dev/zero", "/dev/tty", strings.Repeat("/x", 5000), path + "/below"}
	for _, n := range names {
		paths = append(paths, at(n.Name()))
	}
	for _, p := range paths {
		began := time.Now()
		_, err := ReadGrant(p)
		r := refusedAs(t, err, "S03")
		if r.Exit != exitSealed || strings.Contains(r.Error(), strings.Repeat("ab", 32)) {
			t.Errorf("%q: exit %d: %s", p, r.Exit, r.Error())
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%q took %v", p, took)
		}
	}
	if len(paths) < 20 {
		t.Errorf("tried %d files", len(paths))
	}
	if os.Geteuid() == 0 { // only root can make a file of somebody else
		put("another's", data, 0o600)
		if err := os.Chown(at("another's"), 12345, -1); err != nil {
			t.Fatal(err)
		}
		_, err := ReadGrant(at("another's"))
		if r := refusedAs(t, err, "S03"); !strings.Contains(r.Error(), "another user") {
			t.Errorf("found %s", r.Error())
		}
	}
}

func TestBadGrants(t *testing.T) {
	for name, change := range map[string]func(*Grant){
		"version":      func(g *Grant) { g.V = 2 },
		"no nonce":     func(g *Grant) { g.Nonce = "" },
		"short nonce":  func(g *Grant) { g.Nonce = g.Nonce[2:] },
		"upper nonce":  func(g *Grant) { g.Nonce = strings.ToUpper(g.Nonce) },
		"no hex":       func(g *Grant) { g.Nonce = strings.Repeat("xy", 32) },
		"role":         func(g *Grant) { g.Role = "both" },
		"no role":      func(g *Grant) { g.Role = "" },
		"no attempt":   func(g *Grant) { g.Attempt = "" },
		"two lines":    func(g *Grant) { g.Attempt = "a\nb" },
		"no suite":     func(g *Grant) { g.Suite = "" },
		"long suite":   func(g *Grant) { g.Suite = strings.Repeat("s", 2000) },
		"relative":     func(g *Grant) { g.Addr = "broker" },
		"no address":   func(g *Grant) { g.Addr = "" },
		"long address": func(g *Grant) { g.Addr = "/" + strings.Repeat("a", 100) },
		"fp":           func(g *Grant) { g.FP = "sha256:1" },
		"no fp":        func(g *Grant) { g.FP = "" },
		"plan":         func(g *Grant) { g.Plan = g.Plan[7:] },
		"other tasks":  func(g *Grant) { g.Tasks = g.Tasks[1:] },
	} {
		g := good()
		change(&g)
		data, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeGrant(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := decodeGrant([]byte(`{"v":1,"more":1}`)); err == nil {
		t.Error("an unknown key: no error")
	}
}

// Whatever stands in the file, there is a grant that can be used, or an error.
func FuzzGrant(f *testing.F) {
	data, err := json.Marshal(good())
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(data), "", "{}", "null", "[]", `{"v":1}`, string(data[:len(data)-1]), string(data) + "x", `{"v":1e9}`, `{"tasks":[null]}`} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := decodeGrant(data)
		path := filepath.Join(dir, "grant")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err2 := ReadGrant(path); (err == nil) != (err2 == nil) {
			t.Errorf("decoding says %v, reading says %v", err, err2)
		} else if err2 != nil {
			refusedAs(t, err2, "S03")
		}
		if err != nil {
			return
		}
		again, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeGrant(again); err != nil || back.String() != g.String() || back.Nonce != g.Nonce {
			t.Errorf("%v became %v, %v", g, back, err)
		}
		if NonceSHA256(g.Nonce) == "" || !g.Role.Valid() || len(g.Addr) >= maxAddr {
			t.Errorf("accepted %v", g)
		}
	})
}

func TestFingerprint(t *testing.T) {
	tasks := []Task{{"b", "sha256:2", 1}, {"a", "sha256:1", 3}}
	// SHA-256 of "capeval-testsplit-v1\na\x00sha256:1\nb\x00sha256:2\n", by sha256sum.
	const want = "sha256:faa4f1c010aee40c55222f6d327dfb8374fe35c75c29303ea9cc52144fb075db"
	check := func(name string, tasks []Task, same bool) {
		t.Helper()
		if got := Fingerprint(tasks); (got == want) != same {
			t.Errorf("%s: found %s", name, got)
		}
	}
	check("as it is", tasks, true)
	check("another order", []Task{tasks[1], tasks[0]}, true)
	check("other trials", []Task{{"a", "sha256:1", 9}, tasks[0]}, true)
	check("other content", []Task{{"a", "sha256:3", 3}, tasks[0]}, false)
	check("another id", []Task{{"c", "sha256:1", 3}, tasks[0]}, false)
	check("one less", tasks[:1], false)
	check("one more", append(slices.Clone(tasks), Task{"c", "", 1}), false)
	// A coarse digest is that of a file: a comment in it is no other task.
	if Fingerprint([]Task{{"a", "coarse:sha256:1", 1}}) != Fingerprint([]Task{{"a", "coarse:sha256:2", 1}}) {
		t.Error("a coarse digest changes the fingerprint")
	}
}

func TestPlanDigest(t *testing.T) {
	p := plan(3, 2)
	same := func(q Plan) bool { return p.Digest() == q.Digest() }
	q := plan(3, 2)
	slices.Reverse(q.Tasks)
	if !same(q) {
		t.Error("the order of tasks changes the plan")
	}
	for name, q := range map[string]Plan{
		"seed": {p.Suite, 8, "", p.Tasks}, "suite": {"x", 7, "", p.Tasks}, "scorer": {p.Suite, 7, "sha256:1", p.Tasks}, "trials": plan(3, 3), "tasks": plan(2, 2), "none": {}, "a file": {p.Suite, 7, "", append(plan(2, 2).Tasks, Task{"task-02", "coarse:sha256:1", 2})},
	} {
		if same(q) {
			t.Errorf("%s does not change the plan", name)
		}
	}
	if got := len(p.Slots(Baseline)); got != 6 {
		t.Errorf("%d slots, want 3 tasks with 2 trials", got)
	}
}

// A difference is named exactly where there is one, and both digests follow it.
func TestDifference(t *testing.T) {
	task := rapid.Custom(func(t *rapid.T) Task {
		return Task{rapid.StringMatching(`[a-d]`).Draw(t, "id"), rapid.StringMatching(`(coarse:)?[12]`).Draw(t, "digest"), rapid.IntRange(1, 2).Draw(t, "trials")}
	})
	list := rapid.Custom(func(t *rapid.T) []Task {
		return rapid.SliceOfNDistinct(task, 0, 4, func(t Task) string { return t.ID }).Draw(t, "tasks")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := list.Draw(t, "a"), list.Draw(t, "b")
		same := (Plan{Tasks: a}).Digest() == (Plan{Tasks: b}).Digest()
		if d := Difference(a, b); (d == "") != same {
			t.Fatalf("%v and %v: difference %q, same %v", a, b, d, same)
		}
		if same && Fingerprint(a) != Fingerprint(b) {
			t.Fatalf("%v and %v are one plan and two splits", a, b)
		}
	})
	if got := Difference([]Task{{"a", "1", 1}, {"c", "1", 1}}, []Task{{"b", "1", 1}, {"a", "2", 1}}); got != `task "a" has another content` {
		t.Errorf("found %s, want the first by id", got)
	}
}

func TestChildEnv(t *testing.T) {
	in := []string{
		"PATH=/bin", "GITHUB_TOKEN=x", "GH_TOKEN=x", "CAPEVAL_LEDGER_TOKEN=x", "ACTIONS_ID_TOKEN_REQUEST_URL=x", "ACTIONS_ID_TOKEN_REQUEST_TOKEN=x",
		"ACTIONS_RUNTIME_TOKEN=x", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.extraheader", "GIT_CONFIG_VALUE_0=x", "GIT_CONFIG_PARAMETERS=x", "GIT_CONFIG_GLOBAL=x",
		"GH_ENTERPRISE_TOKEN=x", "CI_JOB_TOKEN=x", "CI_REPOSITORY_URL=https://ci:x@host/r", "CAPEVAL_SEAL_GRANT=/old", "CAPEVAL_TRIALS=5",
		"GITHUB_TOKENS=kept", "GIT_AUTHOR_NAME=kept", "MY_GITHUB_TOKEN=kept", "OPENAI_API_KEY=kept", "CI=true", "GITHUB_TOKEN",
	}
	before := slices.Clone(in)
	got := ChildEnv(in, "/private/grant")
	want := []string{"PATH=/bin", "CAPEVAL_TRIALS=5", "GITHUB_TOKENS=kept", "GIT_AUTHOR_NAME=kept", "MY_GITHUB_TOKEN=kept", "OPENAI_API_KEY=kept", "CI=true", "CAPEVAL_SEAL_GRANT=/private/grant"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if !slices.Equal(in, before) {
		t.Error("the environment given was changed")
	}
	if got := ChildEnv([]string{"CAPEVAL_SEAL_GRANT=/old"}, ""); len(got) != 0 {
		t.Errorf("found %q, want no grant", got)
	}
}
