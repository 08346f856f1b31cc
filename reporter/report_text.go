package reporter

import (
	"fmt"
	"io"
	"strings"
)

// WriteReportText writes all of d for a terminal: published scores, verdicts,
// results, checks and notes, each where there are any. A writer that fails is the
// only cause of an error.
func WriteReportText(w io.Writer, d Document, opts TextOptions) error {
	var parts []string
	part := func(write func(io.Writer) error) error {
		var b strings.Builder
		err := write(&b)
		if b.Len() > 0 {
			parts = append(parts, b.String())
		}
		return err
	}
	if opts.Width == 0 {
		opts.Width = 80
	}
	own := func(fill func(*text)) func(io.Writer) error {
		return func(w io.Writer) error {
			t := &text{width: max(opts.Width, 60), color: opts.Color}
			fill(t)
			_, err := io.WriteString(w, t.b.String())
			return err
		}
	}
	var errs []error
	if len(d.Finals) > 0 {
		errs = append(errs, part(own(func(t *text) { t.finals(d.Finals) })))
	}
	if len(d.Decisions) > 0 {
		errs = append(errs, part(func(w io.Writer) error { return WriteDecisionText(w, d, opts) }))
	}
	if len(d.Suites) > 0 || len(parts) == 0 {
		errs = append(errs, part(func(w io.Writer) error { return WriteText(w, d, opts) }))
	}
	errs = append(errs, part(own(func(t *text) { t.checks(d.Checks) })), part(own(func(t *text) {
		for _, n := range d.Notes {
			t.wrapped(faint, "note: "+shortenEnd(oneLine(n), 400))
		}
	})))
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

// finals writes published scores, each with its look.
func (t *text) finals(all []Held) {
	for i, h := range all {
		if i > 0 {
			t.line("")
		}
		f := h.Final
		t.wrapped(bold, heldLine(f))
		for _, n := range h.Notices {
			t.item(yellow, shortenMiddle(oneLine(n.Code), labelWidth-1), shortenEnd(oneLine(n.Text), 400))
		}
		if c := f.Comparison; c != nil {
			t.item(faint, "change", fmt.Sprintf("%s, %s interval %s..%s; at look %d the %s interval is %s..%s (%s)", difference(f.TestDelta),
				percent(c.CI.Level), difference(c.CI.Low), difference(c.CI.High), f.Seal.Number,
				percent(c.CILook.Level), difference(c.CILook.Low), difference(c.CILook.High), named(c.CI.Method)))
			t.item(faint, "p", fmt.Sprintf("better %s, worse %s, two-sided %s (exact)", chance(c.PBetter), chance(c.PWorse), chance(c.PTwoSided)))
		}
		looks := f.Seal.ByTask
		t.item(faint, "tasks", fmt.Sprintf("%d fresh, %d looked at before", looks.Fresh, looks.Reused))
		for _, p := range f.Seal.Previous {
			t.item(faint, "earlier", fmt.Sprintf("release %s at %s, final.json %s", named(p.Release), named(p.Time), committed(told(p.Result))))
		}
		t.item(faint, "ledger", fmt.Sprintf("%s, %s, record %d", named(f.Ledger.Scope), named(f.Ledger.Ref), f.Ledger.Seq))
	}
}

// told is a text that may not exist.
func told(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// committed names the result of an earlier look.
func committed(digest string) string {
	if digest == "" {
		return "was never committed"
	}
	return named(digest)
}

// checks writes what was asserted, what did not pass first.
func (t *text) checks(all []Check) {
	for _, state := range []CheckState{CheckFailed, CheckUndefined, CheckPassed} {
		for _, c := range all {
			if c.State != state {
				continue
			}
			look := yellow
			if state == CheckPassed {
				look = faint
			}
			said := fmt.Sprintf("check %s: %s, %s (%s)", state, named(c.Name), named(c.Suite), named(string(c.Split)))
			if m := oneLine(c.Message); m != "" {
				said += ": " + shortenEnd(m, 400)
			}
			t.wrapped(look, said)
		}
	}
}
