package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
	"github.com/capeval/capeval/stats"
)

// publish writes what a suite's look found, and puts its digest on the ledger.
func (z *finalizing) publish(s *sealedSuite) (int, error) {
	report := s.broker.Close()
	s.wasObserved = report.Observed
	if len(report.Twice) > 0 {
		return 0, refusing(seal.AskedTwice(report.Twice[0]))
	}
	final, err := z.final(s)
	if err != nil {
		return 0, err
	}
	return z.commit(s, final)
}

// commit writes the files of a look and puts the digest of its result on the
// ledger.
func (z *finalizing) commit(s *sealedSuite, final record.Final) (int, error) {
	code, decisions, err := z.compare(s, &final)
	if err != nil {
		return 0, err
	}
	data, err := z.write(s, final, decisions)
	if err != nil {
		return 0, err
	}
	result := ledger.Result{FinalSHA256: ledger.Digest(data), Status: string(final.Status)}
	if v, ok := final.TestDelta.Value(); ok {
		result.TestDelta = &v
	}
	z.snapshot, err = z.ledger.append(context.WithoutCancel(z.ctx), z.snapshot, func(now ledger.Snapshot) (ledger.Record, error) {
		return now.Commit(s.attempt.ID, s.nonce, result, ciRun(), z.now())
	})
	if err != nil {
		return 0, err
	}
	s.committed = true
	fmt.Fprintf(z.std.Out, "final.json: %s\n", here(filepath.Join(s.dir, "final.json")))
	return code, nil
}

// final is what the look found, with where it stands on the ledger.
func (z *finalizing) final(s *sealedSuite) (record.Final, error) {
	f := record.Final{
		Suite: s.attempt.Suite, Status: record.FinalComplete, Candidate: z.sources[candidateArm].Source, Scorer: s.attempt.Scorer,
		Plan: record.FinalPlan{Digest: s.attempt.Plan.SHA256, Trials: s.attempt.Plan.Trials, BaseSeed: s.attempt.Plan.BaseSeed},
		Run:  runFacts(ciRun()),
	}
	if z.repo != nil {
		f.Git = record.Git{Commit: z.repo.head}
	}
	grants, err := readGrants(s)
	if err != nil {
		return f, err
	}
	if f.Test, err = s.accepted(candidateArm, grants); err != nil {
		return f, err
	}
	f.Plan.NTasks, f.Plan.NCells = f.Test.NTasks, f.Test.NCells
	switch {
	case s.runs[baselineArm] != nil:
		b, err := s.accepted(baselineArm, grants)
		if err != nil {
			return f, err
		}
		f.TestBaseline = &b
	case z.equal: // one evaluation speaks for both
		b := f.Test
		b.Arm = armNames[baselineArm]
		f.TestBaseline, f.Status = &b, record.FinalEqual
	}
	if f.TestBaseline != nil {
		id := z.sources[baselineArm].Digest
		source := z.sources[baselineArm].Source
		f.BaselineID, f.Baseline = &id, &source
	}
	told, at, err := z.snapshot.Final(s.attempt.ID, s.nonce, z.ledger.ref)
	if err != nil {
		return f, withCode(exitIntegrity, err)
	}
	if err := errors.Join(into(told, &f.Seal), into(at, &f.Ledger)); err != nil {
		return f, withCode(exitInfra, err)
	}
	f.Ledger.Born = z.snapshot.Entries[0].Record.TS
	return f, nil
}

// into copies what the ledger says into the form of final.json, whose keys are the
// same.
func into(from, to any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // nothing that the ledger says may be lost
	return d.Decode(to)
}

func runFacts(r ledger.Run) record.CIRun {
	c := record.CIRun{Provider: r.Provider, ID: r.RunID, URL: r.URL, Actor: r.Actor, SHA: r.SHA, Ref: r.Ref}
	if r.RunAttempt > 0 {
		c.Attempt = fmt.Sprint(r.RunAttempt)
	}
	return c
}

func readGrants(s *sealedSuite) (seal.Grants, error) {
	f, err := os.Open(filepath.Join(s.dir, "grants.jsonl"))
	if err != nil {
		return seal.Grants{}, withCode(exitInfra, err)
	}
	defer f.Close()
	g, err := seal.ReadGrants(f, s.nonce)
	return g, withCode(exitIntegrity, err)
}

// accepted is the result of a role. A trial with a reward and without the receipt
// of a grant was planted: its numbers are no data.
func (s *sealedSuite) accepted(which int, grants seal.Grants) (record.SplitResult, error) {
	d := s.runs[which].dir
	trials, _, err := d.ReadJournal()
	if err != nil {
		return record.SplitResult{}, withCode(exitIntegrity, err)
	}
	for _, t := range trials {
		var receipt string
		_ = json.Unmarshal(t.Extra["receipt"], &receipt)
		slot := seal.Slot{Role: seal.Role(armNames[which]), Suite: t.Suite, Task: t.Task, Trial: t.Trial}
		if t.Status == record.Scored && !grants.Accepts(slot, receipt) {
			return record.SplitResult{}, fail(exitIntegrity, "%s: trial %s has a reward and no grant: it was planted, and these numbers are no data", d.Path, slot)
		}
	}
	r, err := d.Result(record.Options{})
	return r, withCode(exitIntegrity, err)
}

// compare fills in what the look says about the baseline. Nothing is judged unless
// a rule is set.
func (z *finalizing) compare(s *sealedSuite, f *record.Final) (int, []gate.Decision, error) {
	if f.TestBaseline == nil {
		return exitOK, nil, nil
	}
	rule := ruleOf(z.cfg)
	if z.rule != nil {
		rule = *z.rule
	}
	if f.Status == record.FinalEqual {
		zero := stats.Defined(0)
		f.TestDelta, f.Comparison = zero, &record.FinalComparison{NPaired: f.Test.NScored, CI: record.Interval{Level: rule.Level}, CILook: record.Interval{Level: rule.Level}}
		return exitOK, nil, nil
	}
	d, err := gate.Compare(*f.TestBaseline, f.Test, rule)
	if err != nil {
		return exitOK, nil, withCode(exitUsage, err)
	}
	atLook := rule
	atLook.Level = lookLevel(rule.Level, f.Seal.Number)
	narrow, err := gate.Compare(*f.TestBaseline, f.Test, atLook)
	if err != nil {
		return exitOK, nil, withCode(exitUsage, err)
	}
	f.TestDelta = d.Delta
	f.Comparison = &record.FinalComparison{
		CI: d.CI, CILook: narrow.CI, NPaired: d.NPaired, PBetter: d.PBetter, PWorse: d.PWorse, PTwoSided: d.PTwoSided,
	}
	if z.rule == nil {
		return exitOK, []gate.Decision{d}, nil
	}
	judged, err := gate.DecideFinal(*f.TestBaseline, f.Test, rule)
	if err != nil {
		return exitOK, nil, withCode(exitUsage, err)
	}
	f.Comparison.Verdict, f.Comparison.Code, f.Comparison.Rule = string(judged.Verdict), judged.Code, judged.Rule
	return gate.Exit(judged.Verdict, judged.Code), []gate.Decision{judged}, nil
}

// lookLevel is the level of the interval of look n: alpha/(n(n+1)) of the chance
// of a false claim is left to it, and the parts of all looks add up to alpha.
func lookLevel(level float64, n int) float64 {
	alpha := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).SetFloat64(level))
	alpha.Quo(alpha, big.NewRat(int64(n)*int64(n+1), 1))
	v, _ := new(big.Rat).Sub(big.NewRat(1, 1), alpha).Float64()
	return v
}

// write writes final.json and what goes with it. It returns the bytes whose digest
// is committed.
func (z *finalizing) write(s *sealedSuite, f record.Final, decisions []gate.Decision) ([]byte, error) {
	var data, notes bytes.Buffer
	if err := record.WriteFinal(&data, f); err != nil {
		return nil, withCode(exitInfra, err)
	}
	doc := reporter.Build(reporter.Input{Finals: []record.Final{f}, Decisions: decisions})
	if err := markdown(&notes, doc, z.cfg.Report.SummaryBytes.V, 0); err != nil {
		return nil, withCode(exitInfra, err)
	}
	attested, err := intotoStatement(f, data.Bytes(), z.configuration()...)
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{"final.md", notes.Bytes()}, {"final.intoto.json", attested}, {"final.json", data.Bytes()}} {
		if err := durable.WriteFile(filepath.Join(s.dir, file.name), file.data, durable.Options{}); err != nil {
			return nil, withCode(exitInfra, err)
		}
	}
	return data.Bytes(), withCode(exitInfra, writeDocumentText(z.std.Out, doc))
}

// configuration names capeval.yaml as it was, where there is one.
func (z *finalizing) configuration() []descriptor {
	data, err := os.ReadFile(filepath.Join(z.cfg.Root, "capeval.yaml"))
	if err != nil {
		return nil
	}
	return []descriptor{{Name: "capeval.yaml", Digest: digestSet(ledger.Digest(data))}}
}
