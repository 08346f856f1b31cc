package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// What init takes from a module's path and a folder.
func TestStarterNames(t *testing.T) {
	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: found %q, want %q", what, got, want)
		}
	}
	check("a module", lastWord("example.org/shop"), "shop")
	check("a major version", lastWord("example.org/shop/v2"), "shop")
	check("a module that is called like one", lastWord("v2"), "v2")
	check("a single word", lastWord("shop"), "shop")
	check("a package", packageName("internal/evals-2"), "evals2")
	check("capitals", packageName("Evals"), "evals")
	check("a digit first", packageName("2024"), "evals2024")
	check("no letter", packageName("a/--"), "evals")
	for dir, want := range map[string]string{"evals": "stubagent", "internal/evals": "internal/stubagent", "a/b/c": "a/b/stubagent"} {
		check("the stub beside "+dir, (&starter{Dir: dir}).stubDir(), want)
	}
	for dir, ok := range map[string]bool{
		"evals": true, "./evals/": true, "a/b-c/d.e": true, "internal": true,
		"": false, ".": false, "/": false, "/evals": false, "..": false, "a/../b": false, "a//b": false, "_x": false, ".x": false, "-x": false,
		"testdata": false, "a/vendor/b": false, "stubagent": false, "a b": false, "é": false, "$(x)": false,
	} {
		err := initFlags{forge: "none", dir: dir}.check()
		if (err == nil) != ok || err != nil && codeOf(err) != exitUsage {
			t.Errorf("--dir %q: %v", dir, err)
		}
	}
}

// A write that fails takes back what was written before it, and nothing else.
func TestWriteAllOrNone(t *testing.T) {
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	if err := os.MkdirAll(at("old"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{at("old", "theirs"), at("file")} {
		if err := os.WriteFile(path, []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	made := []starterFile{
		{path: at("old", "new"), data: []byte("x"), state: fileWrote},
		{path: at("a", "b", "new"), data: []byte("x"), state: fileWrote},
		{path: at("old", "theirs"), data: []byte("x"), state: fileKept},
	}
	for _, bad := range []string{at("file", "below"), at("old", "theirs")} { // a file for a folder; one that came meanwhile
		if err := writeAll(append(made[:3:3], starterFile{path: bad, data: []byte("x"), state: fileWrote})); err == nil {
			t.Errorf("%s was written", bad)
		}
		for _, path := range []string{at("old", "new"), at("a")} {
			if _, err := os.Lstat(path); err == nil {
				t.Errorf("%s stayed after a failure", path)
			}
		}
	}
	if err := writeAll(made); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{at("old", "new"): "x", at("a", "b", "new"): "x", at("old", "theirs"): "theirs", at("file"): "theirs"} {
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s: found %q (%v), want %q", path, data, err, want)
		}
	}
}
