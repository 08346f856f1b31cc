package merge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/capeval/capeval/internal/rundir"
)

// depth is how far below an argument run directories are looked for: artifacts
// lie in folders of their own, which may hold .capeval/runs.
const depth = 4

// runDir is a run directory and the suites in it.
type runDir struct {
	path   string
	suites []rundir.Dir
}

// find returns the run directories that paths name or hold, sorted, each once.
func find(paths []string, problems *Problems, note func(string, ...any)) []runDir {
	var roots []runDir
	seen := map[string]bool{}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			problems.add(Missing, "%s is not there, need a run directory or a folder of them: was the job lost, or its artifact?", path)
			continue
		case err != nil:
			problems.add(Missing, "%v", err)
			continue
		case !info.IsDir():
			problems.add(Usage, "%s is a file, need a run directory or a folder of them", path)
			continue
		case exists(filepath.Join(path, "run.json")):
			problems.add(Usage, "%s is the folder of one suite, need the run directory around it: %s", path, filepath.Dir(filepath.Clean(path)))
			continue
		}
		found := below(path, depth, problems)
		if len(found) == 0 {
			note("%s holds no run", path)
		}
		for _, root := range found {
			if place := real(root.path); !seen[place] {
				seen[place] = true
				roots = append(roots, root)
			}
		}
	}
	slices.SortFunc(roots, func(a, b runDir) int { return strings.Compare(a.path, b.path) })
	return roots
}

// below returns path where it is a run directory, else the run directories in
// it. Symbolic links inside are not followed: runs/latest is a run that is there
// already. Nor is what a merge that was killed left behind.
func below(path string, levels int, problems *Problems) []runDir {
	dirs, err := rundir.Suites(path)
	if err != nil {
		problems.add(kindOf(err), "%v", err)
		return nil
	}
	if len(dirs) > 0 {
		return []runDir{{path, dirs}}
	}
	if levels == 0 {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		problems.add(kindOf(err), "%v", err)
		return nil
	}
	var found []runDir
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), stagePrefix) {
			found = append(found, below(filepath.Join(path, e.Name()), levels-1, problems)...)
		}
	}
	return found
}

// kindOf tells a file that cannot be read from one that says something wrong.
func kindOf(err error) Kind {
	var path *fs.PathError
	if errors.As(err, &path) {
		return Missing
	}
	return Integrity
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
