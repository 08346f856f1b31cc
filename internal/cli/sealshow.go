package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/record"
)

// keyStatus is what the ledger says of one key.
type keyStatus struct {
	Suite   string       `json:"suite"`
	Release string       `json:"release"`
	FP      string       `json:"fp"`
	Phase   ledger.Phase `json:"phase"`
	Attempt string       `json:"attempt"`
	Look    int          `json:"look"` // 0 where none happened
	Date    string       `json:"date"`
	Result  string       `json:"result"` // the digest of final.json, "" where none was committed
}

// sealStatus is `seal status --format json`.
type sealStatus struct {
	Schema  string      `json:"schema"`
	Ref     string      `json:"ref"`
	Remote  string      `json:"remote"`
	Scope   string      `json:"scope"`
	Name    string      `json:"name"`
	Genesis string      `json:"genesis"`
	Head    string      `json:"head"`
	Records int         `json:"records"`
	Keys    []keyStatus `json:"keys"`
}

func newSealStatus(std IO, how *string) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "what the ledger says of every release",
		Example: `  capeval-ci seal status`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := jsonWanted(c)
			if err != nil {
				return err
			}
			return withLedger(*how, func(ctx context.Context, l *looksLedger) error {
				s, err := l.head(ctx, time.Now())
				if err != nil {
					return err
				}
				return writeSealStatus(std, l, s, asJSON)
			})
		},
	}
}

func writeSealStatus(std IO, l *looksLedger, s ledger.Snapshot, asJSON bool) error {
	status := sealStatus{
		Schema: "capeval.seal_status/v1", Ref: l.ref, Remote: l.remote, Scope: l.scope, Name: s.Name(),
		Genesis: s.Genesis, Head: s.Head, Records: len(s.Entries), Keys: keysOf(s),
	}
	if asJSON {
		data, err := indented(status)
		if err == nil {
			_, err = std.Out.Write(data)
		}
		return withCode(exitInfra, err)
	}
	fmt.Fprintf(std.Out, "ledger %s: %s on %s, %s, %d records, genesis %s, head %s\n", status.Name, orDash(status.Ref), status.Remote, status.Scope, status.Records, short(status.Genesis), short(status.Head))
	for _, k := range status.Keys {
		line := fmt.Sprintf("%s, release %s: %s", k.Suite, k.Release, k.Phase)
		if k.Look > 0 {
			line += fmt.Sprintf(", look %d", k.Look)
		}
		fmt.Fprintf(std.Out, "%s, attempt %s, %s\n", line, k.Attempt, k.Date)
		if k.Phase == ledger.HeldObserved {
			fmt.Fprintf(std.Out, "  looked at and not committed: capeval-ci seal commit --from DIR, the folder that its job left\n")
		}
	}
	if len(status.Keys) == 0 {
		fmt.Fprintln(std.Out, "no release was finalized")
	}
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// keysOf lists every key that was ever reserved, in the order of its first record.
func keysOf(s ledger.Snapshot) []keyStatus {
	keys := []keyStatus{}
	var seen []ledger.Key
	for _, e := range s.Entries {
		r := e.Record
		key := ledger.Key{Suite: r.Suite, FP: r.FP, Release: r.Release}
		if r.Key == "" || slices.Contains(seen, key) {
			continue
		}
		seen = append(seen, key)
		st := s.State(key)
		k := keyStatus{Suite: key.Suite, Release: key.Release, FP: key.FP, Phase: st.Phase, Date: r.TS, Attempt: r.Attempt}
		if k.Phase == ledger.Free {
			k.Phase = "free"
		}
		for _, last := range []*ledger.Entry{st.Reserved, st.Observed, st.Committed} {
			if last != nil {
				k.Date, k.Attempt = last.Record.TS, last.Record.Attempt
			}
		}
		if st.Observed != nil {
			k.Look = st.Observed.Record.Look
		}
		if st.Committed != nil {
			k.Result = st.Committed.Record.Result.FinalSHA256
		}
		keys = append(keys, k)
	}
	return keys
}

func newSealLog(std IO, how *string) *cobra.Command {
	return &cobra.Command{
		Use:     "log",
		Short:   "every record of the ledger, oldest first",
		Example: `  capeval-ci seal log --format json > ledger.jsonl`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := jsonWanted(c)
			if err != nil {
				return err
			}
			return withLedger(*how, func(ctx context.Context, l *looksLedger) error {
				s, err := l.head(ctx, time.Now())
				if err != nil {
					return err
				}
				return writeSealLog(std, s, asJSON)
			})
		},
	}
}

// writeSealLog writes a line a record: the record's own bytes as JSON, or what
// matters of it.
func writeSealLog(std IO, s ledger.Snapshot, asJSON bool) error {
	for _, e := range s.Entries {
		r := e.Record
		if asJSON {
			data, err := ledger.Encode(r)
			if err == nil {
				_, err = std.Out.Write(data)
			}
			if err != nil {
				return withCode(exitInfra, err)
			}
			continue
		}
		line := fmt.Sprintf("#%d %s %s", r.Seq, r.TS, r.Kind)
		for _, part := range []string{r.Suite, r.Release, r.Attempt, r.Reason} {
			if part != "" {
				line += " " + part
			}
		}
		if r.Look > 0 {
			line += fmt.Sprintf(" look %d", r.Look)
		}
		fmt.Fprintf(std.Out, "%s (%s)\n", line, short(e.ID))
	}
	return nil
}

func newSealVerify(std IO, how *string) *cobra.Command {
	var against string
	c := &cobra.Command{
		Use:   "verify FILE",
		Short: "check a final.json against the ledger",
		Long: `Verify recomputes the digest of a final.json and finds it on the ledger, whose chain
is checked from its first record; it recomputes which look the file speaks of.
--against takes the final.json of an older release, whose look must be on the same
ledger.`,
		Example: `  capeval-ci seal verify final.json
  capeval-ci seal verify final.json --against v1.3.0/final.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withLedger(*how, func(ctx context.Context, l *looksLedger) error { return sealVerify(ctx, std, l, args[0], against) })
		},
	}
	c.Flags().StringVar(&against, "against", "", "the final.json of an older release, a `file`")
	return c
}

func sealVerify(ctx context.Context, std IO, l *looksLedger, path, against string) error {
	f, digest, err := readFinalFile(path)
	if err != nil {
		return err
	}
	s, err := l.head(ctx, time.Now()) // the chain, its pin and its checkpoint
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "ledger: %d records, whole from genesis %s\n", len(s.Entries), short(s.Genesis))
	if err := sameLedger(s, f, path); err != nil {
		return err
	}
	e := committedEntry(s, f.Seal.Attempt)
	if e == nil {
		return fail(exitIntegrity, "%s: attempt %s has committed nothing", path, f.Seal.Attempt)
	}
	if got := e.Record.Result.FinalSHA256; got != digest {
		return fail(exitIntegrity, "%s: the file is %s, and record #%d was committed with %s: the file was changed", path, digest, e.Record.Seq, got)
	}
	fmt.Fprintf(std.Out, "digest: %s, committed by record #%d\n", digest, e.Record.Seq)
	told, _, err := s.Final(f.Seal.Attempt, f.Seal.Nonce, l.ref)
	if err != nil {
		return withCode(exitIntegrity, err)
	}
	var look record.FinalSeal
	if err := into(told, &look); err != nil {
		return withCode(exitInfra, err)
	}
	if look.Number != f.Seal.Number || look.Release != f.Seal.Release || look.Fingerprint != f.Seal.Fingerprint || !reflect.DeepEqual(look.ByTask, f.Seal.ByTask) {
		return fail(exitIntegrity, "%s: says look %d of release %s, and the ledger look %d of release %s", path, f.Seal.Number, f.Seal.Release, look.Number, look.Release)
	}
	fmt.Fprintf(std.Out, "look: %d, of release %s, %d of %d tasks fresh\n", look.Number, look.Release, look.ByTask.Fresh, look.ByTask.Fresh+look.ByTask.Reused)
	if against == "" {
		return nil
	}
	old, _, err := readFinalFile(against)
	if err != nil {
		return err
	}
	if err := sameLedger(s, old, against); err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "against %s: its look, record #%d, is on this ledger\n", old.Seal.Release, old.Ledger.Seq)
	return nil
}

func readFinalFile(path string) (record.Final, string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return record.Final{}, "", withCode(exitUsage, err)
	}
	f, err := record.ReadFinal(bytes.NewReader(data), path)
	return f, ledger.Digest(data), withCode(exitIntegrity, err)
}

// sameLedger asks whether the look that a file speaks of is on the ledger where
// the file says.
func sameLedger(s ledger.Snapshot, f record.Final, path string) error {
	if f.Ledger.Genesis != s.Genesis {
		return fail(exitIntegrity, "%s: speaks of the ledger with genesis %s, and this one's is %s", path, f.Ledger.Genesis, s.Genesis)
	}
	if n := f.Ledger.Seq; n < 1 || n > len(s.Entries) || s.Entries[n-1].ID != f.Ledger.Observed || s.Entries[n-1].Record.Attempt != f.Seal.Attempt {
		return fail(exitIntegrity, "%s: its look is record #%d (%s), and the ledger does not hold it there: the ledger was rewound or rewritten", path, f.Ledger.Seq, short(f.Ledger.Observed))
	}
	return nil
}
