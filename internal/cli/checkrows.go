package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/internal/content"
	"github.com/capeval/capeval/record"
)

// taskFile is a file of TasksFrom, and its rows that no split but test declares.
type taskFile struct {
	path string // as TasksFrom names it
	test []testRow
}

// testRow is a task of the test split that stands in a file.
type testRow struct {
	id     string
	digest string // "" where it cannot be compared with the library's
	at     string // file:line, relative to the package
}

// readTaskFiles reads the rows of the files that a suite declares tasks from.
// They are the ones that plans name, and the ones that its source names. A row
// that the plans of train and val do not hold is one of the test split.
func (c *checking) readTaskFiles(s *declared) error {
	planned := map[string]record.PlanTask{} // by file:line
	paths := map[string]bool{}
	for _, run := range s.plans {
		for _, t := range run.Plan {
			if path, _, ok := cutLine(t.Location); ok && filepath.Ext(path) != ".go" {
				planned[t.Location] = t
				paths[path] = true
			}
		}
	}
	named, dynamic := namedFiles(s.pkg.Dir)
	for _, path := range named {
		paths[path] = true
	}
	for _, at := range dynamic {
		c.find(checkFinding{Check: "splits", Level: levelWarning, Code: "unknown_task_file", File: seen(at.Filename), Line: at.Line, Column: at.Column,
			Found: "TasksFrom with a path that is computed", Need: "a path in quotes, else test tasks of that file are compared by the suite alone"})
	}
	for path := range paths {
		f := taskFile{path: path}
		data, err := os.ReadFile(below(s.pkg.Dir, path))
		if err != nil {
			continue // the suite is refused for it, and says so
		}
		agrees := true
		for n, line := range bytes.Split(data, []byte("\n")) {
			at := fmt.Sprintf("%s:%d", path, n+1)
			id, split, digest, ok := readTaskRow(line)
			t, known := planned[at]
			switch {
			case !ok:
			case known:
				agrees = agrees && (t.ContentDigest == digest)
			case split == record.Test || split == "" && !s.refused:
				f.test = append(f.test, testRow{id, digest, at})
			}
		}
		if !agrees {
			for i := range f.test {
				f.test[i].digest = ""
			}
			c.find(checkFinding{Check: "splits", Level: levelWarning, Code: "other_digests", File: seen(below(s.pkg.Dir, path)), Found: "rows that the suite's version of capeval digests in another way", Need: "one version of capeval for the suite and the command; test tasks are compared by id alone"})
		}
		s.files = append(s.files, f)
	}
	slices.SortFunc(s.files, func(a, b taskFile) int { return strings.Compare(a.path, b.path) })
	return nil
}

// cutLine splits file:line.
func cutLine(location string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(location, ':')
	if i < 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(location[i+1:])
	return location[:i], line, err == nil
}

// readTaskRow reads a row as the library does: its id, its split ("" where a
// decorator gives it) and the digest of the rest. ok is false for an empty or a
// broken line, of which the library speaks.
func readTaskRow(line []byte) (id string, split record.Split, digest string, ok bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var fields map[string]any
	if len(line) == 0 || d.Decode(&fields) != nil {
		return "", "", "", false
	}
	switch v := fields["id"].(type) {
	case string:
		id = v
	case json.Number:
		id = v.String()
	default:
		return "", "", "", false
	}
	text, _ := fields["split"].(string)
	delete(fields, "id")
	delete(fields, "split")
	data, err := content.Canonical(fields)
	if err != nil {
		return "", "", "", false
	}
	return id, record.Split(text), content.Digest(data), true
}

// namedFiles returns the paths in quotes that the source of the package in dir
// gives to TasksFrom, sorted, and where it gives another expression.
func namedFiles(dir string) (paths []string, dynamic []token.Position) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, nil
	}
	slices.Sort(files)
	set := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler says so
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || calledName(call.Fun) != "TasksFrom" {
				return true
			}
			text, ok := call.Args[0].(*ast.BasicLit)
			if !ok || text.Kind != token.STRING {
				dynamic = append(dynamic, set.Position(call.Args[0].Pos()))
				return true
			}
			if path, err := strconv.Unquote(text.Value); err == nil {
				paths = append(paths, path)
			}
			return true
		})
	}
	slices.Sort(paths)
	return slices.Compact(paths), dynamic
}

// calledName is the name of the function that is called, less its package and its
// type arguments.
func calledName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return calledName(e.X)
	case *ast.IndexListExpr:
		return calledName(e.X)
	}
	return ""
}
