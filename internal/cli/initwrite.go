package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// fileState is what init does with a file.
type fileState string

const (
	fileWrote fileState = "wrote"
	fileSame  fileState = "unchanged" // it is there, and says the same
	fileKept  fileState = "kept"      // it is there, and says something else
)

// compare finds out which files are there already.
func compare(files []starterFile) ([]starterFile, error) {
	for i, f := range files {
		info, err := os.Lstat(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			files[i].state = fileWrote
			continue
		case errors.Is(err, syscall.ENOTDIR) || err == nil && !info.Mode().IsRegular():
			files[i].state = fileKept
			continue
		case err != nil:
			return nil, err
		}
		data, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		files[i].state = fileKept
		if bytes.Equal(data, f.data) {
			files[i].state = fileSame
		}
	}
	return files, nil
}

// inTheWay refuses files that say something else than init would.
func inTheWay(files []starterFile) error {
	var list []string
	for _, f := range files {
		if f.state == fileKept {
			list = append(list, "  "+here(f.path))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return fail(exitUsage, "found files in the way, so nothing was written:\n%s\nMove them, choose another --dir, or leave them as they are and write the others: --keep", strings.Join(list, "\n"))
}

// writeAll writes the new files, all or none: after an error, what it made is
// taken away. A file that came into being meanwhile is an error, not written over.
func writeAll(files []starterFile) (err error) {
	var made []string // files and folders, in the order of making
	defer func() {
		if err == nil {
			return
		}
		for i := len(made) - 1; i >= 0; i-- {
			_ = os.Remove(made[i]) // a folder that others use by now stays
		}
	}()
	for _, f := range files {
		if f.state != fileWrote {
			continue
		}
		folders, err := makeFolders(filepath.Dir(f.path))
		made = append(made, folders...)
		if err != nil {
			return err
		}
		file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		made = append(made, f.path)
		_, err = file.Write(f.data)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return nil
}

// makeFolders makes dir and what is missing above it, and returns what it made,
// the outermost first.
func makeFolders(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil, nil
	case err == nil:
		return nil, fmt.Errorf("%s: found a file, need a folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	made, err := makeFolders(filepath.Dir(dir))
	if err != nil {
		return made, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return made, err
	}
	return append(made, dir), nil
}
