package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/internal/surface"
	"github.com/capeval/capeval/internal/workflow"
)

// The oldest git that the ledger works with: 2.31 takes configuration from the
// environment, and 2.34 is the oldest that is tried.
const gitMajor, gitMinor = 2, 34

// tools looks for git, Go and Ginkgo.
func (c *checking) tools(ctx context.Context) {
	c.git(ctx)
	c.golang(ctx)
}

func (c *checking) git(ctx context.Context) {
	const name = "git"
	missing := func(code, found string) {
		c.row(name, found)
		c.find(checkFinding{Check: name, Level: levelProblem, Code: code, Found: found, Need: fmt.Sprintf("git %d.%d or newer in PATH: the ledger and the protected files are read by it", gitMajor, gitMinor), exit: exitInfra})
	}
	out, err := tool(ctx, c.cfg.Root, "git", "--version")
	if err != nil {
		missing("git_missing", "no git that runs: "+err.Error())
		return
	}
	major, minor, ok := gitVersion(out)
	if !ok || major < gitMajor || major == gitMajor && minor < gitMinor {
		missing("git_old", fmt.Sprintf("%q", strings.TrimSpace(out)))
		return
	}
	text := strings.TrimPrefix(strings.TrimSpace(out), "git version ")
	top, prefix, err := surface.Locate(ctx, c.cfg.Root)
	if err != nil {
		c.row(name, text+", and no repository")
		c.find(checkFinding{Check: name, Level: levelWarning, Code: "no_repository", Found: "no repository around " + here(c.cfg.Root) + " (" + err.Error() + ")", Need: "`git init`: runs name their commit, and a gate compares two"})
		return
	}
	c.top, c.prefix, c.hasGit = top, prefix, true
	if mine, ok := strings.CutSuffix(c.cfg.Root, filepath.FromSlash("/"+prefix)); ok && prefix != "" {
		c.top = mine // as the user calls it: git resolves links
	} else if prefix == "" {
		c.top = c.cfg.Root
	}
	c.row(name, text)
}

var gitNumbers = regexp.MustCompile(`^git version (\d+)\.(\d+)`)

func gitVersion(text string) (major, minor int, ok bool) {
	m := gitNumbers.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(m[1])
	minor, err2 := strconv.Atoi(m[2])
	return major, minor, err1 == nil && err2 == nil
}

func (c *checking) golang(ctx context.Context) {
	if !moduleAround(".") {
		c.skip("go", "not needed: there is no module here")
		return
	}
	version, err := tool(ctx, ".", "go", "env", "GOVERSION")
	if err != nil {
		c.row("go", "no go that runs")
		c.find(checkFinding{Check: "go", Level: levelProblem, Code: "go_missing", Found: "no go that runs: " + err.Error(), Need: "Go in PATH: suites are built by it", exit: exitInfra})
		return
	}
	c.hasGo = true
	c.row("go", strings.TrimSpace(version))
	ginkgo, err := tool(ctx, ".", "go", "list", "-m", "-f", "{{.Version}}", "github.com/onsi/ginkgo/v2")
	if err != nil {
		c.skip("ginkgo", "not required by the module")
		c.find(checkFinding{Check: "ginkgo", Level: levelWarning, Code: "ginkgo_missing", Found: "the module does not require Ginkgo: " + err.Error(), Need: "`go get github.com/onsi/ginkgo/v2@v" + types.VERSION + "`, unless there is no suite in Go"})
		return
	}
	c.row("ginkgo", strings.TrimSpace(ginkgo))
}

// moduleAround reports whether dir or a folder above holds a go.mod or a go.work.
func moduleAround(dir string) bool {
	at, err := filepath.Abs(dir)
	for err == nil {
		for _, name := range []string{"go.mod", "go.work"} {
			if _, err := os.Stat(filepath.Join(at, name)); err == nil {
				return true
			}
		}
		if at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return false
}

// tool runs a program in dir and returns what it printed.
func tool(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %s (%s)", name, strings.TrimSpace(string(exit.Stderr)), exit)
	}
	return string(out), err
}

// workflows holds the repository's workflows to the policy.
func (c *checking) workflows() error {
	findings, err := workflow.Check(c.top)
	if err != nil {
		return err
	}
	files := 0
	for _, pattern := range []string{"*.yml", "*.yaml"} {
		found, err := filepath.Glob(filepath.Join(c.top, ".github", "workflows", pattern))
		if err != nil {
			return err
		}
		files += len(found)
	}
	text := "none"
	if files > 0 {
		text = counted(files, "file")
	}
	c.row("workflows", text)
	for _, f := range findings {
		out := checkFinding{Check: "workflows", Level: levelWarning, Code: f.Code, File: seen(filepath.Join(c.top, filepath.FromSlash(f.File))), Line: f.Line, Column: f.Column,
			Found: f.Found, Need: f.Need, Hint: f.Hint}
		if f.Level == workflow.Problem {
			out.Level, out.exit = levelProblem, exitUsage
		}
		c.find(out)
	}
	return nil
}
