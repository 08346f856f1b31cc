package cli

import (
	"bytes"
	"os"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/reporter"
)

// reportFlags name the files that a report goes to.
type reportFlags struct {
	documents
	badge    string
	annotate bool
	json     bool
}

func newReport(std IO) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report PATH...",
		Short: "show results where people already look",
		Long: `Report turns what was measured into documents. A PATH is a run directory
(finished or not), the folder of a suite in one, a folder of --save-baseline, a
result.json, a file of trials that any harness wrote, the file of Ginkgo's
--json-report, the verdict of gate --json, or a final.json; - is standard input.
Several paths make one report, and NAME=PATH gives what PATH holds the name of an
arm. Without a flag the text goes to standard output.

A file is written whole or not at all; - is standard output. --summary appends to
FILE and keeps within what the forge takes of it, with what is already there
counted; without a value it is $GITHUB_STEP_SUMMARY. A --badge that ends in .svg
is a picture, any other the JSON of a shields endpoint. --annotate prints workflow
commands, which GitHub shows beside the change.

Report judges nothing: it exits 0 when it has told what it was given. Let the exit
code of run or gate decide, and not what a reader of JUnit makes of the file.`,
		Example: `  capeval-ci report .capeval/runs/latest
  capeval-ci report .capeval/runs/latest --junit junit.xml --html report.html
  capeval-ci report verdict.json baseline=old.jsonl candidate=new.jsonl --summary
  capeval-ci report ginkgo.json --junit junit.xml --per-trial
  capeval-ci report final.json --badge badge.svg --markdown notes.md`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if f.json, err = jsonWanted(c); err != nil {
				return err
			}
			return reportCommand(std, f, args)
		},
	}
	f.documents.flags(c)
	c.Flags().StringVar(&f.html, "html", "", "write one page with everything in it to `file`")
	c.Flags().StringVar(&f.badge, "badge", "", "write a badge to `file`: .svg a picture, else the JSON of a shields endpoint")
	c.Flags().StringVar(&f.summary, "summary", "", "append markdown to `file`, such as $GITHUB_STEP_SUMMARY, which is also meant where no value follows")
	c.Flags().BoolVar(&f.perTrial, "per-trial", false, "one case a trial in JUnit, instead of one a task")
	c.Flags().BoolVar(&f.annotate, "annotate", false, "print workflow commands on standard output")
	return c
}

// reportCommand is `capeval-ci report`.
func reportCommand(std IO, f reportFlags, paths []string) error {
	if f.json {
		return fail(exitUsage, "--format json: a report has documents and no JSON of its own; use result or gate --json")
	}
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return withCode(exitUsage, err)
	}
	if err := f.check(); err != nil {
		return err
	}
	in, err := reportInput(std, paths)
	if err != nil {
		return err
	}
	if err := reported(in); err != nil {
		return err
	}
	doc := reporter.Build(in)
	if err := f.write(std, doc, cfg.Report); err != nil {
		return err
	}
	if f.annotate {
		return withCode(exitInfra, reporter.WriteAnnotations(std.Out, doc))
	}
	if f.wrote() {
		return nil
	}
	return withCode(exitInfra, writeDocumentText(std.Out, doc))
}

// check refuses places that cannot take what goes there, before anything is
// read.
func (f reportFlags) check() error {
	more := []place{{"badge", f.badge}}
	if f.annotate {
		more = append(more, place{"annotate", "-"})
	}
	return f.documents.check(more...)
}

func (f reportFlags) wrote() bool { return f.documents.wrote() || f.badge != "" }

// write writes every document that was asked for.
func (f reportFlags) write(std IO, doc reporter.Document, cfg config.Report) error {
	if err := f.documents.write(std, doc, cfg); err != nil {
		return err
	}
	if f.badge == "" {
		return nil
	}
	return put(std, place{"badge", f.badge}, func(b *bytes.Buffer) error {
		if hasSuffixFold(f.badge, ".svg") {
			b.Write(reporter.BadgeSVG(doc))
			return nil
		}
		data, err := reporter.BadgeJSON(doc)
		b.Write(data)
		return err
	})
}
