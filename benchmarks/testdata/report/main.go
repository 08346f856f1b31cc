// Command report reads records from a file and writes them as one report, as the
// command does: through record and reporter.
//
//	report FORMAT trials.jsonl OUT
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// writers are the forms that can be measured.
var writers = map[string]func(io.Writer, reporter.Document) error{
	"junit": func(w io.Writer, d reporter.Document) error {
		_, err := reporter.WriteJUnit(w, d, reporter.JUnitOptions{PerTrial: true})
		return err
	},
}

func main() {
	if err := report(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func report(format, in, out string) error {
	write := writers[format]
	if write == nil {
		return fmt.Errorf("no form %q", format)
	}
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	s := record.NewSummarizer(nil, record.Options{})
	if err := s.Read(f, in); err != nil {
		return err
	}
	r, err := s.Result()
	if err != nil {
		return err
	}
	o, err := os.Create(out)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(o)
	if err := write(w, reporter.Build(reporter.Input{Results: []record.SplitResult{r}})); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return o.Close()
}
