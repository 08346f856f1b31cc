package workflow

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
)

// folder is where a forge looks for workflows.
const folder = ".github/workflows"

// maxFile is more than a workflow needs, and little enough to parse.
const maxFile = 1 << 20

// Check reads the workflows below root, the top folder of a repository, and
// returns what speaks against them, sorted by place. A repository without
// workflows has no findings. An error is one of reading.
func Check(root string) ([]Finding, error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
	if errors.Is(err, fs.ErrNotExist) {
		return []Finding{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("workflows: %w", err)
	}
	p := &policy{root: root}
	for _, e := range entries {
		if ext := path.Ext(e.Name()); ext != ".yml" && ext != ".yaml" {
			continue
		}
		if err := p.load(path.Join(folder, e.Name())); err != nil {
			return nil, fmt.Errorf("workflows: %w", err)
		}
	}
	p.apply()
	return sorted(p.findings), nil
}

// policy holds the workflows while the rules look at them.
type policy struct {
	root     string
	files    []*file
	findings []Finding
}

// file is one workflow.
type file struct {
	name  string // relative to the root
	flow  *actionlint.Workflow
	jobs  []*job // in the order of the file
	calls bool   // some job calls capeval-ci
	lint  []*actionlint.Error
	lines []string
}

// load reads and parses one workflow.
func (p *policy) load(name string) error {
	full := filepath.Join(p.root, filepath.FromSlash(name))
	info, err := os.Stat(full)
	if err != nil {
		return err
	}
	f := &file{name: name, flow: &actionlint.Workflow{}}
	p.files = append(p.files, f)
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		p.say(f, &actionlint.Pos{Line: 1, Col: 1}, Problem, "unreadable", fmt.Sprintf("%s of %d bytes", info.Mode().Type(), info.Size()),
			fmt.Sprintf("a file of at most %d bytes", maxFile), "")
		return nil
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	f.lines = strings.Split(string(data), "\n")
	if err := p.parse(f, full, data); err != nil {
		p.say(f, &actionlint.Pos{Line: 1, Col: 1}, Problem, "unreadable", "a file that cannot be parsed: "+err.Error(), "a workflow", "")
		return nil
	}
	for id, j := range f.flow.Jobs {
		if j != nil {
			f.jobs = append(f.jobs, p.jobOf(f, id, j))
		}
	}
	slices.SortFunc(f.jobs, func(a, b *job) int {
		if a.at.Line != b.at.Line {
			return a.at.Line - b.at.Line
		}
		return strings.Compare(a.id, b.id)
	})
	for _, j := range f.jobs {
		f.calls = f.calls || len(j.commands) > 0
	}
	if len(f.jobs) == 0 { // perhaps because of a mistake
		f.calls = strings.Contains(string(data), command)
	}
	return nil
}

// parse fills in the tree and what actionlint says. A panic of the parser is an
// error: it speaks of the file.
func (p *policy) parse(f *file, full string, data []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			f.flow = &actionlint.Workflow{}
			err = fmt.Errorf("the parser failed: %v", v)
		}
	}()
	if flow, _ := actionlint.Parse(data); flow != nil {
		f.flow = flow
	}
	l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: p.root})
	if err != nil {
		return err
	}
	project, err := actionlint.NewProject(p.root)
	if err != nil {
		return err
	}
	f.lint, err = l.Lint(full, data, project)
	return err
}

// say adds a finding at a place of f.
func (p *policy) say(f *file, at *actionlint.Pos, level, code, found, need, hint string) {
	if at == nil {
		at = &actionlint.Pos{Line: 1, Col: 1}
	}
	p.findings = append(p.findings, Finding{File: f.name, Line: at.Line, Column: at.Col, Level: level, Code: code, Found: found, Need: need, Hint: hint})
}

// within returns where texts stand together on one line of the script that begins
// at at, which for a block of several lines is below it; comments are passed
// over. Where they do not, it is at.
func (f *file) within(at *actionlint.Pos, texts ...string) *actionlint.Pos {
	if at == nil || at.Line < 1 || at.Line > len(f.lines) {
		return at
	}
	first := f.lines[at.Line-1]
	for n := at.Line; n <= len(f.lines); n++ {
		line := f.lines[n-1]
		if n > at.Line && strings.TrimSpace(line) != "" && indent(line) <= indent(first) {
			break
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") || slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
			continue
		}
		return &actionlint.Pos{Line: n, Col: strings.Index(line, texts[0]) + 1}
	}
	return at
}

// indent is how far a line stands in, a list's dash included.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " -")) }
