package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/record"
)

func newSeal(std IO) *cobra.Command {
	c := &cobra.Command{
		Use:   "seal",
		Short: "the ledger of looks at the test split",
		Long: `Seal makes, shows and checks the ledger, on which every look at a held-out test
split stands before it happens.`,
		Example: `  capeval-ci seal init
  capeval-ci seal status
  capeval-ci seal verify final.json --against v1.3.0/final.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var how string
	c.PersistentFlags().StringVar(&how, "ledger", "", "`local` is the ledger of this machine")
	c.AddCommand(newSealInit(std, &how), newSealStatus(std, &how), newSealLog(std, &how), newSealVerify(std, &how), newSealCommit(std, &how))
	return c
}

// withLedger opens the ledger for a subcommand.
func withLedger(how string, do func(context.Context, *looksLedger) error) error {
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return withCode(exitUsage, err)
	}
	ctx := context.Background()
	l, err := openLedger(ctx, cfg, how)
	if err != nil {
		return err
	}
	defer l.close()
	return do(ctx, l)
}

func newSealInit(std IO, how *string) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "make the ledger, once for a repository",
		Long: `Init writes the first record of the ledger and pins it: in capeval.yaml and in the
checkpoint file. Commit both and push. It is never done again: a ledger that is
gone is restored and not made anew.`,
		Example: `  capeval-ci seal init`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withLedger(*how, func(ctx context.Context, l *looksLedger) error { return sealInit(ctx, std, l) })
		},
	}
}

func sealInit(ctx context.Context, std IO, l *looksLedger) error {
	if pin := l.cfg.Seal.Genesis; pin.V != "" {
		return fail(exitUsage, "%s pins a ledger already (%s): it is made once; where it is gone, restore %s", pin.Origin, short(pin.V), l.ref)
	}
	path := filepath.Join(l.cfg.Root, "capeval.yaml")
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return withCode(exitInfra, err)
	}
	if _, err := pinned(string(text), "0"); err != nil {
		return fail(exitUsage, "%s: %w", path, err)
	}
	s, err := l.store.Init(ctx, ledger.NewGenesis(filepath.Base(l.cfg.Root), ciRun(), time.Now()))
	if errors.Is(err, ledger.ErrExists) {
		if s, err = l.store.Head(ctx); err != nil {
			return l.refusal(err)
		}
		return fail(exitIntegrity, "%s already has a ledger, which capeval.yaml does not pin: when it is yours, pin it by hand:\n  seal: {genesis: %s}", l.remote, s.Genesis)
	}
	if err != nil {
		return l.refusal(err)
	}
	with, err := pinned(string(text), s.Genesis)
	if err == nil {
		err = os.WriteFile(path, []byte(with), 0o644)
	}
	if err == nil {
		err = l.remember(s)
	}
	if err != nil {
		return fail(exitInfra, "the ledger is made, and its pin could not be written: add `seal: {genesis: %s}` to capeval.yaml: %w", s.Genesis, err)
	}
	fmt.Fprintf(std.Out, "ledger made: %s on %s, genesis %s\n", l.ref, l.remote, s.Genesis)
	fmt.Fprintf(std.Out, "pinned in %s and %s: commit both and push\n", here(path), here(l.checkpointPath()))
	if l.scope == ledger.ScopeRemote {
		fmt.Fprintf(std.Out, "protect %s on the forge: no force push, no deletion, nobody on the bypass list\n", l.ref)
	}
	return nil
}

// pinned is the text of capeval.yaml with the pin added to it; nothing else in it
// changes.
func pinned(text, genesis string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimSpace(strings.SplitN(line, "#", 2)[0])
		switch {
		case body == "seal:":
			lines[i] = strings.TrimRight(line, "\n") + "\n  genesis: " + genesis + "\n"
			return strings.Join(lines, ""), nil
		case strings.HasPrefix(line, "seal:") && strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(body, "seal:")), "{"):
			open := strings.IndexByte(line, '{')
			rest := strings.TrimLeft(line[open+1:], " ")
			comma := ", "
			if strings.HasPrefix(rest, "}") {
				comma = ""
			}
			lines[i] = line[:open+1] + "genesis: " + genesis + comma + rest
			return strings.Join(lines, ""), nil
		case strings.HasPrefix(line, "seal"):
			return "", fmt.Errorf("found %q, need a seal section to which the pin can be added", body)
		}
	}
	if strings.TrimSpace(text) == "" {
		text = "version: 1\n"
	}
	return strings.TrimRight(text, "\n") + "\nseal:\n  genesis: " + genesis + "\n", nil
}

func newSealCommit(std IO, how *string) *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "commit --from DIR",
		Short: "commit a result whose look is on the ledger already",
		Long: `Commit closes a look that a finalize made and could not commit. DIR is the folder of
the suite that finalize wrote, with its final.json. No trial runs.`,
		Example: `  capeval-ci seal commit --from .capeval/final/01J8ZQ5W9C2T/refund-agent`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if from == "" {
				return fail(exitUsage, "need --from DIR, the folder of the suite that finalize wrote")
			}
			return withLedger(*how, func(ctx context.Context, l *looksLedger) error { return sealCommit(ctx, std, l, from) })
		},
	}
	c.Flags().StringVar(&from, "from", "", "the `folder` that holds final.json")
	return c
}

func sealCommit(ctx context.Context, std IO, l *looksLedger, from string) error {
	path := filepath.Join(from, "final.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return withCode(exitUsage, err)
	}
	f, err := record.ReadFinal(bytes.NewReader(data), path)
	if err != nil {
		return withCode(exitIntegrity, err)
	}
	s, err := l.head(ctx, time.Now())
	if err != nil {
		return err
	}
	digest := ledger.Digest(data)
	if e := committedEntry(s, f.Seal.Attempt); e != nil {
		if e.Record.Result.FinalSHA256 != digest {
			return fail(exitIntegrity, "%s: attempt %s was committed with final.json %s (record #%d), and this file is %s", path, f.Seal.Attempt, e.Record.Result.FinalSHA256, e.Record.Seq, digest)
		}
		fmt.Fprintf(std.Out, "committed already: record #%d holds this file's digest\n", e.Record.Seq)
		return nil
	}
	result := ledger.Result{FinalSHA256: digest, Status: string(f.Status)}
	if v, ok := f.TestDelta.Value(); ok {
		result.TestDelta = &v
	}
	s, err = l.append(ctx, s, func(now ledger.Snapshot) (ledger.Record, error) {
		return now.Commit(f.Seal.Attempt, f.Seal.Nonce, result, ciRun(), time.Now())
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "committed: record #%d holds %s of look %d\n", len(s.Entries), digest, f.Seal.Number)
	return withCode(exitInfra, l.remember(s))
}

// committedEntry is the record that closed an attempt, nil where there is none.
func committedEntry(s ledger.Snapshot, attempt string) *ledger.Entry {
	for i := range s.Entries {
		if r := &s.Entries[i].Record; r.Kind == ledger.Committed && r.Attempt == attempt {
			return &s.Entries[i]
		}
	}
	return nil
}
