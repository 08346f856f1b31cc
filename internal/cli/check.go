package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/config"
)

// checkCommand is `capeval-ci check`.
type checkCommand struct {
	std IO
	// ledger reads the ledger that the configuration names, and says in a few
	// words what state it is in. An error without an exit code is one of
	// infrastructure. Nil reads none.
	ledger func(context.Context, config.Config) (string, error)

	json, probe, hints bool
}

func newCheck(std IO) *cobra.Command {
	return (&checkCommand{std: std, ledger: readLedger}).cobra()
}

func (k *checkCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "check [packages]",
		Short: "say whether the project is ready to be measured",
		Long: `Check looks at everything that a measurement rests on and runs no trial: the
configuration and where each value comes from, the tools, the workflows below
.github/workflows, the tasks of every split and what the splits share, the
protected files, test tasks and canaries outside the evals, and the ledger.
Packages default to ./...

To learn the tasks it builds every suite and lets it declare them, once for train
and once for val. No hook and no body runs, but plain test functions of these
packages do. With --probe the first task of every suite runs, two trials, twice.

A canary is a word that begins with capeval-canary- in a file of the evals: it has
no business in any other file, nor in what an agent was trained on.

Warnings leave the exit code 0. 2 is a problem of configuration, workflows or
suites, 5 is splits that overlap or tasks that leaked, 6 is a tool that is missing
or a ledger that cannot be read.`,
		Example: `  capeval-ci check
  capeval-ci check ./evals/... --probe
  capeval-ci check --fix-hints
  capeval-ci check --format json`,
	}
	c.Flags().BoolVar(&k.probe, "probe", false, "run the first task of every suite twice, to see whether outputs follow the seed")
	c.Flags().BoolVar(&k.hints, "fix-hints", false, "show a change for every finding, where one is known")
	c.RunE = func(c *cobra.Command, args []string) error {
		var err error
		if k.json, err = jsonWanted(c); err != nil {
			return err
		}
		return k.run(args)
	}
	return c
}

// run looks at everything, and prints what it saw.
func (k *checkCommand) run(patterns []string) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	c := &checking{checkCommand: k, patterns: patterns, signals: listen(cancel)}
	defer c.close()
	if err := c.look(ctx); err != nil {
		return withCode(exitInfra, err)
	}
	if code := c.signals.code(); code != exitOK {
		return fail(code, "interrupted: the check is not complete")
	}
	doc := c.document()
	if err := k.write(doc); err != nil {
		return withCode(exitInfra, err)
	}
	if err := tellGitHub("", doc.State, doc.Code); err != nil {
		return withCode(exitInfra, err)
	}
	return quiet(doc.Code)
}

// checking is one call of check.
type checking struct {
	*checkCommand
	patterns []string
	signals  *signals
	bench    *gotest.Bench // nil until something is built

	cfg    config.Config
	top    string // of the repository, else the project's root
	prefix string // the project's folder in the repository
	hasGit bool   // there is a repository
	hasGo  bool   // there is the go command, and a module

	suites   []*declared
	surface  checkSurface
	rows     []checkRow
	findings []checkFinding
}

func (c *checking) close() {
	c.signals.stop()
	if c.bench != nil {
		_ = c.bench.Close()
	}
}

// look runs every part, in the order in which they are shown. An error is one
// that leaves no use in going on.
func (c *checking) look(ctx context.Context) error {
	c.configuration()
	c.tools(ctx)
	if err := c.workflows(); err != nil {
		return err
	}
	if err := c.declare(ctx); err != nil {
		return err
	}
	c.named()
	c.overlap()
	if err := c.protected(); err != nil {
		return err
	}
	if err := c.leaks(ctx); err != nil {
		return err
	}
	if err := c.seeds(ctx); err != nil {
		return err
	}
	c.readLedger(ctx)
	return ctx.Err()
}

// configuration reads capeval.yaml and the environment.
func (c *checking) configuration() {
	cfg, err := config.Load(".", os.LookupEnv)
	c.cfg, c.top = cfg, cfg.Root
	text := "none: every value is the default, or from the environment"
	if cfg.File != "" {
		text = here(cfg.File)
	}
	if err != nil {
		text += ", which cannot be used; the rest is checked against the defaults"
		for _, line := range errorLines(err) {
			c.find(checkFinding{Check: "configuration", Level: levelProblem, Code: "config", Found: line, exit: exitUsage})
		}
	}
	if dir := cfg.Candidate.Dir.V; dir != "" {
		if info, err := os.Stat(below(cfg.Root, dir)); err != nil || !info.IsDir() {
			c.find(checkFinding{Check: "configuration", Level: levelProblem, Code: "no_candidate_dir", Found: fmt.Sprintf("candidate.dir %s (%s), which is no folder", dir, cfg.Candidate.Dir.Origin),
				Need: "the folder that the agent is made of", exit: exitUsage})
		}
	}
	c.row("configuration", text)
}

// readLedger says whether the ledger can be read.
func (c *checking) readLedger(ctx context.Context) {
	const name = "ledger"
	switch {
	case c.cfg.Seal.Genesis.V == "":
		c.row(name, "no ledger configured")
		c.find(checkFinding{Check: name, Level: levelWarning, Code: "S24", Found: "no ledger configured: seal.genesis is not set, so the test split cannot be finalized in CI",
			Need: "run `capeval-ci seal init` once, commit capeval.yaml, push", Hint: "+ seal:\n+   genesis: <commit>   # written by capeval-ci seal init"})
	case c.ledger == nil:
		c.skip(name, "not read: "+c.cfg.Seal.Ref.V+" on "+c.cfg.Seal.Remote.V)
		c.find(checkFinding{Check: name, Level: levelWarning, Code: "ledger_not_read", Found: "a ledger is configured (" + c.cfg.Seal.Genesis.Origin + ") and this check does not read it", Need: "`capeval-ci seal status`"})
	default:
		text, err := c.ledger(ctx, c.cfg)
		if err != nil {
			c.find(checkFinding{Check: name, Level: levelProblem, Code: "ledger", Found: message(err), Need: "`capeval-ci seal status` says more", exit: codeOf(withCode(exitInfra, err))})
		}
		c.row(name, text)
	}
}
