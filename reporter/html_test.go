package reporter_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"golang.org/x/net/html"
)

func htmlOf(t testing.TB, in reporter.Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := reporter.WriteHTML(&b, reporter.Build(in), reporter.HTMLOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// htmlTree is a page read back by somebody else's parser.
func htmlTree(t testing.TB, page []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func htmlFind(n *html.Node, is func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && is(d) {
			found = append(found, d)
		}
	}
	return found
}

func htmlTags(n *html.Node, names ...string) []*html.Node {
	return htmlFind(n, func(d *html.Node) bool { return slices.Contains(names, d.Data) })
}

func htmlAttr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// htmlText is the text of an element as a reader sees it.
func htmlText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// htmlRows are the rows of a table's body.
func htmlRows(t testing.TB, root *html.Node, id string) []*html.Node {
	t.Helper()
	tables := htmlFind(root, func(n *html.Node) bool { return n.Data == "table" && htmlAttr(n, "id") == id })
	if len(tables) != 1 {
		t.Fatalf("found %d tables %s, need 1", len(tables), id)
	}
	return htmlTags(htmlTags(tables[0], "tbody")[0], "tr")
}

// htmlOutline is what a page says, one line an element.
func htmlOutline(root *html.Node) string {
	var b strings.Builder
	for _, n := range htmlTags(root, "title", "h1", "h2", "h3", "h4", "p", "li", "caption", "figcaption", "dt", "dd", "tr", "desc", "label", "text") {
		var parts []string
		if n.Data == "li" && len(htmlTags(n, "p")) > 0 {
			continue
		}
		if n.Data == "tr" {
			for _, c := range htmlTags(n, "th", "td") {
				parts = append(parts, htmlText(c))
			}
		} else {
			parts = []string{htmlText(n)}
		}
		b.WriteString(strings.TrimRight(n.Data+": "+strings.Join(parts, " | "), " ") + "\n")
	}
	return b.String()
}

func TestHTMLGolden(t *testing.T) {
	golden(t, "html_sample.golden", htmlOutline(htmlTree(t, htmlOf(t, sample(t)))))
	golden(t, "html_none.golden", htmlOutline(htmlTree(t, htmlOf(t, reporter.Input{}))))
	small := string(htmlOf(t, reporter.Input{Results: results(t)[:1]}))
	for _, tag := range []string{"style", "script"} { // these have their own files
		small = regexp.MustCompile(`(?s)<`+tag+`>.*</`+tag+`>`).ReplaceAllString(small, "<"+tag+"></"+tag+">")
	}
	golden(t, "html_small.golden", regexp.MustCompile(`content="default-src[^"]*"`).ReplaceAllString(small, `content="default-src"`))
}

func TestHTMLHasEveryTask(t *testing.T) {
	for name, in := range map[string]reporter.Input{"sample": sample(t), "many": many(t, 300, 3)} {
		d := reporter.Build(in)
		root := htmlTree(t, htmlOf(t, in))
		var want, got []int
		for _, s := range d.Decisions {
			if n := len(s.Decision.PerTask); n > 0 {
				want = append(want, n)
			}
		}
		for _, s := range d.Suites {
			if s.Result.NTasks > 0 {
				want = append(want, len(s.Result.PerTask))
			}
		}
		for _, table := range htmlFind(root, func(n *html.Node) bool { return n.Data == "table" && htmlAttr(n, "class") == "live" }) {
			got = append(got, len(htmlRows(t, root, htmlAttr(table, "id"))))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: tables of tasks have %v rows, need %v", name, got, want)
		}
	}
}

// A number that does not exist is a dash, in every place that has it.
func TestHTMLUndefinedIsADash(t *testing.T) {
	root := htmlTree(t, htmlOf(t, reporter.Input{Results: []record.SplitResult{measured(t, "s", "candidate", "gone=--", "here=10")}}))
	rows := htmlRows(t, root, "suite-1-result-1-tasks")
	if got, want := htmlCells(rows[1]), []string{"gone", "–", "–", "0", "2", "· ·", "missing: rate_limit 2"}; !slices.Equal(got, want) {
		t.Errorf("a task without a trial: got %q, need %q", got, want)
	}
	if got, want := htmlCells(rows[0])[:6], []string{"here", "0.500", "0.500", "2", "2", "1 0"}; !slices.Equal(got, want) {
		t.Errorf("a task with trials: got %q, need %q", got, want)
	}
	outline := htmlOutline(root)
	for _, want := range []string{"dt: standard error\ndd: – tasks scored: 1, need 2\n", "dt: cost\ndd: – not reported by any trial\n", "dd: 0.500 no interval: fewer than 2 tasks are scored\n"} {
		if !strings.Contains(outline, want) {
			t.Errorf("the page lacks %q:\n%s", want, outline)
		}
	}
}

func htmlCells(row *html.Node) []string {
	var cells []string
	for _, c := range htmlTags(row, "th", "td") {
		cells = append(cells, htmlText(c))
	}
	return cells
}

// What was measured with copies of one trial is marked wherever it stands.
func TestHTMLMarksWhatCannotBeTrusted(t *testing.T) {
	outline := htmlOutline(htmlTree(t, htmlOf(t, reporter.Input{Results: results(t)})))
	for _, want := range []string{"0.036 to 0.964!", "dd: 0.289! between tasks 0.289!, within tasks 0.000!", "p: ! different seeds gave byte-identical outputs"} {
		if !strings.Contains(outline, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestHTMLIsTheSameInAnyOrder(t *testing.T) {
	in := sample(t)
	first := htmlOf(t, in)
	slices.Reverse(in.Results)
	slices.Reverse(in.Decisions)
	slices.Reverse(in.Checks)
	if again := htmlOf(t, in); !bytes.Equal(first, again) {
		t.Error("the order of the input changes the page")
	}
}

func TestHTMLTitle(t *testing.T) {
	var b bytes.Buffer
	if err := reporter.WriteHTML(&b, reporter.Document{}, reporter.HTMLOptions{Title: "Nightly </title><script>1</script>"}); err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"title", "h1"} {
		if got := htmlText(htmlTags(htmlTree(t, b.Bytes()), tag)[0]); got != "Nightly </title><script>1</script>" {
			t.Errorf("%s: got %q", tag, got)
		}
	}
}

func TestWriteHTMLReturnsTheWritersError(t *testing.T) {
	if err := reporter.WriteHTML(broken{}, reporter.Build(sample(t)), reporter.HTMLOptions{}); err != os.ErrClosed {
		t.Errorf("got %v", err)
	}
}

// 2,000 tasks of 5 trials in both arms are one page that is still quick to load.
func TestHTMLOfManyTasksStaysSmall(t *testing.T) {
	d := reporter.Build(many(t, 2000, 5))
	var b bytes.Buffer
	start := time.Now()
	if err := reporter.WriteHTML(&b, d, reporter.HTMLOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes in %v", b.Len(), time.Since(start))
	if b.Len() > 1_500_000 {
		t.Errorf("%d bytes, need at most 1,500,000: 6,000 rows and 20,000 cells", b.Len())
	}
}

// htmlElements are all that a page may consist of.
var htmlElements = strings.Fields(`html head meta title style body a header h1 h2 h3 h4 p nav ul li main section div span dl dt dd
	figure figcaption table caption thead tbody tr th td label input svg desc g path text footer script bdi`)

// htmlWrong returns what a page has that no text may bring into it.
func htmlWrong(page []byte) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !utf8.Valid(page) {
		say("bytes that are not UTF-8")
	}
	for _, r := range string(page) {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			say("the character %U", r)
			break
		}
	}
	var open []string
	var inside string // style or script
	policy := ""
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		tok := z.Token()
		switch kind {
		case html.CommentToken:
			say("a comment %q", tok.Data)
		case html.TextToken:
			if inside != "" {
				sum := sha256.Sum256([]byte(tok.Data))
				if want := inside + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
					say("a %s that is not in the policy", inside)
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if !slices.Contains(htmlElements, tok.Data) {
				say("an element %s", tok.Data)
			}
			for _, a := range tok.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "src", a.Key == "srcset", a.Key == "action", strings.Contains(a.Key, ":"):
					say("an attribute %s", a.Key)
				case a.Key == "href" && !regexp.MustCompile(`^#[a-z0-9-]+$`).MatchString(a.Val):
					say("a link to %q", a.Val)
				case strings.Contains(a.Val, "url("):
					say("a reference %q", a.Val)
				case a.Key == "content" && strings.HasPrefix(a.Val, "default-src"):
					policy = a.Val
				}
			}
			if kind == html.StartTagToken && !slices.Contains([]string{"meta", "input"}, tok.Data) {
				open = append(open, tok.Data)
			}
			inside = ""
			if tok.Data == "style" || tok.Data == "script" {
				inside = tok.Data
			}
		case html.EndTagToken:
			inside = ""
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				say("an end of %s within %v", tok.Data, open)
				return wrong
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		say("no end of %v", open)
	}
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || strings.Contains(policy, "unsafe") {
		say("the policy %q", policy)
	}
	return wrong
}

func TestHTMLIsWellFormedAndAlone(t *testing.T) {
	for name, in := range map[string]reporter.Input{"sample": sample(t), "many": many(t, 300, 3), "nothing": {}} {
		if wrong := htmlWrong(htmlOf(t, in)); len(wrong) > 0 {
			t.Errorf("%s: found %v", name, wrong)
		}
	}
	for _, file := range []string{"report.css", "report.js"} {
		b, err := os.ReadFile("assets/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`(?i)url\(|@import|https?:|//cdn|eval\(|innerHTML|</`).FindString(string(b)); m != "" {
			t.Errorf("%s has %q", file, m)
		}
	}
}

// The tests of a page would say so if something were wrong with it.
func TestHTMLWrongFindsWhatIsWrong(t *testing.T) {
	page := string(htmlOf(t, sample(t)))
	for _, put := range []string{"<script>1</script>", `<img src="x">`, `<p onclick="x">a</p>`, `<p style="x">a</p>`, "</p>", "<p>", `<a href="https://example.com">x</a>`, "\u202e", "<!-- -->", "\xff"} {
		if wrong := htmlWrong([]byte(strings.Replace(page, "<h1>", put+"<h1>", 1))); len(wrong) == 0 {
			t.Errorf("nothing is said about %q", put)
		}
	}
}
