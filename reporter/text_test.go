package reporter_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func results(t testing.TB) []record.SplitResult {
	t.Helper()
	b, err := os.ReadFile("testdata/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var rs []record.SplitResult
	if err := json.Unmarshal(b, &rs); err != nil {
		t.Fatal(err)
	}
	return rs
}

func text(t testing.TB, rs []record.SplitResult, opts reporter.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := reporter.WriteText(&b, reporter.Build(reporter.Input{Results: rs}), opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run go test -update and read the difference. got:\n%s", name, got)
	}
}

func TestTextGolden(t *testing.T) {
	golden(t, "text80.golden", text(t, results(t), reporter.TextOptions{}))
	golden(t, "text120.golden", text(t, results(t), reporter.TextOptions{Width: 120}))
	golden(t, "text80_color.golden", text(t, results(t), reporter.TextOptions{Width: 80, Color: true}))
	golden(t, "none.golden", text(t, nil, reporter.TextOptions{}))
}

// Colour is decoration: without its sequences the bytes are those of plain text.
func TestColorChangesNothingElse(t *testing.T) {
	plain := text(t, results(t), reporter.TextOptions{Width: 100})
	colored := text(t, results(t), reporter.TextOptions{Width: 100, Color: true})
	for _, look := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[33m"} {
		if !strings.Contains(colored, look) {
			t.Errorf("no %q in coloured text", look)
		}
		colored = strings.ReplaceAll(colored, look, "")
	}
	if colored != plain {
		t.Errorf("coloured text differs from plain text:\n%s\nand\n%s", colored, plain)
	}
}

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	for w := 60; w <= 160; w += 7 {
		for l := range strings.Lines(text(t, results(t), reporter.TextOptions{Width: w})) {
			got := twwidth.WidthWithOptions(strings.TrimSuffix(l, "\n"), twwidth.Options{})
			// Below 80 columns the summary may have nothing left to give.
			if limit := max(w, 80); got > limit {
				t.Errorf("width %d: %d columns: %s", w, got, l)
			}
		}
	}
}

func TestOrderOfResultsDoesNotMatter(t *testing.T) {
	rs := results(t)
	want := text(t, rs, reporter.TextOptions{})
	before, _ := json.Marshal(rs)
	for range 3 {
		rs = append(rs[1:], rs[0])
		if got := text(t, rs, reporter.TextOptions{}); got != want {
			t.Fatalf("another order gave other bytes:\n%s", got)
		}
	}
	rs = append(rs[1:], rs[0])
	if after, _ := json.Marshal(rs); !bytes.Equal(before, after) {
		t.Error("Build changed its input")
	}
}

// Build arranges: missing tasks are not among the worst, and what has reward 1
// is not either.
func TestBuildSeparatesUnscoredFromWorst(t *testing.T) {
	d := reporter.Build(reporter.Input{Results: results(t)})
	var s reporter.Suite
	for _, x := range d.Suites {
		if x.Result.Suite == "refund-agent" {
			s = x
		}
	}
	ids := func(ts []record.TaskResult) (ids []string) {
		for _, t := range ts {
			ids = append(ids, t.Task)
		}
		return ids
	}
	worst := []string{"cancel-twice", "return-window", "gift-card-split-payment-across-two-orders",
		"partial-refund", "lost-parcel", "damaged-item", "wrong-size"} // 0, .25, .367, .667, .8, .85, .98
	if got := ids(s.Worst); !slices.Equal(got, worst) {
		t.Errorf("worst: got %v, want %v", got, worst)
	}
	if got := ids(s.Unscored); !slices.Equal(got, []string{"subscription"}) {
		t.Errorf("unscored: got %v, want subscription", got)
	}
	if want := []reporter.CauseCount{{record.CauseRateLimit, 6}, {record.CauseSetup, 2}}; !slices.Equal(s.Missing, want) {
		t.Errorf("missing: got %v, want %v", s.Missing, want)
	}
	if s.NValid != 52 { // 60 declared, 8 missing
		t.Errorf("valid cells: got %d, want 52", s.NValid)
	}
}

var hostile = []string{
	"two\nlines\r\nand\ttabs\v\f",
	"\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x1bPq#0\x1b\\ \x1bc",
	"\u009b31mred \u009d0;title\u009c \u0085next \u2028line\u2029",
	"\u202egnp.exe \u2066isolated\u2069 \u200f\u061cמזהה משימה",
	"👨‍👩‍👧‍👦 ❤️ 🏳️‍🌈 Ω Δ ± 試験 e\u0301",
	"a|b `c|d` <!-- --> <details> *x* _y_ %d %s %!",
	"bad \xff\xfe utf8 \xed\xa0\x80 nul \x00 del \x7f",
	strings.Repeat("x", 5000),
	strings.Repeat("試", 5000),
	"z" + strings.Repeat("\u0300", 5000),
	"tag\U000e0041\U000e0042 zero\u200bwidth\ufeff soft\u00adhyphen nbsp\u00a0end",
	"",
	"   ",
}

// Text from outside never makes a line, moves the cursor or hides a column.
func TestHostileText(t *testing.T) {
	base := results(t)
	lines := strings.Count(text(t, hostileResults(base, "plain"), reporter.TextOptions{Width: 120}), "\n")
	for i, h := range hostile {
		got := text(t, hostileResults(base, h), reporter.TextOptions{Width: 120})
		for _, r := range got {
			if r != '\n' && !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%d: %q in the text", i, r)
				break
			}
		}
		for l := range strings.Lines(got) {
			if w := twwidth.WidthWithOptions(l, twwidth.Options{}); w > 120 {
				t.Errorf("%d: %d columns: %s", i, w, l)
			}
		}
		// Long texts wrap; they add lines below their own label and no more.
		if n := strings.Count(got, "\n"); n > lines+30 || len(got) > 40_000 {
			t.Errorf("%d: %d lines, %d bytes; plain text has %d lines", i, n, len(got), lines)
		}
		var rows int
		for l := range strings.Lines(got) {
			if strings.HasPrefix(l, "     0.123") {
				rows++
			}
		}
		if rows != 5 {
			t.Errorf("%d: %d rows of worst tasks, want 5:\n%s", i, rows, got)
		}
	}
}

func hostileResults(rs []record.SplitResult, h string) []record.SplitResult {
	var r record.SplitResult
	b, _ := json.Marshal(rs[0])
	_ = json.Unmarshal(b, &r)
	r.Suite, r.Arm, r.Split, r.CI.Method = h, h, record.Split(h), h
	r.Run.ID, r.Run.Started, r.Run.Ended, r.Run.Commit = h, h, h, h
	r.Warnings = []record.Warning{{Code: h, Message: h}}
	r.ByCause = map[record.Cause]int{record.Cause(h): 1}
	for i := range r.PerTask {
		_ = json.Unmarshal([]byte("0.123"), &r.PerTask[i].Reward)
		r.PerTask[i].Task = h
		for j := range r.PerTask[i].Causes {
			r.PerTask[i].Causes[j], r.PerTask[i].Feedback[j] = record.Cause(h), h
		}
	}
	return []record.SplitResult{r}
}

// 2,000 tasks with long feedback stay quick and short.
func TestManyTasks(t *testing.T) {
	r := results(t)[0]
	task := r.PerTask[0]
	r.PerTask = nil
	for i := range 2000 {
		task.Task = fmt.Sprintf("task-%04d-%s", i, strings.Repeat("x", 200))
		task.Feedback = []string{strings.Repeat("long feedback ", 400)}
		r.PerTask = append(r.PerTask, task)
	}
	start := time.Now()
	got := text(t, []record.SplitResult{r}, reporter.TextOptions{})
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("took %v", d)
	}
	if len(got) > 4000 {
		t.Errorf("%d bytes, want a page", len(got))
	}
}

// The bytes are the same under every locale. Widths are detected when the
// process starts, so another process has to say it.
func TestLocaleChangesNoByte(t *testing.T) {
	if os.Getenv("TEXT_TO_STDOUT") == "1" {
		os.Stdout.WriteString("<<<" + text(t, append(results(t), hostileResults(results(t), hostile[4])...), reporter.TextOptions{}) + ">>>")
		return
	}
	run := func(env ...string) string {
		t.Helper()
		c := exec.Command(os.Args[0], "-test.run=^TestLocaleChangesNoByte$")
		c.Env = append(os.Environ(), append(env, "TEXT_TO_STDOUT=1")...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, s, _ := strings.Cut(string(out), "<<<")
		s, _, ok := strings.Cut(s, ">>>")
		if !ok {
			t.Fatalf("no text in %s", out)
		}
		return s
	}
	want := run("LC_ALL=C", "RUNEWIDTH_EASTASIAN=0")
	for _, env := range [][]string{{"RUNEWIDTH_EASTASIAN=1"}, {"LC_ALL=ja_JP.UTF-8", "LANG=ja_JP.UTF-8", "TERM=linux"}} {
		if got := run(env...); got != want {
			t.Errorf("%v changes the bytes:\n%s\nand\n%s", env, got, want)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteTextReturnsTheWritersError(t *testing.T) {
	if err := reporter.WriteText(broken{}, reporter.Build(reporter.Input{Results: results(t)}), reporter.TextOptions{}); err != os.ErrClosed {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}
