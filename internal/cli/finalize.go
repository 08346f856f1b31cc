package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/seal/ledger"
)

// finalizeFlags are the flags of finalize.
type finalizeFlags struct {
	release, baselineRef, candidateDir string
	supersede, relook, ledger, out     string
	salvage                            string
	given                              map[string]string // settings of the run, by key
}

func newFinalize(std IO) *cobra.Command {
	var f finalizeFlags
	c := &cobra.Command{
		Use:   "finalize [packages] --release V",
		Short: "look at the held-out test split, once, and publish the score",
		Long: `Finalize is the one job that runs the test split. It builds the suites, reserves the
look on the ledger, runs candidate and baseline under a grant that dies with this
process, and commits the digest of what it publishes: final.json, final.md for
release notes, and final.intoto.json, a statement to attest.

The look is on the ledger before the first test trial begins. Before that, whatever
fails burns nothing and finalize can be started again; after that, a look has
happened, and a second one needs --relook-reason and is disclosed. The key of a look
is suite, test split and release: another commit, seed, model or number of trials
buys no second look.

The baseline is the agent at --baseline-ref under the tasks and scorers that are
here. With --candidate-dir the agent is that folder, and all else is as it is here
in both arms. Finalize publishes numbers, and judges only where
seal.finalize.rule names a rule.`,
		Example: `  capeval-ci finalize --release v1.4.0
  capeval-ci finalize ./evals/... --release v1.4.0 --baseline-ref v1.3.0 --trials 5
  capeval-ci finalize --release v1.4.0 --supersede 01J8ZQ5W9C2T
  capeval-ci finalize --release v1.4.0 --relook-reason 'the job was killed by an outage, see #71'`,
		RunE: func(c *cobra.Command, args []string) error {
			if wanted, err := jsonWanted(c); err != nil {
				return err
			} else if wanted {
				return fail(exitUsage, "--format json: finalize writes final.json and prints no JSON")
			}
			f.given = map[string]string{}
			for _, s := range runSettings {
				if flag := c.Flags().Lookup(s.flag); flag != nil && flag.Changed && s.flag != "out" {
					f.given[s.key] = flag.Value.String()
				}
			}
			look := func() (string, int, error) { return finalizeCommand(std, f, args) }
			if f.salvage != "" {
				if len(args) > 0 || f.release != "" || f.relook != "" || f.supersede != "" {
					return fail(exitUsage, "found --salvage with packages, --release, --supersede or --relook-reason, need it alone: the ledger knows the rest")
				}
				look = func() (string, int, error) { return salvageCommand(std, f) }
			}
			state, code, err := look()
			if told := tellGitHub("", state, worst(code, codeOf(err))); told != nil {
				err = errors.Join(err, told)
			}
			if err != nil {
				return err
			}
			return quiet(code)
		},
	}
	c.Flags().StringVar(&f.release, "release", "", "the `name` of the release, such as v1.4.0 or a tag")
	c.Flags().StringVar(&f.baselineRef, "baseline-ref", "", "compare with the agent at `ref` (default: seal.finalize.baseline_ref)")
	c.Flags().StringVar(&f.candidateDir, "candidate-dir", "", "the agent is the folder `path`; all else is as it is here in both arms")
	c.Flags().StringVar(&f.supersede, "supersede", "", "take over the reservation of `attempt`, which is dead and has looked at nothing")
	c.Flags().StringVar(&f.relook, "relook-reason", "", "look again after a look without a result; the `reason` is published")
	c.Flags().StringVar(&f.salvage, "salvage", "", "publish what the trials of a dead job left in `dir`, its --out; no trial runs")
	c.Flags().StringVar(&f.ledger, "ledger", "", "`local` accepts a ledger that no other machine sees; it is disclosed")
	c.Flags().StringVar(&f.out, "out", "", "write into `dir` (default: a new folder below .capeval/final)")
	for _, s := range runSettings {
		switch s.flag {
		case "trials", "base-seed", "procs", "workers", "timeout", "budget-usd":
			c.Flags().String(s.flag, "", s.usage)
		}
	}
	return c
}

// The states of a finalize that a workflow is told.
const (
	stateRefused   = "refused"   // nothing was looked at
	stateObserved  = "observed"  // looked, and not committed
	stateFinalized = "finalized" // looked and committed
)

// finalizeCommand is `capeval-ci finalize`.
func finalizeCommand(std IO, f finalizeFlags, patterns []string) (state string, code int, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	z := &finalizing{std: std, flags: f, patterns: patterns, ctx: ctx, now: time.Now}
	z.signals = listen(cancel)
	defer z.close()
	if err := z.prepare(); err != nil {
		return stateRefused, 0, err
	}
	if err := z.reserve(); err != nil {
		return stateRefused, 0, err
	}
	code, err = z.look()
	switch {
	case z.committed():
		return stateFinalized, code, err
	case z.looked():
		return stateObserved, exitUnsealed, err
	}
	return stateRefused, code, err
}

// finalizing is a call of finalize.
type finalizing struct {
	std      IO
	flags    finalizeFlags
	patterns []string
	ctx      context.Context
	now      func() time.Time
	signals  *signals

	cfg      config.Config
	repo     *checkout // nil outside a repository
	tree     *worktree // of the baseline, nil without one
	base     string    // its commit
	equal    bool      // the baseline is the candidate
	sources  [2]armSource
	rule     *gate.Rule // nil where nothing is judged
	ledger   *looksLedger
	snapshot ledger.Snapshot
	out      string
	private  string // holds sockets and grants, outside the repository
	arms     [2]*call
	suites   []*sealedSuite
}

func (z *finalizing) close() {
	for _, s := range z.suites {
		if s.broker != nil {
			s.broker.Close()
		}
	}
	for _, a := range z.arms {
		if a == nil {
			continue
		}
		if a.lock != nil {
			_ = a.lock.Close()
		}
		if a.bench != nil {
			_ = a.bench.Close() // a temporary folder that stays harms nobody
		}
	}
	if z.tree != nil {
		z.tree.remove()
	}
	if z.private != "" {
		_ = os.RemoveAll(z.private)
	}
	if z.ledger != nil {
		z.ledger.close()
	}
	z.signals.stop()
}

func (z *finalizing) say(format string, args ...any) {
	fmt.Fprintf(z.std.Err, format+"\n", args...)
}

// looked reports whether some suite's look is on the ledger.
func (z *finalizing) looked() bool {
	for _, s := range z.suites {
		if s.observed() {
			return true
		}
	}
	return false
}

// committed reports whether every suite's result is on the ledger.
func (z *finalizing) committed() bool {
	for _, s := range z.suites {
		if !s.committed {
			return false
		}
	}
	return len(z.suites) > 0
}

// place makes the folder of the results.
func (z *finalizing) place() error {
	z.out = z.flags.out
	if z.out == "" {
		z.out = filepath.Join(z.cfg.Root, ".capeval", "final", z.suites[0].attempt.ID)
	}
	if entries, err := os.ReadDir(z.out); err == nil && len(entries) > 0 {
		return fail(exitUsage, "--out: %s is not empty, need a folder of its own for every attempt", z.out)
	}
	out, err := rundir.Create(z.out) // absolute, with the .gitignore of .capeval
	z.out = out
	return withCode(exitInfra, err)
}
