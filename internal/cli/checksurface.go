package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/capeval/capeval/internal/surface"
)

// protected digests the protected files, and says which files of the suites are
// not among them.
func (c *checking) protected() error {
	const name = "surface"
	globs := c.cfg.Gate.Surface
	c.surface.Globs = append([]string{}, globs.V...)
	set, err := surface.New(c.prefix, globs.V)
	if err != nil {
		c.skip(name, "not read")
		c.find(checkFinding{Check: name, Level: levelProblem, Code: "surface", Found: fmt.Sprintf("gate.surface (%s): %v", globs.Origin, err), exit: exitUsage})
		return nil
	}
	files, err := set.Dir(c.top)
	if err != nil {
		return err
	}
	c.surface.Files, c.surface.Digest = len(files), files.Digest()
	c.row(name, fmt.Sprintf("%s, %s", counted(len(files), "file"), c.surface.Digest))
	if len(files) == 0 {
		c.find(checkFinding{Check: name, Level: levelWarning, Code: "empty_surface", Found: fmt.Sprintf("no file that gate.surface (%s) protects", globs.Origin), Need: "globs of the tasks, the scorers and the configuration"})
	}
	for _, glob := range globs.V {
		one, err := surface.New(c.prefix, []string{glob})
		if err != nil {
			return err
		}
		if globs.Set && !slices.ContainsFunc(files, func(e surface.Entry) bool { return one.Match(e.Path) }) {
			c.find(checkFinding{Check: name, Level: levelWarning, Code: "idle_glob", Found: fmt.Sprintf("the glob %q (%s), which no file matches", glob, globs.Origin), Need: "one that does, or none", Hint: fmt.Sprintf("-   surface: [.. %q ..]", glob)})
		}
	}
	for _, s := range c.suites {
		c.unprotected(set, s)
	}
	return nil
}

// unprotected notes the files that score a suite, or hold its tasks, and may
// change together with the agent.
func (c *checking) unprotected(set surface.Set, s *declared) {
	tests, err := filepath.Glob(filepath.Join(s.pkg.Dir, "*_test.go"))
	if err != nil {
		return
	}
	for _, f := range s.files {
		tests = append(tests, below(s.pkg.Dir, f.path))
	}
	var open []string
	for _, file := range tests {
		rel, err := filepath.Rel(c.top, file)
		if err == nil && filepath.IsLocal(rel) && !set.Match(filepath.ToSlash(rel)) {
			open = append(open, seen(file))
		}
	}
	if len(open) == 0 {
		return
	}
	slices.Sort(open)
	glob := "**"
	if rel, err := filepath.Rel(c.cfg.Root, s.pkg.Dir); err == nil && rel != "." {
		glob = path.Join(filepath.ToSlash(rel), "**")
	} else if err == nil {
		glob = "*_test.go"
	}
	c.find(checkFinding{Check: "surface", Level: levelWarning, Code: "unprotected_suite", File: open[0], Found: "files of a suite that gate.surface does not protect: " + strings.Join(open, ", "),
		Need: "a glob for them: a pull request that changes them together with the agent is not data", Hint: fmt.Sprintf("  gate:\n+   surface: [%q, \"capeval.yaml\", \".github/workflows/capeval-*.yml\"]", glob)})
}
