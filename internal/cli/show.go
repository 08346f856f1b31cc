package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

const summarySchema = "capeval.summary/v1"

// report prints what the run measured, what speaks against it, and where the
// records lie.
func (s *call) report() error {
	var results []record.SplitResult
	for _, r := range s.suites {
		if r.hasResult {
			results = append(results, r.result)
		}
	}
	if s.flags.json {
		if err := writeSummary(s.std.Out, s.root, results); err != nil {
			return err
		}
	} else if err := writeTable(s.std.Out, results); err != nil {
		return err
	}
	var errs []error
	for _, r := range s.suites {
		errs = append(errs, s.complain(r))
	}
	s.closing()
	return errors.Join(errs...)
}

// writeTable prints results as a reader wants them, nothing where there are none.
func writeTable(to io.Writer, results []record.SplitResult) error {
	if len(results) == 0 {
		return nil
	}
	width, tty := terminal(to)
	opts := reporter.TextOptions{Width: width, Color: tty && os.Getenv("NO_COLOR") == ""}
	return reporter.WriteText(to, reporter.Build(reporter.Input{Results: results}), opts)
}

// complain tells what speaks against a suite, with the end of its output where
// that is the only trace.
func (s *call) complain(r *suiteRun) error {
	to := s.std.Out
	if s.flags.json {
		to = s.std.Err
	}
	nothing := !r.found && r.ran && r.refusal == nil
	show := nothing && (r.exit.Code != 0 || !s.measured())
	if nothing && !r.unborn() {
		fmt.Fprintf(s.std.Err, "%s: no trial of split %s was selected or declared\n", r.pkg(), s.cfg.Run.Split.V)
	}
	switch {
	case r.emptyShard():
		fmt.Fprintf(to, "%s: the shard holds no cell, as there are fewer cells than shards or by chance: nothing was to be done\n", r.result.Suite)
	case r.hasResult && r.result.NCells == 0:
		fmt.Fprintf(s.std.Err, "%s: the selection holds no trial\n", r.result.Suite)
	}
	if r.outcome != nil && r.outcome.Stopped != "" && s.signals.code() == exitOK {
		fmt.Fprintf(to, "%s stopped early: %s\n", r.dir.Name, r.outcome.Stopped)
	}
	for _, j := range r.judge() {
		fmt.Fprintf(to, "%s\n", j.text)
		show = show || j.code != exitUnclear && !(j.code == exitRejected && !r.redOutside()) && r.refusal == nil
	}
	if !show || !r.ran {
		return nil
	}
	dir := s.root
	if r.found {
		dir = r.dir.Path
	}
	path, err := r.output.save(dir)
	if err != nil {
		return err
	}
	if text := tail(r.output.read(), maxTail); text != "" && !s.flags.verbose {
		fmt.Fprintf(s.std.Err, "\nthe end of what %s printed (all of it: %s):\n  %s\n\n", r.pkg(), here(path), strings.ReplaceAll(text, "\n", "\n  "))
	}
	return nil
}

// measured reports whether any suite holds a trial.
func (s *call) measured() bool {
	for _, r := range s.suites {
		if r.hasResult && r.result.NCells > 0 {
			return true
		}
	}
	return false
}

// closing says where the records lie and how to go on.
func (s *call) closing() {
	to := s.std.Out
	if s.flags.json {
		to = s.std.Err
	}
	if code := s.signals.code(); code != exitOK {
		fmt.Fprintln(to, "interrupted: the trials that had ended stand")
	}
	fmt.Fprintf(to, "records: %s\n", here(s.root))
	unstarted, missing := 0, 0
	var pkgs []string
	for _, p := range s.pkgs {
		pkgs = append(pkgs, p.ImportPath)
	}
	for _, r := range s.suites {
		if r.hasResult && r.refusal == nil {
			missing += r.result.NMissing
			unstarted += r.result.ByCause[record.CauseNotStarted] + r.result.ByCause[record.CauseInterrupted]
		}
	}
	switch {
	case unstarted > 0 || len(s.suites) < len(s.pkgs):
		fmt.Fprintf(to, "to continue: capeval-ci run --resume %s %s\n", here(s.root), strings.Join(pkgs, " "))
	case missing > 0:
		fmt.Fprintf(to, "to retry what is missing: capeval-ci run --resume %s --retry-missing 1 %s\n", here(s.root), strings.Join(pkgs, " "))
	}
}

// writeSummary prints the one object of --format json.
func writeSummary(to io.Writer, dir string, results []record.SplitResult) error {
	doc := struct {
		Schema string            `json:"schema"`
		Dir    string            `json:"dir"`
		Suites []json.RawMessage `json:"suites"`
	}{summarySchema, dir, []json.RawMessage{}}
	for _, suite := range reporter.Build(reporter.Input{Results: results}).Suites { // in the order of the text
		var b bytes.Buffer
		if err := record.WriteResult(&b, suite.Result); err != nil {
			return err
		}
		doc.Suites = append(doc.Suites, b.Bytes())
	}
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// here shortens a path that lies below the working directory.
func here(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}
