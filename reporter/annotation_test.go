package reporter_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// runnerCommand is what a runner makes of a line.
type runnerCommand struct {
	name  string
	props map[string]string
	data  string
}

// runnerKnows are the commands that a runner acts on.
var runnerKnows = []string{"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "stop-commands", "set-output", "set-env", "add-path", "save-state", "echo", "add-matcher", "remove-matcher", "vso"}

// parseCommand reads a line as runners do: a command between two pairs of colons
// at its start, else one in ##[ ] anywhere.
func parseCommand(line string) (c runnerCommand, ok bool) {
	known := func(info string) bool {
		name, props, _ := strings.Cut(info, " ")
		if !slices.Contains(runnerKnows, strings.ToLower(name)) {
			return false
		}
		c = runnerCommand{name: name, props: map[string]string{}}
		for _, p := range strings.Split(strings.TrimSpace(props), ",") {
			if k, v, ok := strings.Cut(p, "="); ok && v != "" {
				c.props[k] = unescape(v, "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C", "%", "%25")
			}
		}
		return true
	}
	if rest, found := strings.CutPrefix(strings.TrimSpace(line), "::"); found {
		if info, data, found := strings.Cut(rest, "::"); found && known(info) {
			c.data = unescape(data, "\r", "%0D", "\n", "%0A", "%", "%25")
			return c, true
		}
	}
	for _, start := range []string{"##[", "##vso["} {
		if _, rest, found := strings.Cut(line, start); found {
			if info, data, found := strings.Cut(rest, "]"); found && (start != "##[" || known(info)) {
				c.data = data
				return c, true
			}
		}
	}
	return runnerCommand{}, false
}

// unescape replaces one escape after the other, the percent sign last.
func unescape(s string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i+1], pairs[i])
	}
	return s
}

func annotate(t testing.TB, d reporter.Document) (string, []runnerCommand) {
	t.Helper()
	var b bytes.Buffer
	if err := reporter.WriteAnnotations(&b, d); err != nil {
		t.Fatal(err)
	}
	var cs []runnerCommand
	counts := map[string]int{}
	for l := range strings.Lines(b.String()) {
		c, ok := parseCommand(strings.TrimSuffix(l, "\n"))
		if !ok || !slices.Contains([]string{"error", "warning", "notice"}, c.name) || len(c.props) != 1 || c.props["title"] == "" {
			t.Fatalf("a line is not one of our commands: %q", cut(l))
		}
		if len(l) > 4000 || !utf8.ValidString(l) || strings.ContainsAny(strings.TrimSuffix(l, "\n"), "\r\n\x00\x1b") {
			t.Fatalf("a command of %d bytes: %q", len(l), cut(l))
		}
		// A runner that does not know our command looks for another one in it.
		if _, ok := parseCommand(strings.TrimSuffix(strings.Replace(l, "::"+c.name+" ", "::unknown ", 1), "\n")); ok {
			t.Fatalf("a command stands within a command: %q", cut(l))
		}
		if counts[c.name]++; counts[c.name] > 10 {
			t.Fatalf("more than 10 of kind %s", c.name)
		}
		cs = append(cs, c)
	}
	return b.String(), cs
}

func TestAnnotationsGolden(t *testing.T) {
	got, cs := annotate(t, reporter.Build(sample(t)))
	golden(t, "annotations.golden", got)
	order := []string{"error", "warning", "notice"}
	if !slices.IsSortedFunc(cs, func(a, b runnerCommand) int { return slices.Index(order, a.name) - slices.Index(order, b.name) }) {
		t.Error("errors come first, then warnings, then notices")
	}
	if c := cs[0]; c.props["title"] != "search (val)" || c.data != "rejected: search goes beyond a limit: cost_usd<=+10%" {
		t.Errorf("the first is %+v", c)
	}
	if c := cs[1]; c.props["title"] != "check of support (val): reward floor" || c.data != "reward of support val: 0.61, need at least 0.7" {
		t.Errorf("the second is %+v", c)
	}
	if !slices.ContainsFunc(cs, func(c runnerCommand) bool {
		return c.name == "warning" && c.data == "refund of support (val): reward 0.000, the baseline's 1.000 (-1.000, exact p 0.0022)"
	}) {
		t.Errorf("the task that got worse by itself is not there: %+v", cs)
	}
	if none, _ := annotate(t, reporter.Build(reporter.Input{})); none != "" {
		t.Errorf("nothing to say, and said %q", none)
	}
	if err := reporter.WriteAnnotations(broken{}, reporter.Build(sample(t))); err != os.ErrClosed {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}

// Text from outside ends in no line, property or command of its own.
func TestHostileAnnotations(t *testing.T) {
	for _, s := range nasty {
		_, cs := annotate(t, hostileDocument(t, s))
		if len(cs) < 6 {
			t.Errorf("%q: %d commands", s, len(cs))
		}
		want := reporter.ClipEnd(reporter.Clean(s), 200)
		if want == "" {
			want = "-"
		}
		if strings.Contains(want, "##") || len(want) > 100 {
			continue
		}
		if got := cs[0]; got.name != "error" || got.data != want {
			t.Errorf("%q: the failed check says %q, want %q", s, got.data, want)
		}
	}
}

func FuzzAnnotations(f *testing.F) {
	f.Add("x::error::y")
	f.Fuzz(func(t *testing.T, s string) { annotate(t, hostileDocument(t, s)) })
}

// A forge shows ten of a kind: the tenth says how many there are besides.
func TestManyAnnotations(t *testing.T) {
	var in reporter.Input
	for i := range 25 {
		in.Checks = append(in.Checks, reporter.Check{Suite: "s", Split: record.Val, Name: fmt.Sprintf("floor %02d", i), State: reporter.CheckFailed, Message: strings.Repeat("試%", 3000)})
	}
	_, cs := annotate(t, reporter.Build(in))
	if len(cs) != 10 || cs[9].data != "16 more of this kind are in the report" || cs[0].props["title"] != "check of s (val): floor 00" || len(cs[0].data) < 1000 {
		t.Errorf("%d commands, the last %+v", len(cs), cs[len(cs)-1])
	}
	var b, c []string
	for i := range 60 {
		b, c = append(b, fmt.Sprintf("t%02d=11111111", i)), append(c, fmt.Sprintf("t%02d=00000000", i))
	}
	v := one(t, b, c, gate.NoRegression())
	_, cs = annotate(t, reporter.Build(reporter.Input{Decisions: v.Suites, Verdict: v.Verdict}))
	if len(cs) != 11 || cs[0].name != "error" || cs[1].props["title"] != "t00 got worse" || cs[10].data != "51 more of this kind are in the report" {
		t.Errorf("%d commands: %+v", len(cs), cs)
	}
}
