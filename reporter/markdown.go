package reporter

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/capeval/capeval/gate"
)

// How many bytes a forge takes. Over its bound GitHub refuses a comment, and
// drops the whole summary of a step; both budgets stay below it.
const (
	CommentBudget = 65_000    // a comment, and notes of a release
	SummaryBudget = 1_000_000 // the summary of one step, all that is written to it
)

// MarkdownOptions say how much room a report has.
type MarkdownOptions struct {
	// Budget is how many bytes there may be in all. 0 means CommentBudget.
	Budget int
	// Taken is how many of them are not for the report: what the file holds
	// already, and what the caller puts before and behind the report.
	Taken int
}

// MarkdownExtent says how much of a report was written.
type MarkdownExtent struct {
	Bytes int
	// Hidden is how many rows, of tables and lists, did not fit. The report says so
	// where they are left out and at its end.
	Hidden int
	// Shortened is set where there was no room even for the first line.
	Shortened bool
}

// WriteMarkdown writes d as GitHub's markdown, for a comment on a change, the
// summary of a step or the notes of a release. Its first line is the verdict and
// stands alone: a forge makes a notification of it. What follows is the weightier
// the earlier it comes, and within a table as well; where the budget ends, it is
// cut between rows. It never takes more than the budget.
//
// Text from outside mentions nobody, links nothing and opens no markup. An error
// is a budget of which nothing is left, or one of w.
func WriteMarkdown(w io.Writer, d Document, opts MarkdownOptions) (MarkdownExtent, error) {
	if opts.Budget == 0 {
		opts.Budget = CommentBudget
	}
	room := opts.Budget - max(opts.Taken, 0)
	if room <= 0 {
		return MarkdownExtent{}, fmt.Errorf("no room for a report: of a budget of %d bytes %d are taken, need at least 1 left", opts.Budget, opts.Taken)
	}
	first, whole := fitLine(lead(d), room)
	sections, err := markdownSections(d, room)
	if err != nil {
		return MarkdownExtent{}, err
	}
	ext := MarkdownExtent{Shortened: !whole, Hidden: pack(sections, room-len(first))}
	var b strings.Builder
	b.WriteString(first)
	total := 0
	for i := range sections {
		sections[i].write(&b)
		total += sections[i].total
	}
	if ext.Hidden > 0 {
		if s := closing(ext.Hidden, total); b.Len()+len(s) <= room {
			b.WriteString(s)
		}
	}
	ext.Bytes, err = io.WriteString(w, b.String())
	return ext, err
}

// lead is the first line of a report, in words: the verdict, else what was
// published, else what was measured.
func lead(d Document) string {
	var s string
	switch n := len(d.Decisions); {
	case n > 1 && d.Verdict == "":
		s = fmt.Sprintf("compared: %d suites, and nobody judged", n)
	case n > 1:
		s = named(string(d.Verdict))
		if d.Verdict == gate.Indecisive {
			s += ", which is no failure of the change"
		}
		s += ": " + tally(d.Decisions)
	case n == 1:
		s = headline(d.Decisions[0])
	case len(d.Finals) == 1:
		s = heldLine(d.Finals[0].Final)
	case len(d.Finals) > 1:
		s = fmt.Sprintf("held-out: %d published scores%s", len(d.Finals), laterLooks(d.Finals))
	case len(d.Suites) == 1:
		s = "measured: " + measuredLine(d.Suites[0])
	case len(d.Suites) > 1:
		s = fmt.Sprintf("measured: %d results%s", len(d.Suites), lacking(d.Suites))
	default:
		s = "nothing was measured, compared or published"
	}
	if n := len(d.Finals); n > 0 && len(d.Decisions) > 0 {
		s += fmt.Sprintf("; held-out scores published: %d%s", n, laterLooks(d.Finals))
	}
	for _, h := range d.Headlines {
		if h.Kind == HeadChecks {
			s += "; " + h.Text
		}
	}
	return clean(s)
}

// laterLooks says how many published scores are not from a first look.
func laterLooks(finals []Held) string {
	n := 0
	for _, h := range finals {
		if h.Final.Seal.Number > 1 {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of them not from a first look", n)
}

// lacking says how much of what was to be measured was not.
func lacking(suites []Suite) string {
	nothing, some := 0, 0
	for _, s := range suites {
		switch {
		case s.NValid == 0:
			nothing++
		case s.Result.NMissing > 0:
			some++
		}
	}
	s := ""
	if nothing > 0 {
		s += fmt.Sprintf(", %d of them measured nothing, which is not a pass", nothing)
	}
	if some > 0 {
		s += fmt.Sprintf(", %d of them with missing trials", some)
	}
	return s
}

// fitLine escapes a line of text so that it takes at most room bytes, at least 1,
// its newline included. It reports whether that is all of it.
func fitLine(s string, room int) (line string, whole bool) {
	if line = markdownText(s) + "\n"; len(line) <= room {
		return line, true
	}
	low, high := 0, min(room, utf8.RuneCountInString(s)) // runes that fit, and some that may not
	for low < high {
		n := (low + high + 1) / 2
		if len(markdownText(clipEnd(s, n)))+1 <= room {
			low = n
		} else {
			high = n - 1
		}
	}
	if low > 1 {
		return markdownText(clipEnd(s, low)) + "\n", false
	}
	if s[0] < utf8.RuneSelf && alnum(s[0]) {
		return s[:1], false
	}
	return "?", false // no room for one character of another script
}
