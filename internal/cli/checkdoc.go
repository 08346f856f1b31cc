package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const checkSchema = "capeval.check/v1"

// The weights of a finding.
const (
	levelProblem = "problem"
	levelWarning = "warning"
)

// checkDoc is what --format json prints.
type checkDoc struct {
	Schema   string         `json:"schema"`
	State    string         `json:"state"` // ready, warnings or problems
	Code     int            `json:"code"`  // the exit code
	Root     string         `json:"root"`  // what the configuration's paths start from
	Settings []checkSetting `json:"settings"`
	Checks   []checkRow     `json:"checks"`
	Suites   []checkSuite   `json:"suites"`
	Surface  checkSurface   `json:"surface"`
	Findings []checkFinding `json:"findings"`
}

// checkSetting is what one setting is, and who says so.
type checkSetting struct {
	Key    string `json:"key"`   // as in the file, such as run.trials
	Value  string `json:"value"` // "-" where there is none
	Origin string `json:"origin"`
}

// checkRow is one part of the check.
type checkRow struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, warning, problem, or skipped where it was not looked at
	Text  string `json:"text"`
}

// checkSuite is a suite and how many tasks it declares. A number is null where
// the suite did not say.
type checkSuite struct {
	Suite   string `json:"suite"` // "" where all tasks are sealed: such a suite does not tell
	Package string `json:"package"`
	Train   *int   `json:"train"`
	Val     *int   `json:"val"`
	Test    *int   `json:"test"`
	// TestKnown counts the test tasks whose ids and contents are known: those of
	// files. The others were counted and compared by the suite alone.
	TestKnown int `json:"test_known"`
}

// checkSurface describes the protected files as they lie in the checkout.
type checkSurface struct {
	Globs  []string `json:"globs"`
	Files  int      `json:"files"`
	Digest string   `json:"digest"`
}

// checkFinding is one thing that is not as it should be.
type checkFinding struct {
	Check  string `json:"check"` // the name of the part
	Level  string `json:"level"`
	Code   string `json:"code"`
	File   string `json:"file"` // relative to the working directory; "" where there is none
	Line   int    `json:"line"` // from 1; 0 where there is none
	Column int    `json:"column"`
	Found  string `json:"found"`
	Need   string `json:"need"` // "" where found says it
	Hint   string `json:"hint"` // a change that would do, "" when none is known

	exit int // of a problem
}

// place is where the finding is, "" when it is nowhere.
func (f checkFinding) place() string {
	switch {
	case f.File == "" || f.Line == 0:
		return f.File
	case f.Column == 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
}

// find notes a finding, once.
func (c *checking) find(f checkFinding) {
	if !slices.Contains(c.findings, f) {
		c.findings = append(c.findings, f)
	}
}

// row notes that a part was looked at. Its state comes from its findings.
func (c *checking) row(name, text string) { c.rows = append(c.rows, checkRow{Name: name, Text: text}) }

// skip notes that a part was not looked at, and why.
func (c *checking) skip(name, why string) {
	c.rows = append(c.rows, checkRow{Name: name, State: "skipped", Text: why})
}

// document is all that was seen, problems first within each part.
func (c *checking) document() checkDoc {
	d := checkDoc{Schema: checkSchema, State: "ready", Root: c.cfg.Root, Settings: []checkSetting{}, Checks: c.rows,
		Suites: []checkSuite{}, Surface: c.surface, Findings: append([]checkFinding{}, c.findings...)}
	for _, s := range c.cfg.Settings() {
		d.Settings = append(d.Settings, checkSetting(s))
	}
	order := map[string]int{}
	for i := range d.Checks {
		r := &d.Checks[i]
		order[r.Name] = i
		r.State = cmp.Or(r.State, "ok")
		for _, f := range c.findings {
			if f.Check == r.Name && r.State != levelProblem {
				r.State = f.Level
			}
		}
	}
	slices.SortStableFunc(d.Findings, func(a, b checkFinding) int {
		return cmp.Or(order[a.Check]-order[b.Check], cmp.Compare(a.Level, b.Level))
	})
	for _, f := range d.Findings {
		switch {
		case f.Level == levelProblem:
			d.State = "problems"
			d.Code = worst(d.Code, f.exit)
		case d.State == "ready":
			d.State = "warnings"
		}
	}
	for _, s := range c.suites {
		d.Suites = append(d.Suites, s.summary())
	}
	return d
}

// errorLines lists the errors in a joined one, a line each.
func errorLines(err error) []string {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		var out []string
		for _, e := range many.Unwrap() {
			out = append(out, errorLines(e)...)
		}
		return out
	}
	return []string{strings.TrimSpace(err.Error())}
}

// below is path, which may be relative, seen from root.
func below(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

// seen is how a reader in the working directory opens path, slash-separated.
func seen(path string) string {
	wd, err := os.Getwd()
	if err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}
