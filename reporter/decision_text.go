package reporter

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/gate"
)

// WriteDecisionText writes a verdict for a terminal: first a sentence for each
// suite that needs no statistics, then a block for each with the numbers and the
// tasks behind it. A writer that fails is the only cause of an error.
func WriteDecisionText(w io.Writer, d Document, opts TextOptions) error {
	if opts.Width == 0 {
		opts.Width = 80
	}
	t := &text{width: max(opts.Width, 60), color: opts.Color}
	if len(d.Decisions) == 0 {
		t.line("no suite was compared")
	}
	if len(d.Decisions) > 1 {
		t.wrapped(bold, fmt.Sprintf("%s: %s", named(string(d.Verdict)), tally(d.Decisions)))
	}
	for _, s := range d.Decisions {
		t.wrapped(bold, headline(s))
	}
	for _, s := range d.Decisions {
		t.line("")
		if err := t.decision(s); err != nil {
			return fmt.Errorf("table of suite %q: %w", s.Decision.Suite, err)
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// tally counts the verdicts of several suites.
func tally(suites []SuiteDecision) string {
	counts := map[gate.Outcome]int{}
	for _, s := range suites {
		counts[s.Decision.Verdict]++
	}
	var parts []string
	for _, o := range []gate.Outcome{gate.Rejected, gate.Indecisive, gate.Accepted} {
		if n := counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return fmt.Sprintf("of %d suites %s", len(suites), strings.Join(parts, ", "))
}

// wrapped writes a sentence over as many lines as it takes.
func (t *text) wrapped(look, s string) {
	for _, l := range wrap(s, t.width) {
		t.line(t.style(look, l))
	}
}

// The longest a message of a decision may become.
const maxMessage = 1200

// decision writes the block of one suite.
func (t *text) decision(s SuiteDecision) error {
	d := s.Decision
	title := fmt.Sprintf("%s, split %s, rule %s", named(d.Suite), named(string(d.Split)), named(d.Rule))
	t.line(t.style(bold, shortenMiddle(title, t.width)))
	look := faint
	if d.Verdict != gate.Accepted {
		look = yellow
	}
	t.item(look, verdictLabel(d.Verdict), shortenEnd(oneLine(d.Message), maxMessage)+" ("+named(d.Code)+")")
	t.evidence(d)
	t.item(faint, "paired", pairedLine(d))
	for _, g := range d.Guards {
		look := faint
		if g.Verdict == gate.Rejected {
			look = yellow
		}
		t.item(look, "limit", limitLine(g))
	}
	if err := t.changes(s); err != nil {
		return err
	}
	t.unpaired(s)
	for _, w := range d.Warnings {
		t.item(yellow, "warning", named(w.Code)+": "+shortenEnd(oneLine(w.Message), 400))
	}
	return nil
}

// verdictLabel is the verdict as the label of a line.
func verdictLabel(o gate.Outcome) string {
	switch o {
	case gate.Accepted, gate.Rejected, gate.Indecisive:
		return string(o)
	}
	return "compared" // nobody judged it
}

// evidence writes the numbers of a decision that has them.
func (t *text) evidence(d gate.Decision) {
	if _, ok := d.Delta.Value(); !ok {
		return
	}
	t.item(faint, "reward", fmt.Sprintf("candidate %s, baseline %s", share(d.Reward.Candidate, 3), share(d.Reward.Baseline, 3)))
	delta := difference(d.Delta)
	if _, ok := d.CI.Low.Value(); ok {
		delta += fmt.Sprintf(", %s interval %s..%s (%s)", percent(d.CI.Level), difference(d.CI.Low), difference(d.CI.High), named(d.CI.Method))
	}
	t.item(faint, "change", delta)
	p := fmt.Sprintf("better %s, worse %s (scope %s, one-sided, alpha %s)", chance(d.PBetter), chance(d.PWorse), named(d.Scope), named(d.Alpha))
	if d.Scope == gate.ScopeSuite {
		p += "; on more tasks like these " + chance(d.PPopulation)
	}
	if d.PExact != nil {
		p += "; exactly " + shortenMiddle(oneLine(*d.PExact), 60)
	}
	t.item(faint, "p", p)
	if v, ok := d.MDE80.Value(); ok && v > 1 {
		t.item(faint, "finds", "no change is large enough to be found four times in five")
	} else {
		t.item(faint, "finds", share(d.MDE80, 3)+": a change of this size is found four times in five")
	}
	low, _ := d.Bounds.Low.Value()
	high, ok := d.Bounds.High.Value()
	if ok && low != high {
		bounds := fmt.Sprintf("%s..%s: the change if what is missing were 0 or 1, for and against", difference(d.Bounds.Low), difference(d.Bounds.High))
		if d.Fragile {
			bounds += "; that could turn its sign"
		}
		t.item(yellow, "bounds", bounds)
	}
}

func pairedLine(d gate.Decision) string {
	s := fmt.Sprintf("%d of %d tasks have a valid trial in both arms", d.NPaired, d.NTasks)
	if _, ok := d.CellCoverage.Baseline.Value(); ok {
		s += fmt.Sprintf("; cells valid: candidate %s, baseline %s", share(d.CellCoverage.Candidate, 3), share(d.CellCoverage.Baseline, 3))
	}
	return s
}

func limitLine(g gate.LimitResult) string {
	s := named(g.Limit) + ": "
	switch g.Verdict {
	case gate.Rejected:
		s += "beyond it"
	case gate.Accepted:
		s += "within it"
	default:
		s += "cannot tell"
	}
	if _, ok := g.Candidate.Value(); !ok {
		return s + " (no measurement in both arms)"
	}
	s += fmt.Sprintf("; candidate %s, baseline %s", figure(g.Candidate), figure(g.Baseline))
	if _, ok := g.Change.Value(); ok {
		show := rise
		if strings.HasSuffix(g.Limit, "%") {
			show = relative
		}
		s += fmt.Sprintf(", changed by %s, %s interval %s..%s", show(g.Change), percent(g.CI.Level), show(g.CI.Low), show(g.CI.High))
	}
	return s
}

// shownChanges is how many changed tasks a block shows.
const shownChanges = 12

// changes writes the tasks that changed, the largest drop first.
func (t *text) changes(s SuiteDecision) error {
	d := s.Decision
	if d.NPaired == 0 || len(d.PerTask) == 0 {
		return nil
	}
	title := fmt.Sprintf("%d regressed, %d improved, %d unchanged", len(d.Regressed), len(d.Improved), d.Unchanged)
	switch {
	case s.Claimed > 0:
		title += fmt.Sprintf(" (%s shown to have changed by itself)", claimMark)
	case len(s.Changed) > 0:
		title += " (none is shown to have changed by itself)"
	}
	t.item(faint, "tasks", title)
	if len(s.Changed) == 0 {
		return nil
	}
	const indent = "    "
	rows := s.Changed[:min(len(s.Changed), shownChanges)]
	cols := []column{{name: "change"}, {name: "baseline"}, {name: "candidate"}, {name: "trials"}, {name: "p"}, {name: "task", left: true}}
	for _, r := range rows {
		mark := " "
		if r.Claimed {
			mark = claimMark
		}
		for i, cell := range []string{
			difference(r.Delta), share(r.Baseline, 3), share(r.Candidate, 3),
			fmt.Sprintf("%d:%d", r.NBaseline, r.NCandidate), chance(r.P),
		} {
			cols[i].cells = append(cols[i].cells, cell)
		}
		cols[5].cells = append(cols[5].cells, mark+" "+named(r.Task))
	}
	room := max(t.width-len(indent)-tableWidth(cols[:5])-len(gap), minTask)
	for i, s := range cols[5].cells {
		cols[5].cells[i] = shortenMiddle(s, room)
	}
	cols[5].name = "  task"
	if !slices.ContainsFunc(rows, func(r gate.TaskDecision) bool { return r.Claimed }) {
		cols[5].name = "task"
		for i, s := range cols[5].cells {
			cols[5].cells[i] = strings.TrimPrefix(s, "  ")
		}
	}
	if err := t.table(indent, cols); err != nil {
		return err
	}
	if more := len(s.Changed) - len(rows); more > 0 {
		t.line(fmt.Sprintf("%s%d more changed, the largest gains among them", indent, more))
	}
	return nil
}

// claimMark stands beside a task that is shown to have changed by itself.
const claimMark = "*"

// unpaired names tasks that no number rests on.
func (t *text) unpaired(s SuiteDecision) {
	if len(s.Unpaired) == 0 {
		return
	}
	why := whyUnpaired(s.Decision)
	var parts []string
	for _, r := range s.Unpaired[:min(len(s.Unpaired), shownTasks)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", named(r.Task), why(r)))
	}
	list := strings.Join(parts, ", ")
	if more := len(s.Unpaired) - len(parts); more > 0 {
		list += fmt.Sprintf(", %d more", more)
	}
	t.item(yellow, "not paired", list)
}

// whyUnpaired returns what says why a task of d has no number.
func whyUnpaired(d gate.Decision) func(gate.TaskDecision) string {
	only := map[string]string{}
	for _, id := range d.OnlyCandidate {
		only[id] = "the baseline does not declare it"
	}
	for _, id := range d.OnlyBaseline {
		only[id] = "the candidate does not declare it"
	}
	return func(r gate.TaskDecision) string {
		why, ok := only[r.Task]
		switch {
		case ok:
			return why
		case r.NBaseline == 0 && r.NCandidate == 0:
			return "missing in both arms"
		case r.NBaseline == 0:
			return "missing in the baseline"
		case r.NCandidate == 0:
			return "missing in the candidate"
		}
		return "no valid trial in both arms"
	}
}

// difference prints a number of [-1, 1] with its sign, a dash when there is none.
// Only 0 prints as 0.
func difference(n number) string {
	v, ok := n.Value()
	switch {
	case !ok:
		return "-"
	case v == 0:
		return share(n, 3)
	case v > 0:
		return "+" + share(n, 3)
	}
	return "-" + share(magnitude(-v), 3)
}

// magnitude is a number without its sign.
type magnitude float64

func (m magnitude) Value() (float64, bool) { return float64(m), true }

func (m magnitude) Format(decimals int) string {
	return strconv.FormatFloat(float64(m), 'f', decimals, 64)
}

// chance prints a p-value with two figures that count, a dash when there is none.
func chance(n number) string {
	v, ok := n.Value()
	switch {
	case !ok:
		return "-"
	case v >= 0.0995 && v < 1:
		return share(n, 2)
	case v >= 0.001:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'e', 1, 64)
}

// figure prints a metric with four figures that count.
func figure(n number) string {
	v, ok := n.Value()
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// rise prints the change of a metric with its sign.
func rise(n number) string {
	v, ok := n.Value()
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%+.4g", v)
}

// relative prints a change over the baseline in percent.
func relative(n number) string {
	v, ok := n.Value()
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%+.1f%%", 100*v)
}
