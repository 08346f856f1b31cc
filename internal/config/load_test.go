package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func env(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

// tree makes files below a new folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFindAndRoot(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":            "module outer",
		"capeval.yaml":      "version: 1",
		"evals/a/x":         "",
		"inner/go.mod":      "module inner",
		"inner/evals/x":     "",
		"both/go.mod":       "module both",
		"both/capeval.yaml": "version: 1",
		"both/sub/x":        "",
	})
	check := func(dir, wantRoot, wantFile string) {
		t.Helper()
		at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
		gotRoot, err := Root(at(dir))
		if err != nil || gotRoot != at(wantRoot) {
			t.Errorf("Root(%s) = %s, %v, want %s", dir, gotRoot, err, wantRoot)
		}
		if wantFile != "" {
			wantFile = at(wantFile)
		}
		if got, err := Find(at(dir)); err != nil || got != wantFile {
			t.Errorf("Find(%s) = %s, %v, want %s", dir, got, err, wantFile)
		}
	}
	check(".", ".", "capeval.yaml")
	check("evals/a", ".", "capeval.yaml")
	check("inner/evals", "inner", "") // the outer file rules another module
	check("both/sub", "both", "both/capeval.yaml")
	check("evals/not/there", ".", "capeval.yaml") // a folder need not exist yet

	alone := tree(t, map[string]string{"evals/x": ""})
	dir := filepath.Join(alone, "evals")
	if got, err := Root(dir); err != nil || got != dir {
		t.Errorf("without a module Root = %s, %v, want %s", got, err, dir)
	}
}

func TestLayers(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod":       "module m",
		"capeval.yaml": "version: 1\nrun:\n  trials: 5\n  workers: 3\n  arm: blue\nsuites:\n  big: {trials: 10}\n",
		"evals/x":      "",
	})
	c, err := Load(filepath.Join(root, "evals"), env("CAPEVAL_WORKERS", "8", "CAPEVAL_SHARD", "2/3", "CAPEVAL_SPLIT", "test", "CAPEVAL_ARM", ""))
	if err != nil {
		t.Fatal(err)
	}
	if c.Root != root || c.File != filepath.Join(root, "capeval.yaml") {
		t.Errorf("root %s, file %s", c.Root, c.File)
	}
	check := func(v Value[int], want int, origin string) {
		t.Helper()
		if v.V != want || v.Origin != origin || v.Set != (origin != "default") {
			t.Errorf("got %+v, want %d from %s", v, want, origin)
		}
	}
	small, big := c.ForSuite("small"), c.ForSuite("big")
	check(small.Trials, 5, "capeval.yaml:3:11")
	check(big.Trials, 10, "capeval.yaml:7:17") // of the suite, not of every run
	check(big.Trials.Code(4), 10, "capeval.yaml:7:17")
	check(big.Trials.Flag(2, "--trials"), 2, "--trials")
	check(big.Trials.Flag(2, "--trials").Code(4), 2, "--trials")
	check(big.Procs, 1, "default")
	check(big.Procs.Code(4), 4, "code")
	check(c.Run.Workers, 8, "CAPEVAL_WORKERS")
	check(c.Run.Workers.Code(2), 8, "CAPEVAL_WORKERS")
	if s := c.Run.Shard; s.V != (Shard{2, 3}) || s.V.String() != "2/3" || s.Origin != "CAPEVAL_SHARD" {
		t.Errorf("shard %+v", s)
	}
	if c.Run.Split.V != "test" { // the environment may ask; the library refuses
		t.Errorf("split %+v", c.Run.Split)
	}
	if a := c.Run.Arm; a.V != "blue" || a.Origin != "capeval.yaml:5:8" { // an empty variable is not set
		t.Errorf("arm %+v", a)
	}

	c, err = Load(root, env("CAPEVAL_TRIALS", "7"))
	if err != nil {
		t.Fatal(err)
	}
	check(c.ForSuite("big").Trials, 7, "CAPEVAL_TRIALS") // stronger than the file's word on the suite
	r := c.ForSuite("big")
	if err := r.Apply("timeout", "90s", LayerFlag, "--timeout"); err != nil || r.Timeout.V != 90*time.Second {
		t.Errorf("timeout %+v, %v", r.Timeout, err)
	}
}

func TestLoadErrors(t *testing.T) {
	root := tree(t, map[string]string{"capeval.yaml": "version: 1\nrun: {trials: 0}", "go.mod": "module m", "evals/x": ""})
	check := func(dir, want string, pairs ...string) {
		t.Helper()
		_, err := Load(filepath.Join(root, dir), env(pairs...))
		if err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	inFile := "capeval.yaml:2:15: found 0 for run.trials, need a whole number from 1 to 100000"
	check(".", inFile)
	check("evals", "../"+inFile) // as an editor opened there would find it
	// The mistakes of both come together.
	check(".", inFile+`
CAPEVAL_TRIALS: found "five", need a whole number from 1 to 100000`, "CAPEVAL_TRIALS", "five")

	if err := os.WriteFile(filepath.Join(root, "capeval.yaml"), []byte("version: 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(".", `CAPEVAL_SPLIT: found "dev", need train, val or test`, "CAPEVAL_SPLIT", "dev")
	check(".", `CAPEVAL_TRIALS: found "0", need a whole number from 1 to 100000`, "CAPEVAL_TRIALS", "0")
	check(".", `CAPEVAL_TRIALS: found "3.5", need a whole number from 1 to 100000`, "CAPEVAL_TRIALS", "3.5")
	check(".", `CAPEVAL_BASE_SEED: found "1e3", need a whole number from -9007199254640991 to 9007199254640991`, "CAPEVAL_BASE_SEED", "1e3")
	check(".", `CAPEVAL_RUN_DIR: found " ", need a path`, "CAPEVAL_RUN_DIR", " ")
	check(".", `CAPEVAL_WORKERS: found "-1", need a whole number from 1 to 10000`, "CAPEVAL_WORKERS", "-1")
	for _, bad := range []string{"0/3", "4/3", "1", "1/3/5", "a/b", "01/3", "1/0"} {
		check(".", `CAPEVAL_SHARD: found "`+bad+`", need i/n with 1 <= i <= n <= 10000, such as 2/8, or auto`, "CAPEVAL_SHARD", bad)
	}
	check(".", `CAPEVAL_ARM: found "a\nb", need the name of an arm, such as candidate`, "CAPEVAL_ARM", "a\nb")

	var r Run
	if err := r.Apply("trails", "3", LayerFlag, "--trails"); err == nil || !strings.Contains(err.Error(), "need one of arm, base_seed,") {
		t.Errorf("an unknown setting: %v", err)
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	root := tree(t, map[string]string{"capeval.yaml/x": "", "big/capeval.yaml": "version: 1\n#" + strings.Repeat("x", maxFile)})
	if _, err := Load(root, nil); err == nil || !strings.Contains(err.Error(), "need a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Load(filepath.Join(root, "big"), nil); err == nil || !strings.Contains(err.Error(), "need at most 65536") {
		t.Errorf("a large file: %v", err)
	}
}
