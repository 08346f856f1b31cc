package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/internal/surface"
)

// leastID is how long the id of a test task is at least that is searched for:
// shorter ones are words that stand anywhere.
const leastID = 6

// maxLeaks is how many places are named for each kind.
const maxLeaks = 20

// leaks searches the tracked files outside the evals for ids of test tasks and
// for canaries.
func (c *checking) leaks(ctx context.Context) error {
	const name = "leaks"
	if !c.hasGit {
		c.skip(name, "not looked at: that needs git and a repository")
		return nil
	}
	inside, err := c.insideEvals()
	if err != nil {
		return nil // of the globs, which the surface spoke of
	}
	marks, err := grep(ctx, c.top, "", "-E", "-e", `capeval-canary-[0-9A-Za-z_-]+`)
	if err != nil {
		return err
	}
	canaries := map[string]bool{}
	for _, m := range marks {
		if inside(m.file) {
			canaries[m.text] = true
		}
	}
	hits := slices.DeleteFunc(marks, func(m mark) bool { return inside(m.file) || !canaries[m.text] })
	c.leaked(hits, levelProblem, "canary_outside", "the canary", "it only in the evals: whatever holds it, an agent's prompt or its data, has seen them")

	ids, short := c.testIDs()
	if len(ids) > 0 {
		marks, err := grep(ctx, c.top, strings.Join(ids, "\n"), "-F", "-w", "-f", "-")
		if err != nil {
			return err
		}
		hits := slices.DeleteFunc(marks, func(m mark) bool { return inside(m.file) })
		c.leaked(hits, levelWarning, "test_id_outside", "the id of a test task,", "it only in the evals, unless it is a word of its own")
	}
	canary := "canaries"
	if len(canaries) == 1 {
		canary = "canary"
	}
	text := fmt.Sprintf("%s of test tasks and %d %s searched for", counted(len(ids), "id"), len(canaries), canary)
	if short > 0 {
		text += fmt.Sprintf("; %s shorter than %d characters or of several lines left out", counted(short, "id"), leastID)
	}
	c.row(name, text)
	return nil
}

// insideEvals reports, of a path below the top, whether it belongs to the evals:
// the protected files, and all below the package of a suite.
func (c *checking) insideEvals() (func(string) bool, error) {
	set, err := surface.New(c.prefix, c.cfg.Gate.Surface.V)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, s := range c.suites {
		if rel, err := filepath.Rel(c.top, s.pkg.Dir); err == nil && rel != "." && filepath.IsLocal(rel) {
			folders = append(folders, filepath.ToSlash(rel)+"/")
		}
	}
	return func(file string) bool {
		return set.Match(file) || slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(file, dir) })
	}, nil
}

// testIDs returns the ids to search for, sorted, and how many were left out.
func (c *checking) testIDs() (ids []string, short int) {
	for _, s := range c.suites {
		for _, f := range s.files {
			for _, r := range f.test {
				if len(r.id) < leastID || strings.ContainsAny(r.id, "\n\r\x00") {
					short++
				} else {
					ids = append(ids, r.id)
				}
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), short
}

func (c *checking) leaked(hits []mark, level, code, what, need string) {
	exit := exitOK
	if level == levelProblem {
		exit = exitIntegrity
	}
	for i, m := range hits {
		f := checkFinding{Check: "leaks", Level: level, Code: code, File: seen(filepath.Join(c.top, filepath.FromSlash(m.file))), Line: m.line,
			Found: fmt.Sprintf("%s %q outside the evals", what, m.text), Need: need, exit: exit}
		if i == maxLeaks {
			f.File, f.Line, f.Found = "", 0, fmt.Sprintf("%d more places", len(hits)-maxLeaks)
			c.find(f)
			return
		}
		c.find(f)
	}
}

// mark is a place where something was found.
type mark struct {
	file string // below the top
	line int
	text string
}

// grep searches the tracked files, as they lie in the checkout, that are no
// binaries.
func grep(ctx context.Context, top, patterns string, args ...string) ([]mark, error) {
	all := append([]string{"grep", "-I", "-n", "-o", "-z", "--no-color", "--full-name"}, args...)
	cmd := exec.CommandContext(ctx, "git", append(all, "--", ":/")...)
	cmd.Dir = top
	cmd.Stdin = strings.NewReader(patterns)
	var out, say bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &say
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && say.Len() == 0 {
		return nil, nil // nothing was found
	}
	if err != nil {
		return nil, fmt.Errorf("git grep: %w: %s", err, strings.TrimSpace(say.String()))
	}
	var marks []mark
	for rest := out.String(); rest != ""; {
		file, after, ok1 := strings.Cut(rest, "\x00")
		number, after, ok2 := strings.Cut(after, "\x00")
		text, after, _ := strings.Cut(after, "\n")
		line, err := strconv.Atoi(number)
		if !ok1 || !ok2 || err != nil {
			return nil, fmt.Errorf("git grep: found %.80q, need file, line and text", rest)
		}
		marks = append(marks, mark{file, line, text})
		rest = after
	}
	return marks, nil
}
