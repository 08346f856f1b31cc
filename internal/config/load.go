package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FileName is the name of the project's configuration file.
const FileName = "capeval.yaml"

// maxFile is more than any configuration needs, and little enough to parse.
const maxFile = 64 << 10

// Load returns what the capeval.yaml that rules dir and the environment say,
// over the defaults. The errors of both come together. env may be nil, which
// is an empty environment. Root and File are filled in even when there is an
// error.
func Load(dir string, env func(string) (string, bool)) (Config, error) {
	c := Defaults()
	root, file, err := locate(dir)
	if err != nil {
		return c, err
	}
	var errs []error
	if file != "" {
		data, err := readFile(file)
		if err == nil {
			c, err = parse(display(dir, file), data)
		}
		errs = append(errs, err)
	}
	c.Root, c.File = root, file
	if env != nil {
		errs = append(errs, c.Run.applyEnv(env))
	}
	return c, errors.Join(errs...)
}

// Find returns the path of the capeval.yaml that rules dir, "" when there is
// none: the nearest one above, no further than the module root, which is the
// first folder with a go.mod.
func Find(dir string) (string, error) {
	_, file, err := locate(dir)
	return file, err
}

// Root returns the folder that a project's paths start from: that of
// capeval.yaml, else that of go.mod, else dir itself, as an absolute path.
func Root(dir string) (string, error) {
	root, _, err := locate(dir)
	return root, err
}

func locate(dir string) (root, file string, err error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", "", fmt.Errorf("find %s: %w", FileName, err)
	}
	for at := start; ; at = filepath.Dir(at) {
		for _, name := range []string{FileName, "go.mod"} {
			path := filepath.Join(at, name)
			switch _, err := os.Stat(path); {
			case err == nil && name == FileName:
				return at, path, nil
			case err == nil:
				return at, "", nil
			case !errors.Is(err, fs.ErrNotExist):
				return "", "", fmt.Errorf("find %s: %w", FileName, err)
			}
		}
		if at == filepath.Dir(at) {
			return start, "", nil
		}
	}
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: found %s, need a file", path, info.Mode().Type())
	}
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("%s: found %d bytes, need at most %d", path, info.Size(), maxFile)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// display returns how errors name the file: as a reader in dir would open it.
func display(dir, file string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(abs, file); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return file
}
