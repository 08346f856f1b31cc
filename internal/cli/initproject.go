package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// libraryModule is the module of this project.
const libraryModule = "github.com/capeval/capeval"

// starter is what the templates are filled with.
type starter struct {
	flags    initFlags
	root     string // the folder of go.mod, absolute
	repo     string // the folder where a forge looks for workflows, absolute
	required bool   // go.mod requires the library

	Module     string // its path
	Suite      string
	Dir        string // of the suite, below root, slash-separated
	Package    string // of the suite's test
	StubImport string
	Work       string // root below repo, slash-separated, "." where they are one
	Ref        string // of the reusable workflows
	Version    string // of the command that a workflow installs
}

// newStarter looks at the module around the working directory.
func newStarter(ctx context.Context, f initFlags) (*starter, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	root, err := above(here, "go.mod")
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	if root == "" {
		return nil, fail(exitUsage, "found no go.mod in %s or above, need a module: go mod init example.org/my-agent", here)
	}
	s := &starter{flags: f, root: root, Suite: f.suite, Dir: strings.Join(segments(f.dir), "/")}
	if err := s.readModule(ctx); err != nil {
		return nil, err
	}
	if s.repo, err = above(root, ".git"); err != nil {
		return nil, withCode(exitInfra, err)
	}
	if s.repo == "" {
		s.repo = root
	}
	work, err := filepath.Rel(s.repo, root)
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	s.Work = filepath.ToSlash(work)
	for _, segment := range segments(s.Work) {
		if s.Work != "." && f.forge != "none" && !dirSegment.MatchString(segment) {
			return nil, fail(exitUsage, "found the module in %q of the repository, need a folder of letters, digits, dots, dashes and underscores, or --forge none", s.Work)
		}
	}
	s.Package = packageName(s.Dir) + "_test"
	s.StubImport = path.Join(s.Module, s.stubDir())
	if s.Suite == "" {
		s.Suite = strings.TrimLeft(notInName.ReplaceAllString(lastWord(s.Module), "-"), "-._")
		if !suiteName.MatchString(s.Suite) {
			return nil, fail(exitUsage, "found no name for the suite in the module's path %s, need --suite NAME", s.Module)
		}
	}
	s.Ref, s.Version = "v1", "latest"
	if v := version(); released.MatchString(v) {
		s.Ref, s.Version = v, v
	}
	return s, nil
}

var (
	notInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
	released  = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)
	major     = regexp.MustCompile(`^v[0-9]+$`)
)

// readModule asks go what go.mod says.
func (s *starter) readModule(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "edit", "-json")
	cmd.Dir = s.root
	cmd.Env = append(os.Environ(), "PWD="+s.root)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fail(exitUsage, "%s: %s", filepath.Join(s.root, "go.mod"), strings.TrimSpace(errs.String()))
		}
		return fail(exitInfra, "need the go command to read go.mod: %w", err)
	}
	var mod struct {
		Module  struct{ Path string }
		Require []struct{ Path string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return fail(exitInfra, "go mod edit: %w", err)
	}
	s.Module = mod.Module.Path
	if s.Module == "" {
		return fail(exitUsage, "%s: found no module line, need one: go mod init example.org/my-agent", filepath.Join(s.root, "go.mod"))
	}
	s.required = s.Module == libraryModule
	for _, r := range mod.Require {
		s.required = s.required || r.Path == libraryModule
	}
	return nil
}

// stubDir is the folder of the agent that stands for the user's. It lies beside the
// suite: what is in the suite's folder judges, and a change is judged by the base's.
func (s *starter) stubDir() string { return path.Join(path.Dir(s.Dir), "stubagent") }

// above returns the nearest folder from dir upwards that has an entry of that
// name, "" where none has.
func above(dir, name string) (string, error) {
	for {
		_, err := os.Lstat(filepath.Join(dir, name))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("find %s: %w", name, err)
		}
		if dir == filepath.Dir(dir) {
			return "", nil
		}
		dir = filepath.Dir(dir)
	}
}

// segments cuts a path with slashes of either kind, such as one that a shell
// completed: evals and ./evals/ are the same.
func segments(dir string) []string {
	parts := strings.Split(strings.TrimSuffix(filepath.ToSlash(dir), "/"), "/")
	if len(parts) > 1 && parts[0] == "." {
		parts = parts[1:]
	}
	return slices.Clip(parts)
}

// packageName is a name for a package in dir.
func packageName(dir string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, path.Base(dir))
	if name == "" || unicode.IsDigit(rune(name[0])) {
		return "evals" + name
	}
	return name
}

// lastWord is the last part of a module's path that is no major version.
func lastWord(module string) string {
	if base := path.Base(module); !major.MatchString(base) || base == module {
		return base
	}
	return path.Base(path.Dir(module))
}
