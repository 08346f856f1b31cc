package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// ErrTorn says that the last line of a file has no end: its writer died in the
// middle of it.
var ErrTorn = errors.New("the last line is torn")

// Appender adds lines to a file, each by one write(2) on a descriptor opened
// with O_APPEND, so that a process that is killed at any instant leaves every
// line whose Write returned, and at most its last line torn. It is safe for
// several goroutines.
//
// Lines are not synced one by one. What write(2) took belongs to the kernel:
// the death of the process cannot lose it, only that of the machine can, and an
// fsync a line would cost more than most lines are worth. Sync makes them safe
// from that too.
type Appender struct {
	mu   sync.Mutex
	f    appendFile
	path string
	size int64 // where the file ends if nobody else writes to it
	err  error // a torn line that could not be taken back: nothing may follow it
}

// appendFile is the part of os.File that an Appender needs.
type appendFile interface {
	file
	Stat() (os.FileInfo, error)
	Truncate(size int64) error
}

// CreateAppender creates path for adding lines. A path that exists is an error
// that is fs.ErrExist.
func CreateAppender(path string) (*Appender, error) { return openAppender(path, os.O_EXCL) }

// OpenAppender opens path for adding lines, and creates it where there is none.
// A file whose last line is torn is refused with [ErrTorn]: a line added to it
// would leave damage in the middle, where a reader can no longer tell a crash
// from a corrupt file. A writer that comes back after a crash opens a new file.
func OpenAppender(path string) (*Appender, error) { return openAppender(path, 0) }

func openAppender(path string, flag int) (*Appender, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|flag, 0o644)
	if err != nil {
		return nil, err
	}
	size, err := wholeLines(f)
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", path, errors.Join(err, f.Close()))
	}
	return &Appender{f: f, path: path, size: size}, nil
}

// wholeLines returns the size of f, or ErrTorn when it does not end in a
// newline.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil {
		return 0, err
	}
	if last[0] != '\n' {
		return 0, ErrTorn
	}
	return info.Size(), nil
}

// Write adds p as one line; a final newline is added where p has none. A
// newline anywhere else is refused. The count is len(p) or 0.
//
// When the disk takes only part of the line (it is full), the part is taken
// back, and the next Write may succeed. When that fails too, every later Write
// returns the same error.
func (a *Appender) Write(p []byte) (int, error) {
	line := p
	switch i := bytes.IndexByte(p, '\n'); {
	case i < 0:
		line = append(bytes.Clone(p), '\n')
	case i != len(p)-1:
		return 0, fmt.Errorf("append to %s: found a newline at byte %d of %d, need one line", a.path, i, len(p))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return 0, a.takeBack(n, fmt.Errorf("append to %s: %w", a.path, err))
	}
	a.size += int64(n)
	return len(p), nil
}

// takeBack removes the n bytes of a line that was cut short, and returns why it
// was. It cuts nothing when another writer has added to the file since.
func (a *Appender) takeBack(n int, why error) error {
	if n == 0 {
		return why
	}
	info, err := a.f.Stat()
	switch {
	case err != nil:
	case info.Size() != a.size+int64(n):
		err = fmt.Errorf("found %d bytes, need %d: somebody else writes to it", info.Size(), a.size+int64(n))
	default:
		err = a.f.Truncate(a.size)
	}
	if err != nil {
		a.err = fmt.Errorf("%w; %w and cannot be taken back: %w", why, ErrTorn, err)
		return a.err
	}
	return why
}

// Sync makes every line written so far survive a power cut.
func (a *Appender) Sync() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.f.Sync()
}

// Close closes the file without syncing it.
func (a *Appender) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.f.Close()
}
