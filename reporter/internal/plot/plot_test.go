package plot_test

import (
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/capeval/capeval/reporter/internal/plot"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type drawing interface{ SVG() (string, error) }

func svg(t testing.TB, d drawing) string {
	t.Helper()
	s, err := d.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func drawings() map[string]drawing {
	cell := func(v float64, text string) plot.Cell { return plot.Cell{Value: v, Valid: true, Text: text} }
	legend := [4]string{"reward 1", "between", "failed", "missing"}
	var many [][]plot.Cell
	for i := range 100 {
		many = append(many, []plot.Cell{cell(float64(i%11)/10, ""), {}, {Absent: true}})
	}
	return map[string]drawing{
		"forest": plot.Forest{
			Alt: plot.Alt{ID: "f", Title: "Changes", Desc: "What changed."}, Header: [2]string{"task", "change"}, Worse: "worse", Axis: "change", Right: "better",
			Rows: []plot.Effect{
				{Label: "* refund", Text: "−1.000 ± 0.000", Change: -1, Marked: true},
				{Label: "cancel", Text: "−0.333 ± 0.279", Change: -0.333, Spread: 0.279},
				{Label: "late", Text: "+0.250", Change: 0.25},
			},
			Gap: "7 tasks are not drawn", GapAt: 2,
			Whole: &plot.Whole{Label: "all", Text: "−0.300", Low: -0.54, Change: -0.3, High: -0.06},
		},
		"heat": plot.Heat{
			Alt: plot.Alt{ID: "h", Title: "Trials"}, Trials: "trial", Tasks: "task", Legend: legend, Labels: []string{"a", "b"},
			Rows: [][]plot.Cell{{cell(0, "0"), cell(1, "1"), cell(0.25, "0.25")}, {{}, cell(0.999, ">0.99"), {Absent: true}}},
		},
		"sheet":  plot.Heat{Alt: plot.Alt{ID: "s", Title: "Trials"}, Trials: "trial", Tasks: "tasks", Legend: legend, Rows: many},
		"curves": plot.Curves{Alt: plot.Alt{ID: "c", Title: "Passes"}, Axis: "k", Lines: []plot.Curve{{Label: "pass^k", Ks: []int{1, 2, 3}, Ys: []float64{0.8, 0.7, 0.6}}, {Label: "pass@k", Ks: []int{1, 2, 3}, Ys: []float64{0.8, 0.9, 0.62}}}},
	}
}

func TestGolden(t *testing.T) {
	for name, d := range drawings() {
		got := strings.ReplaceAll(svg(t, d), "><", ">\n<") + "\n"
		path := filepath.Join("testdata", name+".svg")
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
			t.Errorf("%s differs; run go test -update and look at it. got:\n%s", path, got)
		}
	}
}

var allowed = regexp.MustCompile(`^(width|height|viewBox|class|role|aria-labelledby|font-family|font-size|font-weight|fill|fill-opacity|stroke|stroke-width|stroke-opacity|stroke-dasharray|d|x|y|transform|text-anchor|id)$`)

// wrong returns what a picture has that its page would not show, or should not.
func wrong(s string) string {
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return ""
		}
		if err != nil {
			return err.Error()
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if !strings.Contains(" svg title desc g path text ", " "+start.Name.Local+" ") {
			return "the element " + start.Name.Local
		}
		for _, a := range start.Attr {
			if !allowed.MatchString(a.Name.Local) || a.Name.Space != "" {
				return "the attribute " + a.Name.Local
			}
			if (a.Name.Local == "fill" || a.Name.Local == "stroke") && a.Value != "currentColor" && a.Value != "none" {
				return "the colour " + a.Value
			}
		}
	}
}

func TestNothingNeedsAStyle(t *testing.T) {
	for name, d := range drawings() {
		s := svg(t, d)
		if w := wrong(s); w != "" {
			t.Errorf("%s has %s", name, w)
		}
		if !strings.Contains(s, `role="img" aria-labelledby="`) || !strings.Contains(s, "<title id=") || !strings.Contains(s, "<desc id=") {
			t.Errorf("%s has no name: %.300s", name, s)
		}
		if again := svg(t, d); again != s {
			t.Errorf("%s: drawn twice, it differs", name)
		}
	}
}

// kinds returns what sets the paths of a cell apart from those of any other kind:
// all but where they are.
func kinds(t *testing.T, c plot.Cell) string {
	t.Helper()
	with := svg(t, plot.Heat{Alt: plot.Alt{ID: "x"}, Labels: []string{"a"}, Rows: [][]plot.Cell{{c}}})
	without := svg(t, plot.Heat{Alt: plot.Alt{ID: "x"}, Labels: []string{"a"}, Rows: [][]plot.Cell{{{Absent: true}}}})
	paths := regexp.MustCompile(`<path d="[^"]*"`)
	in, out := paths.FindAllString(with, -1), strings.Join(paths.FindAllString(without, -1), "")
	rest := paths.ReplaceAllString(with, "<path")
	var kind []string
	for i, p := range in {
		if !strings.Contains(out, p) {
			kind = append(kind, strings.Split(rest, "<path")[i+1])
		}
	}
	return strings.Join(kind, " ")
}

// A missing cell is neither an empty one nor a faint one, whatever the colours.
func TestEachKindOfCellLooksDifferent(t *testing.T) {
	seen := map[string]float64{}
	for _, v := range []float64{0, 0.001, 0.3, 0.6, 0.999, 1} {
		k := kinds(t, plot.Cell{Value: v, Valid: true})
		if other, ok := seen[k]; ok {
			t.Errorf("%v looks like %v: %s", v, other, k)
		}
		seen[k] = v
	}
	missing := kinds(t, plot.Cell{})
	if _, ok := seen[missing]; ok {
		t.Errorf("a missing cell looks like a measured one: %s", missing)
	}
	if n := strings.Count(missing, "/>"); n != 3 {
		t.Errorf("a missing cell has %d parts, need its frame, its hatch and its dot: %s", n, missing)
	}
}

func TestNothingToDraw(t *testing.T) {
	for _, d := range []drawing{plot.Forest{}, plot.Heat{}, plot.Curves{}, plot.Heat{Labels: []string{"a"}, Rows: [][]plot.Cell{nil}}, plot.Curves{Lines: []plot.Curve{{}, {}}}} {
		if w := wrong(svg(t, d)); w != "" {
			t.Errorf("%T has %s", d, w)
		}
	}
}

func FuzzLabels(f *testing.F) {
	for _, s := range []string{"plain", `</text><script>1</script>`, `"' onload=x`, "\ue000\ue001", "\x00\ufffe\uffff", "\xff", "試験 👩", "]]>", "&amp;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		alt := plot.Alt{ID: "x", Title: strings.ToValidUTF8(s, "?"), Desc: "d"}
		for _, d := range []drawing{
			plot.Forest{Alt: plot.Alt{ID: "x"}, Rows: []plot.Effect{{Label: s, Text: s, Marked: true}}, Gap: s, Whole: &plot.Whole{Label: s, Text: s}},
			plot.Heat{Alt: plot.Alt{ID: "x"}, Labels: []string{s}, Rows: [][]plot.Cell{{{Valid: true, Text: s}}}, Trials: s},
		} {
			if w := wrong(svg(t, d)); w != "" {
				t.Errorf("%T has %s", d, w)
			}
		}
		if got := svg(t, plot.Curves{Alt: alt}); strings.Count(got, "<") != strings.Count(svg(t, plot.Curves{Alt: plot.Alt{ID: "x"}}), "<") {
			t.Errorf("a title becomes an element: %.200s", got)
		}
	})
}
