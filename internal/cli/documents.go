package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/reporter"
)

// documents are the files that a report can go to, "" for those not wanted.
type documents struct {
	junit, markdown, html, summary string
	perTrial                       bool
}

// flags adds the documents that both report and gate write.
func (d *documents) flags(c *cobra.Command) {
	c.Flags().StringVar(&d.junit, "junit", "", "write JUnit XML to `file`")
	c.Flags().StringVar(&d.markdown, "markdown", "", "write markdown to `file`, short enough for a comment")
}

// place is a file that a flag names.
type place struct{ flag, path string }

func (d documents) places() []place {
	return []place{{"junit", d.junit}, {"markdown", d.markdown}, {"html", d.html}, {"summary", d.summary}}
}

func (d documents) wrote() bool {
	for _, p := range d.places() {
		if p.path != "" {
			return true
		}
	}
	return false
}

// check refuses places that cannot take a document, and two documents in one.
func (d documents) check(more ...place) error {
	taken := map[string]string{}
	for _, p := range append(d.places(), more...) {
		if p.path == "" {
			continue
		}
		if err := p.check(); err != nil {
			return err
		}
		path := p.path
		if path != "-" {
			path = filepath.Clean(path)
		}
		if other, ok := taken[path]; ok {
			return fail(exitUsage, "--%s and --%s both write to %s, need places of their own", other, p.flag, p.path)
		}
		taken[path] = p.flag
	}
	return nil
}

func (p place) check() error {
	if p.path == "-" || p.path == "" {
		return nil
	}
	if info, err := os.Stat(p.path); err == nil && info.IsDir() {
		return fail(exitUsage, "--%s: %s is a directory, need a file", p.flag, p.path)
	}
	if _, err := os.Stat(filepath.Dir(p.path)); err != nil {
		return fail(exitUsage, "--%s: %w", p.flag, err)
	}
	return nil
}

// write writes every document that was asked for.
func (d documents) write(std IO, doc reporter.Document, cfg config.Report) error {
	err := put(std, place{"junit", d.junit}, func(b *bytes.Buffer) error {
		told, err := reporter.WriteJUnit(b, doc, reporter.JUnitOptions{PerTrial: d.perTrial})
		for _, note := range told.Notes {
			fmt.Fprintf(std.Err, "--junit: %s\n", note)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = put(std, place{"markdown", d.markdown}, func(b *bytes.Buffer) error {
		return markdown(b, doc, cfg.CommentBytes.V, 0)
	})
	if err != nil {
		return err
	}
	err = put(std, place{"html", d.html}, func(b *bytes.Buffer) error {
		return reporter.WriteHTML(b, doc, reporter.HTMLOptions{})
	})
	if err != nil || d.summary == "" {
		return err
	}
	return withCode(exitInfra, appendSummary(std, d.summary, doc, cfg.SummaryBytes.V))
}

// put makes a document and writes it whole.
func put(std IO, p place, document func(*bytes.Buffer) error) error {
	if p.path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := document(&b); err != nil {
		return withCode(exitInfra, fmt.Errorf("--%s: %w", p.flag, err))
	}
	if p.path == "-" {
		_, err := std.Out.Write(b.Bytes())
		return withCode(exitInfra, err)
	}
	if err := durable.WriteFile(p.path, b.Bytes(), durable.Options{}); err != nil {
		return withCode(exitInfra, fmt.Errorf("--%s: %w", p.flag, err))
	}
	return nil
}

// markdown writes the document into what is left of a budget.
func markdown(w io.Writer, doc reporter.Document, budget, taken int) error {
	_, err := reporter.WriteMarkdown(w, doc, reporter.MarkdownOptions{Budget: budget, Taken: taken})
	return err
}

// minSummary is the least that a summary is worth adding: a verdict in a line.
const minSummary = 200

// appendSummary adds the document to a file that a forge shows, and that it drops
// whole when it grows too large.
func appendSummary(std IO, path string, doc reporter.Document, limit int) error {
	if path == "-" {
		return markdown(std.Out, doc, limit, 0)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("--summary: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("--summary: %w", err)
	}
	lead := ""
	if info.Size() > 0 {
		lead = "\n\n"
	}
	taken := int(min(info.Size(), int64(limit))) + len(lead)
	if limit-taken < minSummary {
		fmt.Fprintf(std.Err, "--summary: %s holds %d of the %d bytes that are shown: nothing was added\n", path, info.Size(), limit)
		return nil
	}
	var b bytes.Buffer
	b.WriteString(lead)
	if err := markdown(&b, doc, limit, taken); err != nil {
		return fmt.Errorf("--summary: %w", err)
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		return fmt.Errorf("--summary: %w", err)
	}
	return f.Close()
}

// writeDocumentText writes what a document holds for a terminal.
func writeDocumentText(w io.Writer, doc reporter.Document) error {
	width, tty := terminal(w)
	opts := reporter.TextOptions{Width: width, Color: tty && os.Getenv("NO_COLOR") == ""}
	return reporter.WriteReportText(w, doc, opts)
}

func hasSuffixFold(s, suffix string) bool { return strings.HasSuffix(strings.ToLower(s), suffix) }

// bareSummary gives --summary the file of the workflow where no value follows it.
func bareSummary(args []string, lookup func(string) (string, bool)) []string {
	file, ok := lookup("GITHUB_STEP_SUMMARY")
	if !ok || file == "" {
		return args
	}
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if a == "--summary" && (i+1 == len(args) || strings.HasPrefix(args[i+1], "--")) {
			a += "=" + file
		}
		out = append(out, a)
	}
	return out
}
