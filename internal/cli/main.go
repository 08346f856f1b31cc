package cli

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// IO is where a command reads and writes.
type IO struct {
	In  io.Reader
	Out io.Writer // results
	Err io.Writer // everything else
}

// Main runs the command with args and returns its exit code. A panic is code 6:
// it says nothing about what was measured.
func Main(args []string, std IO) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(std.Err, "capeval-ci: panic: %v\n%s\nThis is a mistake in capeval-ci, not in what it measured.\n", v, debug.Stack())
			code = exitInfra
		}
	}()
	root := newRoot(std)
	root.SetArgs(bareSummary(args, os.LookupEnv))
	err := root.Execute()
	if err != nil {
		if text := message(err); text != "" {
			fmt.Fprintf(std.Err, "capeval-ci: %s\n", text)
		}
	}
	return codeOf(err)
}

func newRoot(std IO) *cobra.Command {
	root := &cobra.Command{
		Use:   "capeval-ci",
		Short: "measure what an agent can do, and act on the measurement honestly",
		Long: `capeval-ci runs suites of package evaltest and acts on what they measured.
Results go to standard output, progress and messages to standard error.`,
		Example: `  capeval-ci run ./evals/...             measure the val split
  capeval-ci run --trials 5 --procs 4    five trials a task, in four processes
  capeval-ci result .capeval/runs/latest result.json of the newest run`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetHelpTemplate(`{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}
` + exitHelp)
	root.PersistentFlags().String("format", "text", "`text` or json; json prints one object on standard output")
	root.AddCommand(newRun(std), newResult(std), newGate(std), newPlan(std), newAA(std), newReport(std), newComment(std), newFinalize(std), newSeal(std), newMerge(std), newCheck(std), newInit(std))
	return root
}

// jsonWanted reads --format.
func jsonWanted(c *cobra.Command) (bool, error) {
	format, err := c.Flags().GetString("format")
	switch {
	case err != nil:
		return false, err
	case format == "text":
		return false, nil
	case format == "json":
		return true, nil
	}
	return false, fail(exitUsage, "--format: found %q, need text or json", format)
}

// version is that of the module the command was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// terminal returns the width of the terminal behind w; ok is false where there
// is none, or none that has a width.
func terminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil && width > 0
}
