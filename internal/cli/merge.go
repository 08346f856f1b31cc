package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/merge"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

type mergeFlags struct {
	out   string
	runID string
	json  bool
}

func newMerge(std IO) *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:   "merge --out DIR SHARD...",
		Short: "make one run of the shards of it",
		Long: `Merge makes one run directory of those that ` + "`run --shard`" + ` left behind, and shows
what the whole run measured. A SHARD is a run directory, or a folder that holds
run directories, such as one of downloaded artifacts.

Of one shard that was run twice the newest attempt counts. A cell in two shards,
or a shard of another plan or commit, is refused (5); so is a lost shard, or a
cell that never ended (6). Then nothing is written. The shards stay as they are.`,
		Example: `  capeval-ci merge --out merged shards
  capeval-ci merge --out merged shard-1 shard-2 shard-3
  capeval-ci gate --baseline main-run --candidate merged`,
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if f.json, err = jsonWanted(c); err != nil {
				return err
			}
			code, err := mergeCommand(std, f, args)
			state := "measured"
			if err != nil {
				state, code = "refused", codeOf(err)
			} else if code != exitOK {
				state = "nothing"
			}
			err = errors.Join(err, withCode(exitInfra, tellGitHub("", state, code)))
			if err == nil {
				err = quiet(code)
			}
			return err
		},
	}
	c.Flags().StringVar(&f.out, "out", "", "write the merged run into `dir`, which is new or empty")
	c.Flags().StringVar(&f.runID, "run-id", "", "the `id` of the merged run (default: CAPEVAL_RUN_ID, else that of the shards, else one that follows from theirs)")
	return c
}

// mergeCommand is `capeval-ci merge`. Without an error the merged run is there.
func mergeCommand(std IO, f mergeFlags, paths []string) (code int, err error) {
	switch {
	case f.out == "":
		return 0, fail(exitUsage, "found no --out, need the directory of the merged run")
	case len(paths) == 0:
		return 0, fail(exitUsage, "found no shard, need run directories or a folder of them")
	}
	if f.runID == "" {
		f.runID = os.Getenv("CAPEVAL_RUN_ID")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	sig := listen(cancel)
	defer sig.stop()
	m, err := merge.Read(paths, merge.Options{RunID: f.runID})
	for _, n := range m.Notes {
		fmt.Fprintln(std.Err, n)
	}
	if err != nil {
		return 0, notMerged(err)
	}
	if root := m.Around(f.out); root != "" {
		return 0, fail(exitUsage, "--out: %s lies in the shard %s, need a place outside: shards stay as they are", f.out, root)
	}
	stage, err := merge.NewStage(f.out)
	if err != nil {
		return 0, occupied(f.out, err)
	}
	defer func() { err = errors.Join(err, withCode(exitInfra, stage.Drop())) }()
	err = m.Write(stage.Dir)
	if err == nil {
		err = writeMergedCommand(stage.Dir, m)
	}
	if err != nil {
		return 0, notMerged(err)
	}
	if ctx.Err() != nil {
		return 0, fail(sig.code(), "interrupted: nothing was written")
	}
	if err := stage.Commit(); err != nil {
		return 0, occupied(f.out, err)
	}
	root, err := rundir.Create(f.out)
	if err != nil {
		return 0, withCode(exitInfra, err)
	}
	return reportMerged(std, f, m, root)
}

func occupied(out string, err error) error {
	if errors.Is(err, merge.ErrOccupied) {
		return fail(exitUsage, "--out: %w", err)
	}
	return withCode(exitInfra, fmt.Errorf("--out %s: %w", out, err))
}

// notMerged gives the reasons not to merge the code of the gravest.
func notMerged(err error) error {
	var problems merge.Problems
	if !errors.As(err, &problems) {
		return withCode(exitInfra, err)
	}
	var codes []int
	var texts []string
	for _, p := range problems {
		text := p.Text
		switch p.Kind {
		case merge.Usage:
			codes = append(codes, exitUsage)
		case merge.Sealed:
			codes = append(codes, exitSealed)
			text = seal.AskedFor(text + ", which").Error()
		case merge.Integrity:
			codes = append(codes, exitIntegrity)
		default:
			codes = append(codes, exitInfra)
		}
		texts = append(texts, text)
	}
	return fail(worst(codes...), "the shards make no run, and nothing was written:\n  %s", strings.ReplaceAll(strings.Join(texts, "\n"), "\n", "\n  "))
}

// reportMerged prints what the merged run measured, and how to judge it.
func reportMerged(std IO, f mergeFlags, m *merge.Merged, root string) (int, error) {
	var results []record.SplitResult
	for _, s := range m.Suites {
		results = append(results, s.Result)
	}
	to := std.Out
	var err error
	if f.json {
		to, err = std.Err, writeSummary(std.Out, root, results)
	} else {
		err = writeTable(std.Out, results)
	}
	if err != nil {
		return 0, withCode(exitInfra, err)
	}
	codes := []int{exitOK}
	var pkgs []string
	for _, s := range m.Suites {
		pkgs = append(pkgs, s.Run.Package)
		if s.Result.NCells > 0 && s.Result.NMissing == s.Result.NCells {
			fmt.Fprintf(to, "%s: nothing was measured, all %d cells are missing\n", s.Run.Suite, s.Result.NCells)
			codes = append(codes, exitInfra)
		}
		fmt.Fprintf(to, "%s: merged from %d of %d shards%s\n", s.Run.Suite, len(s.Shards), s.Count(), redShards(s))
	}
	fmt.Fprintf(to, "records: %s\n", here(root))
	fmt.Fprintf(to, "assertions of AfterSplit ran in no shard; to run them on the whole: capeval-ci run --resume %s %s\n", here(root), strings.Join(pkgs, " "))
	fmt.Fprintf(to, "to judge it against a baseline: capeval-ci gate --baseline BASELINE --candidate %s\n", here(root))
	fmt.Fprintf(to, "to report it: capeval-ci report %s\n", here(root))
	return worst(codes...), nil
}

// redShards names the shards whose ordinary specs were red: their own jobs were
// red for it, the merged numbers are not.
func redShards(s merge.Suite) string {
	var red []string
	for _, sh := range s.Shards {
		if o, ok, err := sh.Dir.ReadOutcome(); err == nil && ok && o.OrdinaryFailed > 0 {
			red = append(red, sh.String())
		}
	}
	if len(red) == 0 {
		return ""
	}
	return "; specs that are no trials were red in " + strings.Join(red, ", ")
}
