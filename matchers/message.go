package matchers

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/record"
	"github.com/onsi/gomega/format"
)

// message words a failure: the quantity, its value, what the inner matcher
// expected, and what stands behind the value.
func message(q quantity, r record.SplitResult, v any, words string) string {
	value := fmt.Sprint(v)
	if w := identical(r); q.spread && w != "" {
		value += " (" + w + ")"
	}
	return fmt.Sprintf("Expected the %s of %s\n%s%s\n%s\n%s", q.name, subject(r), format.Indent, value, expectation(words), behind(r))
}

// subject names what the result is about.
func subject(r record.SplitResult) string {
	s := fmt.Sprintf("suite %s, split %s", clean(r.Suite), clean(string(r.Split)))
	if r.Arm != "" {
		s += ", arm " + clean(r.Arm)
	}
	if r.NTasks == 1 && len(r.PerTask) == 1 {
		s += ", task " + clean(r.PerTask[0].Task)
	}
	return s
}

var (
	opening = regexp.MustCompile(`^Expected\n +<[^>\n]*>: [^\n]*\n`)
	typed   = regexp.MustCompile(`<[^>\n]*>: `)
)

// expectation returns the inner matcher's own words without the value, which is
// already said, on one line where they are short.
func expectation(words string) string {
	s := opening.ReplaceAllString(words, "")
	s = typed.ReplaceAllString(s, "")
	if one := strings.Join(strings.Fields(s), " "); len(one) <= 100 {
		return one
	}
	return s
}

// behind says what a number rests on, a line for each thing.
func behind(r record.SplitResult) string {
	var lines []string
	add := func(label, text string) {
		lines = append(lines, fmt.Sprintf("%s%-9s %s", format.Indent, label+":", text))
	}
	add("cells", fmt.Sprintf("%d valid of %d declared%s", r.NCells-r.NMissing, r.NCells, missingList(r)))
	add("tasks", fmt.Sprintf("%d scored of %d declared", r.NScored, r.NTasks))
	if s := rewardLine(r); s != "" {
		add("reward", s)
	}
	if s := causes(r, record.Cause.Agent); s != "" {
		add("agent", s)
	}
	if s := worst(r); s != "" {
		add("worst", s)
	}
	if r.Subset {
		add("subset", "only a selection of the split ran, so this is not a result of the whole split")
	}
	for _, w := range r.Warnings {
		add("warning", clean(w.Code)+": "+line(w.Message))
	}
	return strings.Join(lines, "\n")
}

func rewardLine(r record.SplitResult) string {
	v, ok := r.Reward.Value()
	if !ok {
		return ""
	}
	s := short(v)
	if low, ok := r.CI.Low.Value(); ok {
		high, _ := r.CI.High.Value()
		s += fmt.Sprintf(", %s%% interval %s..%s (%s)", short(100*r.CI.Level), short(low), short(high), clean(r.CI.Method))
	}
	if e, ok := r.Stderr.Value(); ok {
		s += ", stderr " + short(e)
		if identical(r) != "" {
			s += " (" + record.WarnIdenticalTrials + ", see the warning)"
		}
	}
	return s
}

// identical returns the warning that different seeds gave equal outputs, "" if
// there is none.
func identical(r record.SplitResult) string {
	for _, w := range r.Warnings {
		if w.Code == record.WarnIdenticalTrials {
			return w.Code + ": " + line(w.Message)
		}
	}
	return ""
}

func missingList(r record.SplitResult) string {
	s := causes(r, record.Cause.Missing)
	if s == "" {
		return ""
	}
	return "; missing: " + s
}

// causes lists the causes of one kind, most frequent first.
func causes(r record.SplitResult, kind func(record.Cause) bool) string {
	keys := slices.SortedFunc(maps.Keys(r.ByCause), func(a, b record.Cause) int {
		return cmp.Or(cmp.Compare(r.ByCause[b], r.ByCause[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, c := range keys {
		if kind(c) {
			parts = append(parts, fmt.Sprintf("%s %d", c, r.ByCause[c]))
		}
	}
	return strings.Join(parts, ", ")
}

// The length of lists in a message.
const (
	shownTasks  = 3
	shownTrials = 10
)

// worst lists the scored tasks with the lowest rewards below 1, with the
// rewards of their trials. A missing trial is a dash.
func worst(r record.SplitResult) string {
	var tasks []record.TaskResult
	for _, t := range r.PerTask {
		if v, ok := t.Reward.Value(); ok && v < 1 {
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b record.TaskResult) int {
		x, _ := a.Reward.Value()
		y, _ := b.Reward.Value()
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Task, b.Task))
	})
	var parts []string
	for _, t := range tasks[:min(len(tasks), shownTasks)] {
		v, _ := t.Reward.Value()
		var marks []string
		for i, e := range t.TrialRewards {
			if i == shownTrials {
				marks = append(marks, "...")
				break
			}
			mark := "-"
			if x, ok := e.Value(); ok {
				mark = short(x)
			}
			marks = append(marks, mark)
		}
		parts = append(parts, fmt.Sprintf("%s %s [%s]", clean(t.Task), short(v), strings.Join(marks, " ")))
	}
	return strings.Join(parts, ", ")
}

// short prints v with four digits, exactly when rounding would make it a 1 that
// it is not.
func short(v float64) string {
	if s := strconv.FormatFloat(v, 'g', 4, 64); s != "1" {
		return s
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// clean returns an id as it is when it is short and plain, else quoted and cut.
func clean(s string) string {
	const most = 60
	cut := s
	if r := []rune(s); len(r) > most {
		cut = string(r[:most/2]) + "..." + string(r[len(r)-most/2:])
	}
	if q := strconv.QuoteToGraphic(cut); s == "" || q != `"`+cut+`"` || strings.ContainsAny(cut, " ,") {
		return q
	}
	return cut
}

// line returns a text on one line, without control characters, cut at 300
// characters.
func line(s string) string { return lineOf(s, 300) }

// lineOf is line with the number of characters at which it cuts.
func lineOf(s string, most int) string {
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	q := strconv.QuoteToGraphic(s)
	if q == `"`+s+`"` || strings.ReplaceAll(q, `\"`, `"`) == `"`+s+`"` && !strings.Contains(s, `\`) {
		return s
	}
	return q
}
