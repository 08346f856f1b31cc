package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/record"
)

// Rollouts writes the rollout files of one process, one after the other, each
// as [Dir.WriteRollout] does. A new file takes longer than all that is written
// into it, so the files are made, empty and under temporary names, while the
// rollouts that will fill them still run; a Write then has little to wait for.
// It is safe for several goroutines.
type Rollouts struct {
	dir   Dir
	split record.Split
	most  int
	ended chan struct{} // closed when no blank is made any more

	mu     sync.Mutex
	more   *sync.Cond
	wanted int // blanks that are still to be made
	blanks []*durable.Blank
	closed bool
}

// OpenRollouts returns the writer of a split, which keeps at most so many files
// ready; with 0 it makes each when it is written.
func (d Dir) OpenRollouts(split record.Split, most int) *Rollouts {
	r := &Rollouts{dir: d, split: split, most: most, ended: make(chan struct{})}
	r.more = sync.NewCond(&r.mu)
	if most > 0 {
		go r.prepare()
	} else {
		close(r.ended)
	}
	return r
}

// Expect says that one more rollout is under way. It waits for nothing.
func (r *Rollouts) Expect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && r.wanted+len(r.blanks) < r.most {
		r.wanted++
		r.more.Signal()
	}
}

// prepare makes the blanks that are wanted. One that cannot be made is none:
// whoever then writes a file meets the same trouble and reports it.
func (r *Rollouts) prepare() {
	defer close(r.ended)
	folder := r.folder()
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		for r.wanted == 0 && !r.closed {
			r.more.Wait()
		}
		if r.closed {
			return
		}
		r.mu.Unlock()
		err := os.MkdirAll(folder, 0o755)
		var b *durable.Blank
		if err == nil {
			b, err = durable.NewBlank(folder)
		}
		r.mu.Lock()
		r.wanted = max(0, r.wanted-1)
		if err == nil {
			r.blanks = append(r.blanks, b)
		}
	}
}

func (r *Rollouts) folder() string { return filepath.Dir(r.dir.RolloutPath(r.split, "", "", 0)) }

// Write writes v as the rollout of a cell of the split. It also works after
// Close.
func (r *Rollouts) Write(task, arm string, trial int, v any) error {
	r.mu.Lock()
	var b *durable.Blank
	if n := len(r.blanks); n > 0 {
		b, r.blanks = r.blanks[n-1], r.blanks[:n-1]
	}
	r.mu.Unlock()
	if b != nil {
		data, err := rolloutText(task, trial, v)
		if err != nil {
			return errors.Join(err, b.Discard())
		}
		if b.Become(r.dir.RolloutPath(r.split, task, arm, trial), data) == nil {
			return nil
		} // perhaps the folder was swept: once more from the beginning
	}
	return r.dir.WriteRollout(r.split, task, arm, trial, v)
}

// Close takes away the files that nobody filled.
func (r *Rollouts) Close() error {
	r.mu.Lock()
	r.closed = true
	r.more.Signal()
	r.mu.Unlock()
	<-r.ended
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, b := range r.blanks {
		errs = append(errs, b.Discard())
	}
	r.blanks = nil
	for _, folder := range []string{r.folder(), filepath.Dir(r.folder())} {
		_ = os.Remove(folder) // only where nothing is in it
	}
	return errors.Join(errs...)
}

// sweepRollouts removes the files that killed processes had made and not
// filled.
func (d Dir) sweepRollouts() error {
	var errs []error
	splits, _ := os.ReadDir(d.file("rollouts")) // mostly there is one
	for _, split := range splits {
		folder := filepath.Join(d.file("rollouts"), split.Name())
		f, err := os.Open(folder)
		if err != nil {
			continue
		}
		for err == nil {
			var names []string
			names, err = f.Readdirnames(1024)
			for _, name := range names {
				if durable.IsTemp(name) {
					errs = append(errs, os.Remove(filepath.Join(folder, name)))
				}
			}
		}
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
