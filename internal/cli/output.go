package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// outputLog holds what the test processes of a suite print, over all passes.
type outputLog struct {
	path string
	file *os.File
	from int64 // where the pass under way begins
}

func (o *outputLog) open() error {
	f, err := os.OpenFile(o.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	o.file = f
	if info, err := f.Stat(); err == nil {
		o.from = info.Size()
	}
	return nil
}

func (o *outputLog) close() { _ = o.file.Close() }

// follow copies what is printed from now on to w until stop is called.
func (o *outputLog) follow(w io.Writer) (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	offset := o.from
	copyNew := func() {
		n, _ := io.Copy(w, io.NewSectionReader(o.file, offset, 1<<62))
		offset += n
	}
	done.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				copyNew()
				return
			case <-tick.C:
				copyNew()
			}
		}
	})
	return func() { close(quit); done.Wait() }
}

// read returns all that was printed so far.
func (o *outputLog) read() []byte {
	data, _ := os.ReadFile(o.path)
	return data
}

// maxTail is how much of a failed suite's output is shown.
const maxTail = 8 << 10

// save keeps the output as output.log in dir and returns its path.
func (o *outputLog) save(dir string) (string, error) {
	path := filepath.Join(dir, "output.log")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.Write(o.read())
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return path, err
}

// tail returns the end of text, whole lines, and says how much was left out.
func tail(text []byte, most int) string {
	text = bytes.TrimSpace(text)
	if len(text) <= most {
		return string(text)
	}
	cut := len(text) - most
	if i := bytes.IndexByte(text[cut:], '\n'); i >= 0 {
		cut += i + 1
	}
	return fmt.Sprintf("(%d bytes before this are left out)\n%s", cut, text[cut:])
}
