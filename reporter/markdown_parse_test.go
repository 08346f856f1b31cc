package reporter_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// mdNode is an element of the page that a reader of markdown makes of a report.
type mdNode struct {
	name  string
	attrs []xml.Attr
	kids  []*mdNode
	text  string // of a text mdNode
}

func (n *mdNode) all(name string) (found []*mdNode) {
	if n.name == name {
		found = append(found, n)
	}
	for _, k := range n.kids {
		found = append(found, k.all(name)...)
	}
	return found
}

// raw is the text of an element with its guards, words is what is read.
func (n *mdNode) raw() string {
	if n.name == "" {
		return n.text
	}
	var b strings.Builder
	for _, k := range n.kids {
		b.WriteString(k.raw())
	}
	return b.String()
}

func (n *mdNode) words() string { return strings.ReplaceAll(n.raw(), "\u200b", "") }

// table is one table of a page.
type table struct {
	header []string
	aligns []string
	rows   [][]string
}

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithXHTML(), html.WithUnsafe()))

// page reads markdown with another reader than GitHub's and fails where the page
// has an element that a report does not make, or one that stays open.
func mdPage(t testing.TB, md string) *mdNode {
	t.Helper()
	var b bytes.Buffer
	if err := gfm.Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	html := strings.NewReplacer("\ufffe", "\ufffd", "\uffff", "\ufffd").Replace(b.String()) // no characters of XML
	root := &mdNode{name: "root"}
	open := []*mdNode{root}
	dec := xml.NewDecoder(strings.NewReader("<root>" + html + "</root>"))
	dec.Entity = xml.HTMLEntity
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v\n%s\nof\n%s", err, cut(html), cut(md))
		}
		top := open[len(open)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			if tok.Name.Local == "root" {
				continue
			}
			if !slices.Contains([]string{"p", "ul", "li", "strong", "h3", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "details", "summary"}, tok.Name.Local) {
				t.Fatalf("the page has an element <%s>:\n%s", tok.Name.Local, cut(md))
			}
			n := &mdNode{name: tok.Name.Local, attrs: tok.Attr}
			top.kids = append(top.kids, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.kids = append(top.kids, &mdNode{text: string(tok)})
		default:
			t.Fatalf("the page has a %T:\n%s", tok, cut(md))
		}
	}
	if strong := root.all("strong"); len(strong) > 1 || len(strong) == 1 && strong[0].raw() != "Before you trust the numbers" {
		t.Fatalf("the page has bold text of another:\n%s", cut(md))
	}
	checkGuarded(t, root)
	return root
}

func cut(s string) string { return s[:min(len(s), 6000)] }

// What a forge looks for in the text nodes of a page, outside of code.
var forge = regexp.MustCompile(`(?i)(?:^|[^a-z0-9_])@[a-z0-9]|@[a-z0-9-]+[.][a-z]|#[0-9]|\bgh-[0-9]|https?://|ftp://|\bwww\.|\b[0-9a-f]*[a-f][0-9a-f]*\b|:[a-z][a-z0-9_+-]*:|\$`)

func checkGuarded(t testing.TB, n *mdNode) {
	t.Helper()
	if n.name == "code" || n.name == "pre" {
		return
	}
	for _, k := range n.kids {
		checkGuarded(t, k)
	}
	for _, m := range forge.FindAllStringIndex(n.text, -1) {
		s := n.text[m[0]:m[1]]
		switch {
		case s == "$" && strings.HasSuffix(n.text[:m[0]], "\u200b"):
		case !strings.ContainsAny(s, "@#:.-$") && len(s) < 7: // too short for a commit
		default:
			t.Fatalf("a forge would make something of %q in %q", s, cut(n.text))
		}
	}
}

func tables(root *mdNode) (ts []table) {
	for _, n := range root.all("table") {
		var tab table
		for _, th := range n.all("th") {
			tab.header = append(tab.header, th.words())
			align := ""
			for _, a := range th.attrs {
				align += a.Value
			}
			tab.aligns = append(tab.aligns, align)
		}
		for _, body := range n.all("tbody") {
			for _, tr := range body.all("tr") {
				var cells []string
				for _, td := range tr.all("td") {
					cells = append(cells, td.words())
				}
				tab.rows = append(tab.rows, cells)
			}
		}
		ts = append(ts, tab)
	}
	return ts
}

// tablesWith returns the tables whose header begins with these names.
func tablesWith(ts []table, names ...string) (found []table) {
	for _, tab := range ts {
		if len(tab.header) >= len(names) && slices.Equal(tab.header[:len(names)], names) {
			found = append(found, tab)
		}
	}
	return found
}

func column0(tab table) (ids []string) {
	for _, r := range tab.rows {
		ids = append(ids, r[0])
	}
	return ids
}

// checkRaw looks at the bytes: each row of a table has one live pipe between two
// cells, and only a report's own elements are HTML.
func checkRaw(t testing.TB, md string) {
	t.Helper()
	fence, pipes := "", 0
	for l := range strings.Lines(md) {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case fence != "":
			if l == fence {
				fence = ""
			}
		case strings.HasSuffix(l, "`text"):
			fence = strings.TrimSuffix(l, "text")
		case strings.HasPrefix(l, "|"):
			n := strings.Count(l, "|") - strings.Count(l, `\|`)
			if pipes == 0 {
				pipes = n
			}
			if n != pipes {
				t.Fatalf("%d live pipes, need %d as in the header: %s", n, pipes, cut(l))
			}
			if strings.Contains(l, "  ") {
				t.Fatalf("a row is padded: %s", cut(l))
			}
			continue
		case strings.HasPrefix(l, "<") && l != "<details>" && l != "</details>" && !strings.HasPrefix(l, "<summary>"):
			t.Fatalf("HTML of another: %s", cut(l))
		}
		pipes = 0
	}
	if fence != "" {
		t.Fatalf("a fence stays open:\n%s", cut(md))
	}
	if d, e := strings.Count(md, "\n<details>\n"), strings.Count(md, "\n</details>\n"); d != e {
		t.Fatalf("%d details are opened and %d closed", d, e)
	}
}
