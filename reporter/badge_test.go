package reporter_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/capeval/capeval/stats"
)

// endpoint is all that shields.io lets an endpoint say here.
type endpoint struct {
	SchemaVersion int    `json:"schemaVersion"`
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
	IsError       bool   `json:"isError"`
}

func badge(t testing.TB, d reporter.Document) endpoint {
	t.Helper()
	out, err := reporter.BadgeJSON(d)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	var e endpoint
	if err := dec.Decode(&e); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if _, err := dec.Token(); err != io.EOF || e.SchemaVersion != 1 || e.Label == "" || e.Message == "" || !regexp.MustCompile(`^#[0-9a-f]{6}$`).MatchString(e.Color) {
		t.Fatalf("got %s", out)
	}
	if len([]rune(e.Label)) > 50 || len([]rune(e.Message)) > 80 || strings.ContainsAny(e.Label+e.Message, "\n\r\t\x00\x1b") {
		t.Fatalf("the texts of a badge are long or of several lines: %q %q", e.Label, e.Message)
	}
	return e
}

// svg reads a badge: its title, its label and its message.
func svg(t testing.TB, d reporter.Document) (title, label, message string) {
	t.Helper()
	out := reporter.BadgeSVG(d)
	var doc struct {
		XMLName xml.Name
		Label   string   `xml:"aria-label,attr"`
		Role    string   `xml:"role,attr"`
		Title   string   `xml:"title"`
		Text    []string `xml:"g>text"`
	}
	if err := xml.Unmarshal(out, &doc); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if doc.XMLName.Local != "svg" || doc.Role != "img" || doc.Label != doc.Title || doc.Title == "" || len(doc.Text) != 2 {
		t.Fatalf("got %s", out)
	}
	dec := xml.NewDecoder(bytes.NewReader(out))
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if e, ok := tok.(xml.StartElement); ok {
			if !slices.Contains([]string{"svg", "title", "rect", "g", "text"}, e.Name.Local) {
				t.Fatalf("a badge has an element <%s>", e.Name.Local)
			}
			for _, a := range e.Attr {
				if n := strings.ToLower(a.Name.Local); strings.HasPrefix(n, "on") || n == "href" || n == "style" || n == "src" {
					t.Fatalf("a badge has an attribute %s", n)
				}
			}
		} else if _, ok := tok.(xml.ProcInst); ok {
			t.Fatal("a badge has an instruction")
		}
	}
	return doc.Title, doc.Text[0], doc.Text[1]
}

func TestBadgeGolden(t *testing.T) {
	d := reporter.Build(sample(t))
	out, err := reporter.BadgeJSON(d)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "badge.json.golden", string(out))
	golden(t, "badge.svg.golden", string(reporter.BadgeSVG(d)))
	title, label, message := svg(t, d)
	if label != "held-out" || message != "0.81 ± 0.15 (look 2)" || !strings.Contains(title, "95% interval 0.348..0.972 (wilson_t_neff)") {
		t.Errorf("got %q %q %q", title, label, message)
	}
}

// The colour says how far a number can be relied on, never how high it is.
func TestBadgeStates(t *testing.T) {
	const sound, accepted, doubt, rejected, nothing = "#0969a8", "#1a7f37", "#b45309", "#b42318", "#6b6f76"
	check := func(in reporter.Input, label, message, color string) {
		t.Helper()
		d := reporter.Build(in)
		e := badge(t, d)
		if e.Label != label || e.Message != message || e.Color != color {
			t.Errorf("got %+v, want %q %q %s", e, label, message, color)
		}
		if e.IsError != strings.HasPrefix(message, "nothing") {
			t.Errorf("%q: isError is %v", message, e.IsError)
		}
		if _, l, m := svg(t, d); l != e.Label || m != e.Message {
			t.Errorf("the picture says %q %q, the JSON %q %q", l, m, e.Label, e.Message)
		}
	}
	first := func(tasks ...string) record.Final {
		f := published(t)
		f.Test = measured(t, "held", "candidate", tasks...)
		f.Seal.Look = record.Look{Number: 1}
		f.Seal.Overrides = nil
		return f
	}
	finals := func(fs ...record.Final) reporter.Input { return reporter.Input{Finals: fs} }
	good, bad := first("a=1111", "b=0111", "c=1101"), first("a=0000", "b=0001", "c=0010")
	check(finals(good), "held-out", "0.83 ± 0.14 (look 1)", sound)
	check(finals(bad), "held-out", "0.17 ± 0.14 (look 1)", sound) // low, and as sure
	for _, change := range []func(*record.Final){
		func(f *record.Final) { f.Seal.Number = 2 },
		func(f *record.Final) { f.Seal.Overrides = []record.Override{{Reason: "x"}} },
		func(f *record.Final) { f.Status = record.FinalSalvaged },
		func(f *record.Final) { f.Ledger.Scope = "local" },
		func(f *record.Final) { f.Seal.Contaminated = []string{"a"} },
		func(f *record.Final) { f.Seal.ScorerChanged = true },
		func(f *record.Final) { f.Test = first("a=1111", "b=0111", "c=1101", "d=----").Test },
	} {
		f := good
		change(&f)
		if e := badge(t, reporter.Build(finals(f))); e.Color != doubt {
			t.Errorf("%+v: need the colour of doubt", e)
		}
	}
	check(finals(first("a=11-", "b=---")), "held-out", "1.00 ± - (look 1)", doubt) // one task has no standard error
	none := first("a=--", "b=--")
	check(finals(none), "held-out", "nothing measured (look 1)", nothing)
	later := bad
	later.Seal.Number = 3
	check(finals(good, later, bad), "held-out", "0.17 ± 0.14 (look 3), worst of 3", doubt)

	verdict := func(d gate.Decision) reporter.Input {
		d.Suite, d.Split, d.Warnings = "support", record.Val, nil
		return reporter.Input{Decisions: []gate.Decision{d}}
	}
	check(verdict(gate.Decision{Verdict: gate.Accepted}), "support (val)", "accepted", accepted)
	check(verdict(gate.Decision{Verdict: gate.Rejected}), "support (val)", "rejected", rejected)
	check(verdict(gate.Decision{Verdict: gate.Indecisive}), "support (val)", "indecisive", "#6b6f76")
	check(verdict(gate.Decision{Delta: stats.Defined(-0.25)}), "support (val)", "compared, -0.250", doubt)
	check(sampleVerdicts(t), "search (val)", "rejected, worst of 5", rejected)

	check(reporter.Input{Results: []record.SplitResult{measured(t, "s", "candidate", "a=11", "b=01")}}, "s (val)", "0.75 ± 0.35", sound)
	check(reporter.Input{Results: []record.SplitResult{measured(t, "s", "candidate", "a=--")}}, "s (val)", "nothing measured", nothing)
	check(reporter.Input{}, "capeval", "nothing measured", nothing)
}

func sampleVerdicts(t testing.TB) reporter.Input {
	v := verdict(t)
	return reporter.Input{Decisions: v.Suites, Verdict: v.Verdict}
}

func TestHostileBadges(t *testing.T) {
	for _, s := range nasty {
		checkBadges(t, s)
	}
}

func checkBadges(t testing.TB, s string) {
	d := hostileDocument(t, s)
	badge(t, d)
	svg(t, d)
	d.Finals = nil
	badge(t, d)
	svg(t, d)
	d.Decisions = nil
	badge(t, d)
	svg(t, d)
}

func FuzzBadges(f *testing.F) {
	f.Add("a<b>&\"'\x00")
	f.Fuzz(func(t *testing.T, s string) { checkBadges(t, s) })
}
