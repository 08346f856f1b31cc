package cli

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// runFlags are the flags of run that are no settings of capeval.yaml.
type runFlags struct {
	resume       string
	labelFilter  string
	focus        []string
	saveBaseline string
	verbose      bool
	json         bool
	given        map[string]string // settings that a flag gave, by key
}

// runSettings lists the flags that lie over a setting: flag, key and usage.
var runSettings = []struct{ flag, key, usage string }{
	{"split", "split", "`train or val`; the test split runs in the finalize job alone"},
	{"trials", "trials", "`n` trials of every task"},
	{"base-seed", "base_seed", "trial k runs with the seed `n` + k"},
	{"procs", "procs", "run a suite in `n` processes, by the ginkgo command of your module"},
	{"workers", "workers", "run `n` rollouts at a time in one process"},
	{"shard", "shard", "run part `i/n` of the cells, counting from 1; auto takes i/n from the CI engine's variables"},
	{"arm", "arm", "`name` of the arm that is measured"},
	{"timeout", "timeout", "end the run after a `time` such as 90s or 2h, which building does not count for"},
	{"retry-missing", "retry_missing", "try missing trials again, up to `n` times"},
	{"budget-usd", "budget_usd", "start no trial once `x` USD are spent"},
	{"min-coverage", "min_coverage", "ask for at least `x` of the tasks to be scored, 0 to 1; less is exit code 3"},
	{"out", "run_dir", "write the records into `dir` (default: a new folder below .capeval/runs)"},
}

func newRun(std IO) *cobra.Command {
	c := &cobra.Command{
		Use:   "run [packages]",
		Short: "run suites and show what they measured",
		Long: `Run finds the packages whose tests import evaltest, builds them, runs them one
after the other, and shows what they measured. Packages default to ./...

The records lie in a run directory. A run that was killed or stopped continues
with --resume; the test split is refused.`,
		Example: `  capeval-ci run
  capeval-ci run ./evals/... --trials 5 --workers 16 --budget-usd 20
  capeval-ci run --shard 2/8 --out shard-2
  capeval-ci run --resume .capeval/runs/latest --retry-missing 2
  capeval-ci run --focus refund --verbose
  capeval-ci run --save-baseline testdata/baseline
  capeval-ci run --format json > summary.json`,
	}
	var f runFlags
	for _, s := range runSettings {
		c.Flags().String(s.flag, "", s.usage)
	}
	c.Flags().StringVar(&f.resume, "resume", "", "continue the run in `dir`: what ended stays, the rest runs")
	c.Flags().StringVar(&f.labelFilter, "label-filter", "", "run what a Ginkgo label `filter` selects; the result is a subset")
	c.Flags().StringArrayVar(&f.focus, "focus", nil, "run specs whose text matches a `regexp`; the result is a subset; may be repeated")
	c.Flags().StringVar(&f.saveBaseline, "save-baseline", "", "write result.json of every suite below `dir`, relative to its package")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show what the tests print")
	c.RunE = func(c *cobra.Command, args []string) error {
		var err error
		if f.json, err = jsonWanted(c); err != nil {
			return err
		}
		f.given = map[string]string{}
		for _, s := range runSettings {
			if c.Flags().Changed(s.flag) {
				f.given[s.key] = c.Flag(s.flag).Value.String()
			}
		}
		return runCommand(std, f, args)
	}
	return c
}

// runCommand is `capeval-ci run`.
func runCommand(std IO, f runFlags, patterns []string) error {
	s, err := newCall(std, f, patterns)
	defer s.close()
	if err == nil {
		err = s.measure()
	}
	if s.root == "" { // nothing ran, so there is nothing to judge
		err = withCode(exitInfra, err)
		return errors.Join(err, tellGitHub("", "refused", codeOf(err)))
	}
	if err != nil {
		fmt.Fprintf(std.Err, "capeval-ci: %s\n", message(withCode(exitInfra, err)))
	}
	code := worst(codeOf(withCode(exitInfra, err)), s.code())
	if err := s.report(); err != nil {
		return withCode(exitInfra, err)
	}
	if err := tellGitHub("", s.state(), code); err != nil {
		return withCode(exitInfra, err)
	}
	return quiet(code)
}

// call is one call of run.
type call struct {
	std   IO
	flags runFlags
	cfg   config.Config
	dir   string // where packages are looked for
	pkgs  []gotest.Package

	command  commandFile // what this call runs
	written  commandFile // what command.json says, for a later --resume
	place    string      // where the run directory is or will be
	root     string      // the run directory, "" before it is there
	deadline time.Time   // zero when there is none
	lock     *os.File    // held while the command writes there
	signals  *signals
	bench    *gotest.Bench
	suites   []*suiteRun // in order of their packages
}

// newCall reads the configuration and checks what can be checked before
// anything is built.
func newCall(std IO, f runFlags, patterns []string) (*call, error) {
	s := &call{std: std, flags: f, dir: "."}
	cfg, err := config.Load(".", os.LookupEnv)
	s.cfg = cfg
	if err != nil {
		return s, withCode(exitUsage, err)
	}
	s.command.Packages, s.command.LabelFilter, s.command.Focus = patterns, f.labelFilter, f.focus
	if f.resume != "" {
		if f.given["run_dir"] != "" {
			return s, fail(exitUsage, "found --out and --resume, need one of them: --resume writes into the directory that it continues")
		}
		if err := s.loadCommand(); err != nil {
			return s, err
		}
	}
	if err := s.apply(); err != nil {
		return s, err
	}
	return s, s.choosePlace()
}

// apply lays the flags over the configuration.
func (s *call) apply() error {
	var errs []error
	for _, set := range runSettings {
		if text, ok := s.flags.given[set.key]; ok && set.key == "shard" && text == config.AutoShard {
			errs = append(errs, s.cfg.Run.ApplyAutoShard(os.LookupEnv, config.LayerFlag, "--"+set.flag))
		} else if ok {
			errs = append(errs, s.cfg.Run.Apply(set.key, text, config.LayerFlag, "--"+set.flag))
		} else if text, ok := s.command.Settings[set.key]; ok {
			errs = append(errs, s.cfg.Run.Apply(set.key, text, config.LayerFlag, commandName))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return withCode(exitUsage, err)
	}
	if split := s.cfg.Run.Split; record.Split(split.V) == record.Test {
		return fail(exitSealed, "%s", seal.AskedFor(split.Origin))
	}
	return nil
}

// minCoverage returns --min-coverage as the exact decimal that was written.
func (s *call) minCoverage() *big.Rat {
	text := strconv.FormatFloat(s.cfg.Run.MinCoverage.V, 'g', -1, 64) // the shortest decimal is the one that was read
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// measure finds, builds and runs the suites. After an error there may be
// results all the same.
func (s *call) measure() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	s.signals = listen(cancel)
	var err error
	if s.bench, err = gotest.NewBench(); err != nil {
		return err
	}
	binaries, err := s.build(ctx)
	if err != nil {
		return s.buildError(err)
	}
	if err := s.open(); err != nil {
		return err
	}
	s.tellShard()
	if d := s.cfg.Run.Timeout.V; d > 0 {
		s.deadline = time.Now().Add(d) // building does not count
	}
	for _, bin := range binaries {
		if err := s.suite(bin).run(); err != nil {
			return err
		}
	}
	return nil
}

// suite adds the run of a package's suite.
func (s *call) suite(bin gotest.Binary) *suiteRun {
	r := &suiteRun{call: s, bin: bin}
	r.output.path = filepath.Join(s.bench.Dir(), fmt.Sprintf("output-%d.log", len(s.suites)))
	s.suites = append(s.suites, r)
	return r
}

// close removes what the run needed beside its records.
func (s *call) close() {
	if s.signals != nil {
		s.signals.stop()
	}
	if s.lock != nil {
		_ = s.lock.Close()
	}
	if s.bench != nil {
		_ = s.bench.Close() // a temporary folder that stays harms nobody
	}
}

// build finds and builds the suites, before any of them runs: a package that
// does not compile is found out before money is spent.
func (s *call) build(ctx context.Context) ([]gotest.Binary, error) {
	patterns := s.command.Packages
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	var err error
	if s.pkgs, err = gotest.Find(ctx, s.dir, patterns); err != nil {
		return nil, err
	}
	if len(s.pkgs) == 0 {
		return nil, fail(exitUsage, "none of %v has tests that import %s, need a package with a suite", patterns, gotest.Library)
	}
	var out []gotest.Binary
	for i, pkg := range s.pkgs {
		hint := ""
		if i == 0 {
			hint = " (the first time this may take a minute)"
		}
		s.say("building %s%s", pkg.ImportPath, hint)
		bin, err := s.bench.Build(ctx, pkg)
		if err != nil {
			return nil, err
		}
		out = append(out, bin)
	}
	if s.cfg.Run.Procs.V > 1 {
		s.say("building the ginkgo command for %d processes", s.cfg.Run.Procs.V)
		return out, s.bench.BuildGinkgo(ctx, s.pkgs[0])
	}
	return out, nil
}

// buildError gives what go said the code of a mistake in the suite.
func (s *call) buildError(err error) error {
	if code := s.signals.code(); code != exitOK {
		return fail(code, "interrupted while building: nothing ran")
	}
	var failed *gotest.GoError
	if errors.As(err, &failed) {
		return withCode(exitUsage, err)
	}
	return err
}

// say tells the user what goes on.
func (s *call) say(format string, args ...any) {
	fmt.Fprintf(s.std.Err, format+"\n", args...)
}
