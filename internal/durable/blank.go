package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Blank is an empty temporary file in the folder where a file will be wanted.
// Making one is most of what a small file costs, so whoever knows that files
// will be wanted makes blanks while there is time. It is used once, by Become
// or by Discard.
type Blank struct {
	d    disk
	f    file
	temp string
}

// NewBlank makes an empty temporary file in dir, which must exist. A blank that
// outlives its process is like any temporary file, see [IsTemp].
func NewBlank(dir string) (*Blank, error) { return host().blank(dir, 0o644) }

func (d disk) blank(dir string, perm fs.FileMode) (*Blank, error) {
	temp := filepath.Join(dir, tempPrefix+rand.Text())
	f, err := d.create(temp, perm)
	if err != nil {
		return nil, err
	}
	return &Blank{d, f, temp}, nil
}

// Become makes data the content of path, in the folder of the blank, in one
// step and without a sync: it does what [WriteFile] does with NoSync. On an
// error path is as it was, and the blank is gone.
func (b *Blank) Become(path string, data []byte) error {
	_, err := b.f.Write(data)
	if cerr := b.f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = b.d.rename(b.temp, path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, b.d.remove(b.temp)))
	}
	return nil
}

// Discard removes the blank.
func (b *Blank) Discard() error { return errors.Join(b.f.Close(), b.d.remove(b.temp)) }
