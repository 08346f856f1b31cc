package cli

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/spf13/cobra"
)

// initFlags say what a new project gets.
type initFlags struct {
	forge, dir, suite string
	keep, json        bool
}

func newInit(std IO) *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init",
		Short: "write a starter suite, its configuration and workflows",
		Long: `Init writes into the module around the working directory: a suite with two tasks
to work with, one to train on and one that is sealed; an agent that stands for
yours; capeval.yaml; and the workflows of a forge.

It never writes over a file. Where one is in the way that says something else,
nothing is written and the files are listed (2); --keep leaves those as they are
and writes the others. It runs nothing of yours and adds nothing to go.mod: what
to type next is printed.`,
		Example: `  capeval-ci init
  capeval-ci init --dir internal/evals --suite refund-agent
  capeval-ci init --forge gitlab
  capeval-ci init --forge none --keep`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if f.json, err = jsonWanted(c); err != nil {
				return err
			}
			return initCommand(c, std, f)
		},
	}
	c.Flags().StringVar(&f.forge, "forge", "github", "whose workflows: `github, gitlab or none`")
	c.Flags().StringVar(&f.dir, "dir", "evals", "the `folder` of the suite, below that of go.mod")
	c.Flags().StringVar(&f.suite, "suite", "", "the `name` of the suite (default: the last word of the module's path)")
	c.Flags().BoolVar(&f.keep, "keep", false, "leave files that are in the way as they are, and write the others")
	return c
}

var (
	suiteName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	// A segment of --dir is one that go reads and that needs no quotes anywhere.
	dirSegment = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// check refuses flags that name no suite that go could build.
func (f initFlags) check() error {
	if !slices.Contains([]string{"github", "gitlab", "none"}, f.forge) {
		return fail(exitUsage, "--forge: found %q, need github, gitlab or none", f.forge)
	}
	for _, segment := range segments(f.dir) {
		if !dirSegment.MatchString(segment) || slices.Contains([]string{"testdata", "vendor", "stubagent"}, segment) {
			return fail(exitUsage, "--dir: found %q, need a folder below that of go.mod such as evals, of letters, digits, dots, dashes and underscores", f.dir)
		}
	}
	if f.suite != "" && !suiteName.MatchString(f.suite) {
		return fail(exitUsage, "--suite: found %q, need letters, digits, dots, dashes or underscores, at most 64", f.suite)
	}
	return nil
}

// initCommand is `capeval-ci init`.
func initCommand(c *cobra.Command, std IO, f initFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := newStarter(c.Context(), f)
	if err != nil {
		return err
	}
	files, err := s.files()
	if err != nil {
		return withCode(exitInfra, err)
	}
	files, err = compare(files)
	if err != nil {
		return withCode(exitInfra, err)
	}
	if !f.keep {
		if err := inTheWay(files); err != nil {
			return err
		}
	}
	if err := writeAll(files); err != nil {
		return withCode(exitInfra, err)
	}
	if f.json {
		return withCode(exitInfra, s.tellJSON(std, files))
	}
	for _, file := range files {
		fmt.Fprintf(std.Out, "%-9s %s\n", file.state, here(file.path))
	}
	fmt.Fprintln(std.Out, "\nnext:")
	for _, line := range s.next(files) {
		fmt.Fprintf(std.Out, "  %s\n", line)
	}
	return nil
}
