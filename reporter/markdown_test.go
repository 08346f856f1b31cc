package reporter_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

func markdown(t testing.TB, d reporter.Document, opts reporter.MarkdownOptions) (string, reporter.MarkdownExtent) {
	t.Helper()
	var b bytes.Buffer
	ext, err := reporter.WriteMarkdown(&b, d, opts)
	if err != nil {
		t.Fatal(err)
	}
	budget := opts.Budget
	if budget == 0 {
		budget = reporter.CommentBudget
	}
	if ext.Bytes != b.Len() || b.Len() == 0 || b.Len()+opts.Taken > budget || !utf8.Valid(b.Bytes()) {
		t.Fatalf("wrote %d bytes (reported %d) where %d of %d were taken", b.Len(), ext.Bytes, opts.Taken, budget)
	}
	return b.String(), ext
}

func TestMarkdownGolden(t *testing.T) {
	d := reporter.Build(sample(t))
	whole, ext := markdown(t, d, reporter.MarkdownOptions{})
	if ext.Hidden != 0 {
		t.Errorf("%d rows hidden", ext.Hidden)
	}
	golden(t, "markdown.golden", whole)
	small, _ := markdown(t, d, reporter.MarkdownOptions{Budget: 4000})
	golden(t, "markdown_4000.golden", small)
	none, _ := markdown(t, reporter.Build(reporter.Input{}), reporter.MarkdownOptions{})
	golden(t, "markdown_none.golden", none)
	for _, md := range []string{whole, small, none} {
		mdPage(t, md)
		checkRaw(t, md)
	}
}

// Rows and cells are those of the tasks, in the order of the document.
func TestMarkdownSaysWhatTheDocumentSays(t *testing.T) {
	d := reporter.Build(sample(t))
	md, _ := markdown(t, d, reporter.MarkdownOptions{})
	root := mdPage(t, md)
	ts := tables(root)
	want := func(found []table, n int, ids func(i int) []string) {
		t.Helper()
		if len(found) != n {
			t.Fatalf("%d tables, need %d", len(found), n)
		}
		for i, tab := range found {
			if got := column0(tab); !slices.Equal(got, ids(i)) {
				t.Errorf("table %d: got %v, want %v", i, got, ids(i))
			}
			for _, r := range tab.rows {
				if len(r) != len(tab.header) {
					t.Errorf("%d cells under %d names: %v", len(r), len(tab.header), r)
				}
			}
		}
	}
	var changed, unpaired [][]string
	ids := func(rs []gate.TaskDecision) (ids []string) {
		for _, r := range rs {
			ids = append(ids, r.Task)
		}
		return ids
	}
	for _, s := range d.Decisions {
		if len(s.Changed) > 0 {
			changed = append(changed, ids(s.Changed))
		}
		if len(s.Unpaired) > 0 {
			unpaired = append(unpaired, ids(s.Unpaired))
		}
	}
	want(tablesWith(ts, "task", "change"), len(changed), func(i int) []string { return changed[i] })
	want(tablesWith(ts, "task", "why it is in no number"), len(unpaired), func(i int) []string { return unpaired[i] })
	var measured [][]string
	for _, s := range d.Suites {
		var ids []string
		for _, ts := range [][]record.TaskResult{s.Worst, s.Unscored} {
			for _, r := range ts {
				ids = append(ids, r.Task)
			}
		}
		for _, r := range s.Result.PerTask {
			if !slices.Contains(ids, r.Task) {
				ids = append(ids, r.Task)
			}
		}
		if len(ids) > 0 {
			measured = append(measured, ids)
		}
	}
	want(tablesWith(ts, "task", "reward"), len(measured), func(i int) []string { return measured[i] })
	want(tablesWith(ts, "check"), 1, func(int) []string { return []string{"reward floor", "stderr", "coverage"} })
	want(tablesWith(ts, "suite", "release", "reward"), 1, func(int) []string { return []string{"held"} })
	want(tablesWith(ts, "suite", "release", "time"), 1, func(int) []string { return []string{"held"} })

	// A task without a measurement is missing and has no number.
	row := tablesWith(ts, "task", "reward")[2].rows[7]
	if got := strings.Join(row, ","); got != "subscription,missing,-,0/5,· · · · ·,missing: rate_limit 4, setup 1" {
		t.Errorf("got %s", got)
	}
	if got := root.kids[0].words(); !strings.HasPrefix(got, "rejected: of 5 suites 1 rejected, 2 indecisive, 2 accepted") {
		t.Errorf("the first line is %q", got)
	}
	items := root.all("li")
	for i, h := range d.Headlines {
		if got := strings.TrimSpace(items[i].words()); got != h.Text {
			t.Errorf("got %q, want %q", got, h.Text)
		}
	}
}

// nasty are texts that would be something else than themselves somewhere.
var nasty = append(slices.Clone(hostile),
	`a|b`, "`a|b`", `\|`, `a\|b`, `\`, "`", "``", "a`", "`a", "a``b", "| --- |", "<!-- x", "<details>", "</details>", "<script>alert(1)</script>", "&amp; &#124; &lt;", "<https://x.example>",
	"@name", "ping @org/team now", "#12", "GH-12", "owner/repo#1", "owner/repo@0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01234567", "deadbee", "https://x.example/y?z=1", "www.example.com", "ftp://x.example", "a.b@example.com", "mailto:a@example.com", ":smile: :+1: :100:", "$x$ $`y`$",
	"# h", "- l", "+ l", "* l", "1. l", "1) l", "> q", "---", "===", "***", "```", "~~~", "- [ ] t", "[x](http://y)", "![i](j)", "[^1]", "**b** _i_ ~~s~~ __b__", "a  b", "    code", "| a | b |\n|---|---|\n| 1 | 2 |",
	"::error::x", "::add-mask::x", "::stop-commands::t", "##[error]x", "##[add-mask]x", "##vso[task.setvariable]x", "%0A::error::x", "x%25,y=z:w", "\u0301mark", "\u200bzero", "\u202erevoked", "a\u2028b",
	"🇩🇪🇫🇷", "👍🏽", "각", "नमस्ते", "משימה 12", "客户退款", "...", ":", "", "\ufffe\uffff", "x\x00y",
)

// P24, P25, P26, P27: newlines, pipes, HTML, backticks, headers and scripts: an id
// and a text read as they were, in one cell of one row.
func TestMarkdownCells(t *testing.T) {
	for _, s := range nasty {
		checkCells(t, s)
	}
}

func FuzzMarkdownCells(f *testing.F) {
	f.Add("`a|b` \\| <b> @c #1")
	f.Fuzz(func(t *testing.T, s string) { checkCells(t, s) })
}

// checkCells reads s back from a code span, a cell and a list.
func checkCells(t testing.TB, s string) {
	t.Helper()
	clean := reporter.Clean(s)
	if clean == "" {
		return
	}
	id, text := reporter.ClipMiddle(clean, 200), reporter.ClipEnd(clean, 200)
	if n := max(utf8.RuneCountInString(id), utf8.RuneCountInString(text)); n > 200 {
		t.Fatalf("%d runes", n)
	}
	head, rows, err := reporter.RenderMarkdown([]string{"pass@1", "task_id", "p.value"}, []string{reporter.MarkdownCode(id), reporter.MarkdownText(text), "end"})
	if err != nil {
		t.Fatal(err)
	}
	md := head + rows + "\n- " + reporter.MarkdownText(text) + "\n"
	root := mdPage(t, md)
	checkRaw(t, md)
	tab := tables(root)[0]
	if want := []string{"pass@1", "task_id", "p.value"}; !slices.Equal(tab.header, want) {
		t.Fatalf("the header reads %q, want %q", tab.header, want)
	}
	if want := []string{id, text, "end"}; len(tab.rows) != 1 || !slices.Equal(tab.rows[0], want) {
		t.Fatalf("%q reads %q, want %q", s, tab.rows, want)
	}
	if got := root.all("li"); len(got) != 1 || strings.TrimSpace(got[0].words()) != text {
		t.Fatalf("%q in a list reads %q, want %q", s, got[0].words(), text)
	}
}

// P26: headers are verbatim. P27: every column says how it is aligned.
func TestMarkdownHeaders(t *testing.T) {
	md, _ := markdown(t, reporter.Build(sample(t)), reporter.MarkdownOptions{})
	tab := tables(mdPage(t, md))[0]
	if got := strings.Join(tab.header, ","); got != "suite,split,arm,reward,95% interval,stderr,tasks,cells,pass^1,pass^2,pass^3,pass^4,missing,method" {
		t.Errorf("got %s", got)
	}
	for i, a := range tab.aligns {
		want := "right"
		if i < 3 || i == len(tab.aligns)-1 {
			want = "left"
		}
		if !strings.HasSuffix(a, want) {
			t.Errorf("column %s: %q, want %s", tab.header[i], a, want)
		}
	}
}

// hostileDocument has s wherever a text from outside may stand.
func hostileDocument(t testing.TB, s string) reporter.Document {
	v := one(t, []string{"a=111111", "b=1111", "c=-", "d=1", "e=01"}, []string{"a=000000", "b=0000", "c=-", "f=1", "e=11"}, gate.NoRegression())
	d := &v.Suites[0]
	d.Suite, d.Split, d.Rule, d.Scope, d.Alpha, d.Code, d.Message, d.CI.Method = s, record.Split(s), s, s, s, s, s, s
	d.PExact = &s
	d.Warnings = []record.Warning{{Code: s, Message: s}}
	d.Guards = []gate.LimitResult{{Metric: s, Limit: s, Verdict: gate.Rejected}}
	d.OnlyBaseline = []string{s}
	for i := range d.PerTask {
		d.PerTask[i].Task = s
	}
	other := *d
	other.Verdict = gate.Outcome(s)
	var r record.SplitResult
	for _, x := range results(t) {
		if x.Suite == "refund-agent" {
			r = x
		}
	}
	r.Suite, r.Arm, r.Split, r.CI.Method = s, s, record.Split(s), s
	r.Run.ID, r.Run.Started, r.Run.Ended, r.Run.Commit = s, s, s, s
	r.Warnings = []record.Warning{{Code: s, Message: s}}
	r.ByCause = map[record.Cause]int{record.Cause(s): 1, record.CauseSetup: 2}
	r.PerTask = slices.Clone(r.PerTask)
	for i := range r.PerTask {
		p := &r.PerTask[i]
		p.Task, p.Cluster = s, s
		p.Feedback = slices.Repeat([]string{s}, p.NTrials)
		p.Causes = slices.Repeat([]record.Cause{record.Cause(s)}, p.NTrials)
	}
	f := published(t)
	f.Suite, f.Status, f.Seal.Key, f.Seal.Release, f.Seal.Attempt = s, record.FinalStatus(s), s, s, s
	f.Seal.Previous = []record.PastLook{{Suite: s, Release: s, Attempt: s, Time: s, Result: &s}}
	f.Seal.Overrides = []record.Override{{Reason: s, Actor: s, RunURL: s}}
	f.Seal.Contaminated = []string{s, s}
	f.Ledger = record.FinalLedger{ID: s, Scope: s, Ref: s}
	f.Candidate = record.Source{Commit: s, Ref: s, Dir: s, Digest: s}
	f.Run = record.CIRun{Provider: s, ID: s, URL: s, Actor: s}
	return reporter.Build(reporter.Input{
		Results: []record.SplitResult{r}, Decisions: []gate.Decision{*d, other}, Verdict: gate.Rejected, Finals: []record.Final{f},
		Checks: []reporter.Check{{Suite: s, Split: record.Split(s), Name: s, State: reporter.CheckFailed, Message: s}, {Suite: s, Name: s, State: reporter.CheckState(s), Message: s}},
		Notes:  []string{s, s},
	})
}

// shape is what must not depend on a text: the names and the number of rows of
// each table, and how many elements of each kind there are.
func shape(root *mdNode) string {
	var b strings.Builder
	var lines []string // sorted, because results come in the order of their names
	for _, tab := range tables(root) {
		lines = append(lines, fmt.Sprintln(tab.header, len(tab.rows)))
		for _, r := range tab.rows {
			if len(r) != len(tab.header) {
				lines = append(lines, fmt.Sprintln("a row of", len(r)))
			}
		}
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
	for _, name := range []string{"p", "ul", "li", "h3", "pre", "details", "summary"} {
		fmt.Fprintln(&b, name, len(root.all(name)))
	}
	return b.String()
}

// plainShape is that of a harmless text.
var plainShape = func() func(testing.TB) string {
	var once sync.Once
	var s string
	return func(t testing.TB) string {
		once.Do(func() {
			md, _ := markdown(t, hostileDocument(t, "plain"), reporter.MarkdownOptions{Budget: reporter.SummaryBudget})
			s = shape(mdPage(t, md))
		})
		return s
	}
}()

// checkHostile writes a document full of s under several budgets.
func checkHostile(t testing.TB, s string, budgets ...int) {
	t.Helper()
	d := hostileDocument(t, s)
	whole, ext := markdown(t, d, reporter.MarkdownOptions{Budget: reporter.SummaryBudget})
	root := mdPage(t, whole)
	checkRaw(t, whole)
	if got, want := shape(root), plainShape(t); ext.Hidden != 0 || got != want {
		t.Fatalf("%q changes the shape: got\n%swant\n%s\n%s", s[:min(len(s), 100)], got, want, cut(whole))
	}
	id := reporter.ClipMiddle(reporter.Clean(s), 200)
	if id == "" {
		id = "-"
	}
	for _, tab := range append(tablesWith(tables(root), "task", "change"), tablesWith(tables(root), "task", "why it is in no number")...) {
		for _, got := range column0(tab) {
			if got != id {
				t.Fatalf("an id reads %q, want %q", got, id)
			}
		}
	}
	for _, b := range budgets {
		md, ext := markdown(t, d, reporter.MarkdownOptions{Budget: b})
		first, _, full := strings.Cut(whole, "\n")
		if got, _, _ := strings.Cut(md, "\n"); !ext.Shortened && got != first || ext.Shortened && b > len(first) || !full {
			t.Fatalf("budget %d: the first line is %q, want %q", b, got, first)
		}
		if ext.Shortened {
			continue
		}
		checkOrder(t, root, mdPage(t, md), ext)
		checkRaw(t, md)
	}
}

// checkOrder finds everything of a cut page in the whole one, in its order.
func checkOrder(t testing.TB, whole, part *mdNode, ext reporter.MarkdownExtent) {
	t.Helper()
	rows := func(n *mdNode) (lines []string) {
		for _, name := range []string{"li", "tr"} {
			for _, x := range n.all(name) {
				lines = append(lines, x.words())
			}
		}
		return lines
	}
	all := rows(whole)
	at := 0
	for _, l := range rows(part) {
		i := slices.Index(all[at:], l)
		if i < 0 {
			t.Fatalf("a cut report has a row of its own, or another order: %q", l)
		}
		at += i + 1
	}
	if ext.Hidden > 0 && !strings.Contains(part.words(), "rows not shown") && ext.Bytes > 2000 {
		t.Fatalf("%d rows are hidden and nothing says so:\n%s", ext.Hidden, part.words())
	}
}

func TestHostileMarkdown(t *testing.T) {
	budgets := []int{1, 2, 50, 300, 1000, 3000, 6000, 9000, 14_000}
	for i, s := range nasty {
		checkHostile(t, s, budgets[i%len(budgets)], budgets[(i+4)%len(budgets)])
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("a|b `c` <details> @d\n| - |", uint16(5000)) // the rest is in testdata/fuzz, and in TestHostileMarkdown
	f.Fuzz(func(t *testing.T, s string, budget uint16) {
		checkHostile(t, s, int(budget)+1)
	})
}

// P28: one long value. It costs what it holds, however many rows there are.
func TestMarkdownIsLinearInItsTexts(t *testing.T) {
	size := func(n int, long string) int {
		in := many(t, n, 2)
		in.Decisions = nil
		if long != "" {
			for i := range in.Results {
				p := &in.Results[i].PerTask[0]
				p.Feedback = slices.Repeat([]string{long}, p.NTrials)
				p.Causes = slices.Repeat([]record.Cause{record.CauseExpectation}, p.NTrials)
				p.Task = "zero-" + long
			}
		}
		md, _ := markdown(t, reporter.Build(in), reporter.MarkdownOptions{Budget: 100_000_000})
		return len(md)
	}
	// A cell is at most 200 runes, and 2 x 2 cells have the long text.
	if base, long := size(2000, ""), size(2000, strings.Repeat("x", 5000)); long-base > 2*2*220 {
		t.Errorf("one error of 5000 characters among 2000 tasks makes %d bytes of %d", long, base)
	}
	if one, two := size(1000, "x"), size(2000, "x"); two > 2*one+1000 {
		t.Errorf("1000 tasks take %d bytes, 2000 take %d", one, two)
	}
}

// P28 again: outputs of 12 MB are cut before anything is made of them.
func TestMarkdownOfHugeTexts(t *testing.T) {
	start := time.Now()
	size := 1 << 20
	if os.Getenv("CAPEVAL_LONG") != "" {
		size *= 12
	}
	s := strings.Repeat("<details> @x 客|`", size/18)
	d := reporter.Build(reporter.Input{Notes: []string{s}, Checks: []reporter.Check{{Name: s, Suite: s, State: reporter.CheckFailed, Message: s}}})
	md, _ := markdown(t, d, reporter.MarkdownOptions{})
	mdPage(t, md)
	if took := time.Since(start); len(md) > 20_000 || took > 20*time.Second {
		t.Errorf("%d bytes in %v", len(md), took)
	}
}

// P29: a step's summary that already holds 900 kB, 20,000 tasks, ids in scripts of
// three bytes a character. P30: a comment on the same.
func TestMarkdownBudgets(t *testing.T) {
	n := 4000
	if os.Getenv("CAPEVAL_LONG") != "" {
		n = 20_000
	}
	d := reporter.Build(many(t, n, 2))
	for _, opts := range []reporter.MarkdownOptions{{}, {Budget: reporter.SummaryBudget, Taken: 900_000}, {Budget: reporter.SummaryBudget, Taken: 999_000}, {Budget: reporter.CommentBudget, Taken: 60}} {
		md, ext := markdown(t, d, opts)
		root := mdPage(t, md)
		checkRaw(t, md)
		shown := 0
		for _, tab := range tables(root) {
			shown += len(tab.rows)
		}
		if ext.Hidden < 2000 || !strings.Contains(md, "This report was cut to its budget") {
			t.Errorf("%d rows hidden", ext.Hidden)
		}
		if free := opts.Budget - opts.Taken - len(md); opts.Budget != 0 && free > 500 {
			t.Errorf("%d bytes of the budget are left though rows are hidden", free)
		}
		if deltas := tablesWith(tables(root), "task", "change"); len(deltas) == 1 {
			for i, id := range column0(deltas[0]) {
				if id != d.Decisions[0].Changed[i].Task {
					t.Fatalf("row %d is %s, want the worst first: %s", i, id, d.Decisions[0].Changed[i].Task)
				}
			}
		} else if opts.Taken < 990_000 {
			t.Errorf("%d tables of changes", len(deltas))
		}
		t.Logf("%+v: %d bytes, %d rows in tables, %d hidden", opts, len(md), shown, ext.Hidden)
	}
}

// P30: 900 regressed tasks fit no comment; the verdict, the worst, the checks and
// what is behind the verdict do.
func TestMarkdownOf900Regressions(t *testing.T) {
	var b, c []string
	for i := range 900 {
		b = append(b, fmt.Sprintf("a-rather-long-name-of-a-task-that-regressed-%03d=1111", i))
		c = append(c, fmt.Sprintf("a-rather-long-name-of-a-task-that-regressed-%03d=000%d", i, i%2))
	}
	v := one(t, b, c, gate.NoRegression())
	in := reporter.Input{Decisions: v.Suites, Verdict: v.Verdict, Checks: []reporter.Check{{Suite: "support", Split: record.Val, Name: "floor", State: reporter.CheckFailed, Message: "too low"}}}
	md, ext := markdown(t, reporter.Build(in), reporter.MarkdownOptions{})
	root := mdPage(t, md)
	rows := tablesWith(tables(root), "task", "change")[0].rows
	if len(rows) < 400 || len(rows)+ext.Hidden < 900 {
		t.Errorf("%d rows and %d hidden", len(rows), ext.Hidden)
	}
	for i, r := range rows {
		if want := "-1.000"; i < 450 && r[1] != want {
			t.Fatalf("row %d: %v, want %s", i, r, want)
		}
	}
	for _, s := range []string{"rejected: support got worse", fmt.Sprintf("%d of 900 rows not shown", 900-len(rows)), "too low", "Numbers behind support"} {
		if !strings.Contains(root.words(), s) {
			t.Errorf("no %q in the comment", s)
		}
	}
}

// Every budget is kept, down to a single byte, and one that is used up is an error.
func TestMarkdownTinyBudgets(t *testing.T) {
	d := reporter.Build(sample(t))
	whole, _ := markdown(t, d, reporter.MarkdownOptions{})
	first, _, _ := strings.Cut(whole, "\n")
	for budget := 1; budget < 6000; budget += 1 + budget/60*7 {
		md, ext := markdown(t, d, reporter.MarkdownOptions{Budget: budget + 7, Taken: 7})
		if !strings.HasPrefix(first, strings.TrimRight(md, "…\n")) && ext.Shortened {
			t.Fatalf("budget %d: %q", budget, md)
		}
		if ext.Shortened != (budget <= len(first)) {
			t.Fatalf("budget %d: shortened is %v for a line of %d", budget, ext.Shortened, len(first))
		}
		mdPage(t, md)
	}
	if _, err := reporter.WriteMarkdown(&bytes.Buffer{}, d, reporter.MarkdownOptions{Budget: 10, Taken: 10}); err == nil || err.Error() != "no room for a report: of a budget of 10 bytes 10 are taken, need at least 1 left" {
		t.Errorf("got %v", err)
	}
	if _, err := reporter.WriteMarkdown(broken{}, d, reporter.MarkdownOptions{}); err != os.ErrClosed {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}

// P27: the same bytes under any locale and terminal.
func TestMarkdownInAnyLocale(t *testing.T) {
	if os.Getenv("CAPEVAL_PRINT_MARKDOWN") != "" {
		md, _ := markdown(t, reporter.Build(many(t, 40, 2)), reporter.MarkdownOptions{})
		fmt.Print("<<<" + md + ">>>")
		return
	}
	run := func(env ...string) string {
		c := exec.Command(os.Args[0], "-test.run=^TestMarkdownInAnyLocale$")
		c.Env = append(append(os.Environ(), "CAPEVAL_PRINT_MARKDOWN=1"), env...)
		out, err := c.CombinedOutput()
		_, s, _ := strings.Cut(string(out), "<<<")
		s, _, ok := strings.Cut(s, ">>>")
		if err != nil || !ok {
			t.Fatalf("%v\n%s", err, out)
		}
		return s
	}
	want := run("LC_ALL=C", "RUNEWIDTH_EASTASIAN=0")
	for _, env := range [][]string{{"RUNEWIDTH_EASTASIAN=1"}, {"LC_ALL=ja_JP.UTF-8", "LANG=ja_JP.UTF-8", "TERM=linux"}, {"LC_ALL=tr_TR.UTF-8"}} {
		if got := run(env...); got != want {
			t.Errorf("%v changes the bytes", env)
		}
	}
}

// A comparison that nobody judged says so.
func TestMarkdownOfAComparison(t *testing.T) {
	r := gate.NoRegression()
	d, err := gate.Compare(measured(t, "support", "baseline", "a=11", "b=01"), measured(t, "support", "candidate", "a=01", "b=01"), r)
	if err != nil {
		t.Fatal(err)
	}
	md, _ := markdown(t, reporter.Build(reporter.Input{Decisions: []gate.Decision{d}}), reporter.MarkdownOptions{})
	if got, _, _ := strings.Cut(md, "\n"); !strings.HasPrefix(got, "compared, and nobody judged: support: the candidate's mean reward is 0.50, the baseline's 0.75, a change of -0.250 (95% interval ") {
		t.Errorf("got %q", got)
	}
}

func BenchmarkMarkdown(b *testing.B) {
	d := reporter.Build(many(b, 10_000, 5)) // two arms: 100,000 trials
	for _, budget := range []int{reporter.CommentBudget, reporter.SummaryBudget, 100_000_000} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			for b.Loop() {
				var out bytes.Buffer
				if _, err := reporter.WriteMarkdown(&out, d, reporter.MarkdownOptions{Budget: budget}); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(out.Len()))
			}
		})
	}
}
