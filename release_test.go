package capeval_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// releaser is the part of goreleaser's configuration that this project uses. A key
// that is not here is an error of the test, so that each is looked at.
type releaser struct {
	Version     int    `yaml:"version"`
	ProjectName string `yaml:"project_name"`
	Builds      []struct {
		ID           string   `yaml:"id"`
		Main         string   `yaml:"main"`
		Binary       string   `yaml:"binary"`
		Env          []string `yaml:"env"`
		Goos         []string `yaml:"goos"`
		Goarch       []string `yaml:"goarch"`
		Flags        []string `yaml:"flags"`
		Ldflags      []string `yaml:"ldflags"`
		ModTimestamp string   `yaml:"mod_timestamp"`
	} `yaml:"builds"`
	Archives []struct {
		ID              string   `yaml:"id"`
		Formats         []string `yaml:"formats"`
		FormatOverrides []struct {
			Goos    string   `yaml:"goos"`
			Formats []string `yaml:"formats"`
		} `yaml:"format_overrides"`
		NameTemplate string      `yaml:"name_template"`
		BuildsInfo   packedEntry `yaml:"builds_info"`
		Files        []struct {
			Src  string      `yaml:"src"`
			Info packedEntry `yaml:"info"`
		} `yaml:"files"`
	} `yaml:"archives"`
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
		Algorithm    string `yaml:"algorithm"`
	} `yaml:"checksum"`
	Changelog struct {
		Disable bool `yaml:"disable"`
	} `yaml:"changelog"`
	Release struct {
		Disable bool `yaml:"disable"`
	} `yaml:"release"`
}

// packedEntry is what an archive says about a file beside its bytes.
type packedEntry struct {
	Owner string `yaml:"owner"`
	Group string `yaml:"group"`
	Mode  int    `yaml:"mode"`
	Mtime string `yaml:"mtime"`
}

// readReleaser reads a configuration, and refuses keys that releaser has not.
func readReleaser(text string) (releaser, error) {
	var r releaser
	err := yaml.NewDecoder(strings.NewReader(text), yaml.Strict()).Decode(&r)
	return r, err
}

// TestReleaseConfiguration holds what is released to what the README promises:
// static binaries for six systems, and the same bytes from the same commit.
func TestReleaseConfiguration(t *testing.T) {
	text := read(t, ".goreleaser.yaml")
	r, err := readReleaser(text)
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != 2 || len(r.Builds) != 1 || len(r.Archives) != 1 {
		t.Fatalf("found version %d, %d builds, %d archives; need 2, 1, 1", r.Version, len(r.Builds), len(r.Archives))
	}
	b, a := r.Builds[0], r.Archives[0]
	if _, err := os.Stat(filepath.Join(b.Main, "main.go")); err != nil || b.Binary != "capeval-ci" {
		t.Errorf("builds %s from %s: %v", b.Binary, b.Main, err)
	}
	if !slices.Equal(b.Goos, []string{"linux", "darwin", "windows"}) || !slices.Equal(b.Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("found the systems %v x %v", b.Goos, b.Goarch)
	}
	if !slices.Contains(b.Env, "CGO_ENABLED=0") || !slices.Contains(b.Flags, "-trimpath") || b.ModTimestamp != "{{ .CommitTimestamp }}" {
		t.Errorf("a build that is not static or not reproducible: %v %v %q", b.Env, b.Flags, b.ModTimestamp)
	}
	entries := []packedEntry{a.BuildsInfo}
	for _, f := range a.Files {
		if _, err := os.Stat(f.Src); err != nil {
			t.Error(err)
		}
		entries = append(entries, f.Info)
	}
	for i, e := range entries {
		want := packedEntry{"root", "root", 0o644, "{{ .CommitDate }}"}
		if i == 0 {
			want.Mode = 0o755
		}
		if e != want {
			t.Errorf("archive entry %d: found %+v, need %+v: the archive's bytes depend on it", i, e, want)
		}
	}
	if r.Checksum.Algorithm != "sha256" || !r.Changelog.Disable || !r.Release.Disable {
		t.Errorf("checksum %q, changelog %v, release %v", r.Checksum.Algorithm, r.Changelog, r.Release)
	}
	for _, spoiled := range []string{strings.Replace(text, "mod_timestamp", "mod_time", 1), text + "\nbrews: []\n"} {
		if _, err := readReleaser(spoiled); err == nil {
			t.Error("a key that goreleaser does not know, or that nobody looked at, was taken")
		}
	}
}

// TestGoreleaserCheck asks goreleaser itself. It builds it, which takes minutes.
func TestGoreleaserCheck(t *testing.T) {
	if os.Getenv("CAPEVAL_LONG") == "" {
		t.Skip("set CAPEVAL_LONG=1 to build goreleaser and ask it")
	}
	// It asks for the origin of the repository, which a clone for tests may lack.
	dir := t.TempDir()
	command(t, dir, nil, "git", "init", "-q")
	command(t, dir, nil, "git", "remote", "add", "origin", "https://github.com/capeval/capeval")
	config, err := filepath.Abs(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	command(t, dir, []string{"GOBIN=" + bin, "GOFLAGS="}, "go", "install", "github.com/goreleaser/goreleaser/v2@v2.17.0")
	command(t, dir, nil, filepath.Join(bin, "goreleaser"), "check", config)
}

// forgeProbe stands where the release asks GitHub for the finalize run.
const forgeProbe = `#!/bin/sh
case "$1 $2" in
"run list") echo "$FINALIZE_RUN" ;;
"run download")
	for attempt in 1 2; do
		mkdir -p "score/capeval-final-42-a$attempt/support"
		echo "score of attempt $attempt" > "score/capeval-final-42-a$attempt/support/final.md"
		echo "{}" > "score/capeval-final-42-a$attempt/support/final.json"
	done ;;
*) exit 9 ;;
esac
`

// TestReleaseNotes makes the notes of a release with a score, and of one without.
func TestReleaseNotes(t *testing.T) {
	run := scriptOf(t, read(t, ".github/workflows/release.yml"), "build", "Write the notes")
	prepare := "mkdir dist\ntouch dist/capeval-ci_1.2.0_linux_amd64.tar.gz dist/checksums.txt dist/config.yaml\n" +
		"cat > bin/gh <<'END'\n" + forgeProbe + "END\nchmod +x bin/gh\n" +
		"cat > CHANGELOG.md <<'END'\n# Changelog\n\n## Unreleased\n\n- to come\n\n## 1.2.0 (2026-12-01)\n\n- new\n\n## 1.1.0\n\n- old\nEND\n"
	check := func(tag, finalize, want string, files ...string) {
		t.Helper()
		code, _, dir := script(t, prepare+run, "GITHUB_REF_NAME="+tag, "GITHUB_SHA=abc", "FINALIZE_RUN="+finalize)
		notes, err := os.ReadFile(filepath.Join(dir, "out", "notes.md"))
		if code != 0 || err != nil || strings.Join(strings.Fields(string(notes)), " ") != want {
			t.Errorf("%s: exit code %d (%v), notes %q, want %q", tag, code, err, notes, want)
		}
		entries, _ := os.ReadDir(filepath.Join(dir, "out"))
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if !slices.Equal(names, files) {
			t.Errorf("%s: releases %v, want %v", tag, names, files)
		}
	}
	check("v1.2.0", "42", "- new ## Held-out score score of attempt 2", "capeval-ci_1.2.0_linux_amd64.tar.gz", "checksums.txt", "notes.md", "support.final.json")
	check("v1.3.0", "", "- to come ## Held-out score None: no finalize run of this commit.", "capeval-ci_1.2.0_linux_amd64.tar.gz", "checksums.txt", "notes.md")
	if bytes.Contains([]byte(run), []byte("${{")) {
		t.Error("the notes are made with a value that is not in the environment")
	}
}
