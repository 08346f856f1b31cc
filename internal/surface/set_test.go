package surface

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func set(t testing.TB, prefix string, globs ...string) Set {
	t.Helper()
	s, err := New(prefix, globs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMatch(t *testing.T) {
	check := func(glob, p string, want bool) {
		t.Helper()
		if got := set(t, "", glob).Match(p); got != want {
			t.Errorf("%q on %q: got %v, want %v", glob, p, got, want)
		}
	}
	check("evals/**", "evals/a.jsonl", true)
	check("evals/**", "evals/deep/down/a.jsonl", true)
	check("evals/**", "evals", true) // a link in place of the folder
	check("evals/", "evals/a/b", true)
	check("evals/**", "evals2/a", false)
	check("evals/**", "other/evals/a", false)
	check("evals/*", "evals/a", true)
	check("evals/*", "evals/a/b", false) // a star stays within one part
	check("**/testdata/**", "testdata/x", true)
	check("**/testdata/**", "a/b/testdata/c/x", true)
	check("**/testdata/**", "a/testdatas/x", false)
	check("**/*_test.go", "a_test.go", true) // ** stands for no folder too
	check("a/**/z", "a/z", true)
	check("a/**/z", "a/b/c/z", true)
	check("a/**/m/**/z", "a/m/x/m/y/z", true)
	check("a/**/m/**/z", "a/x/z", false)
	check(".github/workflows/capeval-*.yml", ".github/workflows/capeval-gate.yml", true)
	check(".github/workflows/capeval-*.yml", ".github/workflows/ci.yml", false)
	check("capeval.yaml", "capeval.yaml", true)
	check("capeval.yaml", "sub/capeval.yaml", false)
	check("capeval.yaml", "Capeval.YAML", true) // the same file on some file systems
	check("Evals/**", "evals/a", true)
	check("[a-c]x", "bx", true)
	check("[A-C]x", "bx", true)
	check("a**b", "axxb", true) // inside a part it is a star
	check("a**b", "ax/xb", false)
	check("evals/?", "evals/\xff", true) // a name that is no UTF-8
	check("evals/**", "evals/\xff\xfe", true)
	check("evals/\xff", "evals/\xfe", false) // different bytes, different names
	check(`a\*b`, "a*b", true)
	check(`a\*b`, "axb", false)
}

func TestPrefix(t *testing.T) {
	s := set(t, "agents/support", "evals/**", "capeval.yaml", ".github/workflows/capeval-*.yml")
	for p, want := range map[string]bool{
		"agents/support/evals/a":             true,
		"agents/support/capeval.yaml":        true,
		"agents/supporter/capeval.yaml":      false,
		"agents/other/evals/a":               false,
		"evals/a":                            false, // another project's
		"capeval.yaml":                       false,
		".github/workflows/capeval-gate.yml": true, // forges look at the top
		"agents/support/.github/workflows/capeval-finalize.yml": true,
		"Agents/Support/evals/a":                                true,
	} {
		if got := s.Match(p); got != want {
			t.Errorf("%s: got %v, want %v", p, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, glob := range []string{"", "/evals/**", "a//b", "../x", "a/./b", "[", "a/[z-"} {
		if _, err := New("", []string{glob}); err == nil || !strings.Contains(err.Error(), "found the glob") {
			t.Errorf("%q: %v, want an error that shows it", glob, err)
		}
	}
}

// FuzzMatch compares the matcher with a regular expression made from the glob,
// and holds below to it: a folder with a matching file below is never skipped.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"evals/**", "evals/a/b"}, {"**/a/**/b/**", "x/a/y/b/z"}, {"a*b?/[x-z]/**", "aQbQ/y/c"},
		{"**/**/*", "a"}, {"*/**", "a/b/c"}, {"**/x/**/x/**/x", "x/x/y/x"}, {`a\?/**`, "a?/b"}, {"É/**", "é/x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, glob, p string) {
		s, err := New("", []string{glob})
		if err != nil || len(glob) > 60 || len(p) > 60 || !validPath(p) {
			t.Skip()
		}
		got := s.Match(p)
		if re, ok := oracle(glob); ok && utf8.ValidString(p) && p == strings.ToLower(p) && glob == strings.ToLower(glob) && p == fold(p) && glob == fold(glob) {
			if want := re.MatchString("/" + p); got != want {
				t.Errorf("%q on %q: got %v, the expression %s says %v", glob, p, got, re, want)
			}
		}
		if !got {
			return
		}
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if !s.below(dir) {
				t.Errorf("%q matches %q, and the walk skips %q", glob, p, dir)
			}
		}
	})
}

func validPath(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsRune(part, 0) {
			return false
		}
	}
	return true
}

// oracle translates a glob without classes and escapes.
func oracle(glob string) (*regexp.Regexp, bool) {
	if strings.ContainsAny(glob, `[]\`) || !utf8.ValidString(glob) {
		return nil, false
	}
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	var b strings.Builder
	parts := strings.Split(glob, "/")
	for _, part := range parts {
		b.WriteByte('/')
		if part == "**" {
			text := b.String()
			b.Reset()
			b.WriteString(strings.TrimSuffix(text, "/") + "(/[^/]+)*")
			continue
		}
		for _, r := range part {
			switch r {
			case '*':
				b.WriteString("[^/]*")
			case '?':
				b.WriteString("[^/]")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	return regexp.MustCompile("(?s)^" + b.String() + "$"), true
}
