package progress

import (
	"io"
	"strings"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// NewDisplay returns a display on w: a bar a pass on a terminal, else a line now
// and then.
func NewDisplay(w io.Writer, terminal bool) Display {
	if terminal {
		return &bars{w: w}
	}
	return &lines{w: w}
}

// bars shows progress on a terminal.
type bars struct {
	w    io.Writer
	pool *mpb.Progress
	bar  *mpb.Bar
	text atomic.Value // string: what stands behind the bar
}

func (b *bars) Update(s State) {
	if s.Total == 0 {
		return
	}
	b.text.Store(strings.TrimPrefix(details(s), ", "))
	if b.bar == nil {
		b.pool = mpb.New(mpb.WithOutput(b.w), mpb.WithWidth(30), mpb.WithRefreshRate(Interval), mpb.WithAutoRefresh())
		b.bar = b.pool.New(int64(s.Total), mpb.BarStyle(),
			mpb.PrependDecorators(decor.Name(s.Suite+" "+string(s.Split)+" "), decor.CountersNoUnit("%d/%d ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.text.Load().(string) })))
	}
	// A full bar is final, so the last cell is left to Done.
	b.bar.SetCurrent(int64(min(s.Ended(), s.Total-1)))
}

func (b *bars) Done(s State) {
	if s.Total == 0 {
		return
	}
	b.Update(s)
	b.text.Store(strings.TrimPrefix(details(s), ", "))
	b.bar.SetCurrent(int64(s.Ended()))
	b.bar.Abort(false) // a pass that was stopped leaves its bar where it was
	b.pool.Wait()
	b.bar, b.pool = nil, nil
}
