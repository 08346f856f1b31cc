package capeval_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestStatisticsGuide runs every worked example of the page: its named JSON
// blocks are files, its console blocks are typed beside them, and what they show
// is what is printed. In a shown output a line of three dots stands for any
// lines, three dots within a line for any text; spaces around a line do not
// count. A command says its exit code where that is not 0.
func TestStatisticsGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("the short form builds no command")
	}
	const page = "docs/guide/statistics.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	command(t, ".", nil, "go", "build", "-o", filepath.Join(bin, "capeval-ci"), "./cmd/capeval-ci")
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GITHUB_OUTPUT=")
	files, ran := 0, 0
	for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
		switch language, name, body := m[1], m[2], m[3]; language {
		case "json":
			if name == "" {
				t.Errorf("a JSON block has no file name:\n%s", body)
				continue
			}
			write(t, filepath.Join(dir, name), body)
			files++
		case "console":
			for _, e := range examples(body) {
				e.check(t, dir, env)
				ran++
			}
		}
	}
	if files < 5 || ran < 10 {
		t.Errorf("%s holds %d files and %d commands: were its blocks read?", page, files, ran)
	}
}

// fenced finds fenced blocks: language, name, body.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```")

// example is one command with what the page shows of its output.
type example struct {
	line  string
	code  int
	shown []string
}

var exitCode = regexp.MustCompile(` +# exit code (\d+)$`)

func examples(block string) []example {
	var out []example
	for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			e := example{line: typed}
			if m := exitCode.FindStringSubmatch(typed); m != nil {
				e.code, _ = strconv.Atoi(m[1])
			}
			out = append(out, e)
		} else if len(out) > 0 {
			out[len(out)-1].shown = append(out[len(out)-1].shown, line)
		}
	}
	return out
}

func (e example) check(t *testing.T, dir string, env []string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", e.line)
	cmd.Dir, cmd.Env = dir, env
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != e.code {
		t.Errorf("$ %s\nexit code %d, the page says %d\n%s%s", e.line, got, e.code, &out, &messages)
	}
	if !e.pattern().MatchString(trimmed(out.String())) {
		t.Errorf("$ %s\nthe page shows\n%s\nand it printed\n%s%s", e.line, strings.Join(e.shown, "\n"), &out, &messages)
	}
}

// pattern matches the whole output that the page shows.
func (e example) pattern() *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for _, line := range e.shown {
		line = strings.TrimSpace(line)
		if line == "..." {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), regexp.QuoteMeta("..."), ".*") + `\n`)
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

func trimmed(text string) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n") + "\n"
}
