package gotest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Library is the import path that makes a test package a suite.
const Library = "github.com/capeval/capeval/evaltest"

// Package is a test package that holds a suite.
type Package struct {
	ImportPath string
	Dir        string // absolute
}

// GoError is a go command that failed. Output is what it said, which is written
// for the user and names files and lines.
type GoError struct {
	What   string // such as "go list"
	Output string
}

// Error returns what the go command said.
func (e *GoError) Error() string {
	return e.What + " failed:\n" + strings.TrimRight(e.Output, "\n")
}

// Find returns the packages among patterns, as go list understands them below
// dir, whose tests import the library, directly or through other packages. They
// are sorted by import path; the list may be empty. A package that does not load
// is a *GoError.
func Find(ctx context.Context, dir string, patterns []string) ([]Package, error) {
	args := append([]string{"list", "-test", "-json=ImportPath,Dir,ForTest,Deps", "--"}, patterns...)
	out, err := command(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	var found []Package
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, ForTest string
			Deps                     []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		path, isTest := strings.CutSuffix(p.ImportPath, ".test")
		if isTest && slices.ContainsFunc(p.Deps, isLibrary) {
			found = append(found, Package{ImportPath: path, Dir: p.Dir})
		}
	}
	slices.SortFunc(found, func(a, b Package) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return slices.Compact(found), nil
}

// isLibrary reports whether dep is the library, or a copy of it that was
// compiled for one test: "path [variant]".
func isLibrary(dep string) bool {
	path, _, _ := strings.Cut(dep, " ")
	return path == Library
}

// command runs go in dir and returns what it printed.
func command(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = environ(dir, os.Environ())
	var out, say bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &say
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, &GoError{What: "go " + args[0], Output: out.String() + say.String()}
	}
	if err != nil {
		return nil, fmt.Errorf("need the go command to find and build suites: %w", err)
	}
	return out.Bytes(), nil
}

// environ is env for a process in dir: PWD says where it is, as a shell would.
func environ(dir string, env []string) []string {
	if dir == "" || dir == "." {
		return env
	}
	return append(slices.Clone(env), "PWD="+dir)
}
