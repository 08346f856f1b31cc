package surface

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Dir lists the protected files below top, the top folder of a checkout, as they
// lie there: tracked, untracked and ignored ones. What is named .git is passed
// over; the files of a submodule that is checked out are listed as any others.
// Something that is neither file, link nor folder is an error.
func (s Set) Dir(top string) (Manifest, error) {
	m, err := s.dir(top)
	if err != nil {
		return nil, fmt.Errorf("surface of %s: %w", top, err)
	}
	return m, nil
}

func (s Set) dir(top string) (Manifest, error) {
	root, err := filepath.EvalSymlinks(top)
	if err != nil {
		return nil, err
	}
	m := Manifest{}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name[len(root):], string(filepath.Separator)))
		switch {
		case d.IsDir() && (d.Name() == ".git" || !s.below(rel)):
			return filepath.SkipDir
		case d.IsDir() || d.Name() == ".git" || !s.Match(rel):
			return nil
		}
		e, err := entryOf(name, rel)
		m = append(m, e)
		return err
	})
	slices.SortFunc(m, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return m, err
}

// entryOf describes what lies at name.
func entryOf(name, rel string) (Entry, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Path: rel, Mode: modeFile}
	var content []byte
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		var target string
		target, err = os.Readlink(name)
		e.Mode, content = modeLink, []byte(target)
	case !info.Mode().IsRegular():
		return Entry{}, fmt.Errorf("%s: found %s, need a file or a symbolic link", shown(rel), info.Mode().Type())
	default:
		content, err = os.ReadFile(name)
		if info.Mode()&0o100 != 0 {
			e.Mode = modeExec
		}
	}
	e.Digest = digest(content)
	return e, err
}
