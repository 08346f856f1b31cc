package reporter

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// HTMLOptions say how a page is made.
type HTMLOptions struct {
	// Title heads the page and names its window. "" means "Capability report".
	Title string
}

//go:embed assets/report.html assets/report.css assets/report.js
var htmlAssets embed.FS

// WriteHTML writes d as one page that needs nothing else: it opens from a disk,
// asks no network, and its policy allows no script and no style but its own. What
// an agent wrote is text in it and nothing more. Without its script it is the
// same page with tables that do not sort. The same document gives the same
// bytes.
//
// Pictures show at most a few dozen tasks by name and say how many they leave
// out; tables have them all. A writer that fails is the only cause of an error
// that a document can meet.
func WriteHTML(w io.Writer, d Document, opts HTMLOptions) error {
	p, err := htmlArrange(d, opts)
	if err != nil {
		return fmt.Errorf("html report: %w", err)
	}
	t, err := template.ParseFS(htmlAssets, "assets/report.html")
	if err != nil {
		return fmt.Errorf("html report: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("html report: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// htmlPage is a document arranged for its page.
type htmlPage struct {
	Title  string
	Policy string
	Style  template.CSS
	Script template.JS

	Lead    string // what several verdicts come to, "" where there are fewer than two
	Tone    string
	Banners []htmlBanner
	Summary *htmlTable
	Groups  []*htmlGroup
	Checks  *htmlTable
	Notes   []any
}

// htmlBanner is a headline with the numbers that belong to it.
type htmlBanner struct {
	Tone   string // a class: good, bad, open, plain
	Glyph  string // says the same without colour
	Text   any
	Detail any
	Href   string
}

func htmlArrange(d Document, opts HTMLOptions) (htmlPage, error) {
	p := htmlPage{Title: htmlLine(opts.Title, 120)}
	if opts.Title == "" {
		p.Title = "Capability report"
	}
	style, err := htmlAssets.ReadFile("assets/report.css")
	if err != nil {
		return p, err
	}
	script, err := htmlAssets.ReadFile("assets/report.js")
	if err != nil {
		return p, err
	}
	p.Style, p.Script = template.CSS(style), template.JS(script)
	p.Policy = "default-src 'none'; style-src '" + htmlHash(style) + "'; script-src '" + htmlHash(script) + "'; base-uri 'none'; form-action 'none'"
	if p.Groups, err = htmlGroups(d); err != nil {
		return p, err
	}
	if len(d.Decisions) > 1 {
		p.Lead, p.Tone = named(string(d.Verdict))+": "+tally(d.Decisions), htmlTone(kindOf(d.Verdict))
	}
	p.Banners = htmlBanners(d, p.Groups)
	p.Summary = htmlSummary(d, p.Groups)
	p.Checks = htmlChecks(d.Checks)
	p.Notes = htmlSentences(d.Notes)
	return p, nil
}

// htmlHash names the content of an element in a policy.
func htmlHash(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// htmlTone is the class of a kind of headline.
func htmlTone(k HeadlineKind) string {
	switch k {
	case HeadAccepted:
		return "good"
	case HeadRejected, HeadChecks:
		return "bad"
	case HeadIndecisive:
		return "open"
	}
	return "plain"
}

// htmlGlyph says without colour what a tone says.
func htmlGlyph(tone string) string {
	switch tone {
	case "good":
		return "✓"
	case "bad":
		return "×"
	case "open":
		return "?"
	}
	return "•"
}

// htmlBanners arranges the headlines. They stand in the order of what they speak
// of: published scores, decisions or else suites, checks.
func htmlBanners(d Document, groups []*htmlGroup) []htmlBanner {
	var details []any
	for _, h := range d.Finals {
		details = append(details, htmlHeldDetail(h.Final))
	}
	for _, s := range d.Decisions {
		details = append(details, htmlChange(s.Decision))
	}
	var bs []htmlBanner
	for i, h := range d.Headlines {
		tone := htmlTone(h.Kind)
		b := htmlBanner{Tone: tone, Glyph: htmlGlyph(tone), Text: htmlIsolate(h.Text)}
		if i < len(details) && h.Kind != HeadChecks {
			b.Detail = details[i]
		}
		for _, g := range groups {
			if g.suite == h.Suite && h.Kind != HeadChecks {
				b.Href = "#" + g.ID
				break
			}
		}
		if h.Kind == HeadChecks {
			b.Href = "#checks"
		}
		bs = append(bs, b)
	}
	return bs
}
