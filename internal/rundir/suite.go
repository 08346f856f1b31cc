package rundir

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/capeval/capeval/internal/durable"
)

// ErrSuiteTaken says that two packages of one run name their suite alike.
var ErrSuiteTaken = errors.New("the name of the suite is taken")

// Dir is the folder of one suite in a run directory.
type Dir struct {
	Path string
	Name string // the suite
}

// Suite returns the folder of a suite below root. It need not exist.
func Suite(root, suite string) Dir {
	return Dir{Path: filepath.Join(root, fileName(suite, maxName)), Name: suite}
}

// Suites returns the folders of the suites below root, sorted by name: those
// with a run.json or a suite.json. Other files and folders are passed over. An
// empty list is no error; a root that cannot be read is one.
func Suites(root string) ([]Dir, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	var dirs []Dir
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			continue
		}
		name, ok, err := suiteName(path)
		if err != nil {
			return nil, err
		}
		if ok {
			dirs = append(dirs, Dir{Path: path, Name: name})
		}
	}
	slices.SortFunc(dirs, func(a, b Dir) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	return dirs, nil
}

// suiteName reads whose folder path is.
func suiteName(path string) (string, bool, error) {
	for _, file := range []string{"run.json", "suite.json"} {
		data, err := os.ReadFile(filepath.Join(path, file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var o owner
		if err == nil {
			err = json.Unmarshal(data, &o)
		}
		if err == nil && o.Suite == "" {
			err = errors.New(`found no key "suite", need the name of the suite`)
		}
		if err != nil {
			return "", false, fmt.Errorf("%s: %w", filepath.Join(path, file), err)
		}
		return o.Suite, true, nil
	}
	return "", false, nil
}

// owner is suite.json, and the part of run.json that says the same.
type owner struct {
	Suite   string `json:"suite"`
	Package string `json:"package"`
}

// Claim makes the folder and takes it for the suite of package pkg. Every
// process of that package may claim it, any number of times; another package,
// or another suite, gets [ErrSuiteTaken] with both named.
func (d Dir) Claim(pkg string) error {
	if err := os.MkdirAll(d.Path, 0o755); err != nil {
		return fmt.Errorf("suite %q: %w", d.Name, err)
	}
	mine := owner{Suite: d.Name, Package: pkg}
	data, err := json.Marshal(mine)
	if err != nil {
		return fmt.Errorf("suite %q: %w", d.Name, err)
	}
	err = durable.Claim(d.file("suite.json"), append(data, '\n'))
	var lost *durable.ClaimedError
	if !errors.As(err, &lost) {
		return err
	}
	if bytes.Equal(bytes.TrimSpace(lost.Content), data) {
		return nil
	}
	var theirs owner
	if err := json.Unmarshal(lost.Content, &theirs); err != nil {
		return fmt.Errorf("%s: found %.60q, need the claim of a suite: %w", lost.Path, lost.Content, err)
	}
	if theirs == mine {
		return nil
	}
	return fmt.Errorf("suite %q of package %s: %w by suite %q of package %s; give one of them another name",
		d.Name, pkg, ErrSuiteTaken, theirs.Suite, theirs.Package)
}

func (d Dir) file(name string) string { return filepath.Join(d.Path, name) }
