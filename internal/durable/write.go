package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// Options say how a file is written. The zero value is the safe one.
type Options struct {
	// Perm holds the permission bits before the umask; 0 means 0o644.
	Perm fs.FileMode
	// NoSync leaves out both fsyncs. The file is then whole after the death of
	// the process, and may be empty or absent after a power cut.
	NoSync bool
}

// tempPrefix begins the name of every temporary file of this package.
const tempPrefix = ".capeval-tmp-"

// IsTemp reports whether name, a file name or a path, is that of a temporary
// file of this package. One that outlived its process holds nothing that was
// promised to anybody and may be deleted.
func IsTemp(name string) bool {
	return strings.HasPrefix(filepath.Base(name), tempPrefix)
}

// WriteFile makes data the content of path, in one step: whenever the process
// dies, path holds its old content or all of data. The folder must exist. A
// symbolic link at path is replaced, not followed.
//
// On an error path is as it was, with one exception: when only the last fsync
// (that of the folder) fails, the new content stands and may not survive a
// power cut.
func WriteFile(path string, data []byte, o Options) error {
	return host().writeFile(path, writing(data), o)
}

// Write is WriteFile for content that is written piece by piece, and need not
// be in memory as a whole.
func Write(path string, write func(io.Writer) error, o Options) error {
	return host().writeFile(path, write, o)
}

// writing returns what writes data.
func writing(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func (d disk) writeFile(path string, write func(io.Writer) error, o Options) error {
	temp, err := d.writeTemp(parent(path), write, o)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := d.rename(temp, path); err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, d.remove(temp)))
	}
	if o.NoSync {
		return nil
	}
	if err := d.syncDir(parent(path)); err != nil {
		return fmt.Errorf("write %s: the file is whole, but its folder could not be synced: %w", path, err)
	}
	return nil
}

// writeTemp writes to a new temporary file in dir and returns its path.
// When it fails it leaves nothing behind, as far as the disk allows.
func (d disk) writeTemp(dir string, write func(io.Writer) error, o Options) (string, error) {
	perm := o.Perm
	if perm == 0 {
		perm = 0o644
	}
	b, err := d.blank(dir, perm)
	if err != nil {
		return "", err
	}
	f, temp := b.f, b.temp
	err = write(f)
	if err == nil && !o.NoSync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", errors.Join(err, d.remove(temp))
	}
	return temp, nil
}
