package progress

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// every is the least time between two lines of one suite.
const every = 5 * time.Second

// lines shows progress where there is no terminal: a line now and then, so that
// the log of a job shows that it lives and stays short.
type lines struct {
	w    io.Writer
	last time.Duration
	told int
}

func (l *lines) Update(s State) {
	if s.Elapsed-l.last < every || s.Ended() == l.told {
		return
	}
	l.last, l.told = s.Elapsed, s.Ended()
	fmt.Fprintln(l.w, Line(s))
}

func (l *lines) Done(s State) {
	l.last, l.told = 0, 0
	if s.Total == 0 {
		return // assertions alone
	}
	fmt.Fprintf(l.w, "%s, took %s\n", Line(State{
		Suite: s.Suite, Split: s.Split, Total: s.Total, Scored: s.Scored, Missing: s.Missing, CostUSD: s.CostUSD, tasks: s.tasks,
	}), Span(s.Elapsed))
}

// Line says in one line how far a suite is.
func Line(s State) string {
	return fmt.Sprintf("%s %s: %d/%d cells%s", s.Suite, s.Split, s.Ended(), s.Total, details(s))
}

func details(s State) string {
	var b strings.Builder
	if s.Missing > 0 {
		fmt.Fprintf(&b, ", %d missing", s.Missing)
	}
	if r, ok := s.Reward(); ok {
		fmt.Fprintf(&b, ", reward %.3f so far", r)
	}
	if s.CostUSD > 0 {
		fmt.Fprintf(&b, ", %.2f USD", s.CostUSD)
	}
	if left := s.Left(); left > 0 && s.Elapsed > time.Second {
		fmt.Fprintf(&b, ", about %s left", Span(left))
	}
	return b.String()
}

// Span is a time span as a reader wants it.
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
