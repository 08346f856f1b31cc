package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/record"
)

// reserve claims every suite's key on the ledger before anything is looked at.
func (z *finalizing) reserve() (err error) {
	if z.ledger, err = openLedger(z.ctx, z.cfg, z.flags.ledger); err != nil {
		return err
	}
	if z.snapshot, err = z.ledger.head(z.ctx, z.now()); err != nil {
		return err
	}
	for _, s := range z.suites {
		if s.attempt, err = z.newAttempt(s); err != nil {
			return withCode(exitUsage, err)
		}
		if err := z.uncontaminated(s); err != nil {
			return err
		}
	}
	for _, s := range z.suites {
		terms := ledger.Terms{Supersede: z.flags.supersede, Relook: z.flags.relook, MaxLooks: z.cfg.Seal.MaxLooks.V}
		z.snapshot, err = z.ledger.append(z.ctx, z.snapshot, func(now ledger.Snapshot) (ledger.Record, error) {
			return now.Reserve(s.attempt, terms, z.now())
		})
		if err != nil {
			return z.giveBack(err)
		}
		z.say("%s: reserved look %d for release %s, attempt %s", s.attempt.Suite, z.snapshot.Look(s.split()).Look, s.key.Release, s.attempt.ID)
	}
	return z.giveBackOn(z.place())
}

func (s *sealedSuite) split() ledger.Split {
	return ledger.Split{Suite: s.attempt.Suite, Scorer: s.attempt.Scorer, Tasks: s.attempt.Tasks}
}

// uncontaminated refuses tasks that train or val showed before, and notes on the
// ledger which tasks they show now.
func (z *finalizing) uncontaminated(s *sealedSuite) error {
	if ids := z.snapshot.Look(s.split()).Contaminated; len(ids) > 0 && z.flags.relook == "" {
		var seen []seal.Contamination
		for _, id := range ids {
			seen = append(seen, seal.Contamination{Task: id, Split: "train or val", From: "an earlier record of the ledger"})
		}
		return refusing(seal.Contaminated(seen))
	}
	var shown []ledger.Task
	for _, split := range []record.Split{record.Train, record.Val} {
		for _, t := range s.decl.Of(split) {
			shown = append(shown, ledger.Task{ID: t.ID, Digest: t.Digest, Split: string(split)})
		}
	}
	if len(z.snapshot.Unseen(s.attempt.Suite, shown)) == 0 {
		return nil
	}
	var err error
	z.snapshot, err = z.ledger.append(z.ctx, z.snapshot, func(now ledger.Snapshot) (ledger.Record, error) {
		return ledger.NewPolicy(s.attempt.Suite, now.Unseen(s.attempt.Suite, shown), ciRun(), z.now()), nil
	})
	return err
}

func (z *finalizing) giveBackOn(err error) error {
	if err == nil {
		return nil
	}
	return z.giveBack(err)
}

// giveBack returns the reservations of a job that goes no further, so that the
// next one need not supersede it. Nothing was looked at.
func (z *finalizing) giveBack(why error) error {
	for _, s := range z.suites {
		if s.observed() || s.attempt.ID == "" || z.snapshot.State(s.key).Holder() != s.attempt.ID {
			continue
		}
		next, err := z.ledger.append(context.WithoutCancel(z.ctx), z.snapshot, func(now ledger.Snapshot) (ledger.Record, error) {
			return now.Abort(s.attempt.ID, "finalize went no further: "+firstLineOf(why), ciRun(), z.now())
		})
		if err == nil {
			z.snapshot = next
		}
	}
	return why
}

// look runs every suite under its grant and publishes what came of it.
func (z *finalizing) look() (int, error) {
	var err error
	if z.private, err = seal.MakeDir(z.cfg.Root); err != nil {
		return 0, z.giveBack(withCode(exitInfra, err))
	}
	for which, s := range z.arms {
		if s == nil {
			continue
		}
		s.command.ID = z.suites[0].attempt.ID
		s.place = filepath.Join(z.out, armNames[which])
		if err := s.open(); err != nil {
			return 0, z.giveBack(err)
		}
	}
	code := exitOK
	for i, s := range z.suites {
		if err := z.run(i, s); err != nil {
			return exitOK, z.after(s, err)
		}
		c, err := z.publish(s)
		if err != nil {
			return exitOK, z.after(s, err)
		}
		code = worst(code, c)
	}
	return code, withCode(exitInfra, z.ledger.remember(z.snapshot))
}

// after says what an error means: once the look is on the ledger, that it must not
// be started again.
func (z *finalizing) after(s *sealedSuite, err error) error {
	s.wasObserved = s.observed()
	for _, other := range z.suites {
		if !other.observed() {
			_ = z.giveBack(err)
			break
		}
	}
	if !s.wasObserved {
		return err
	}
	look := 0
	if st := z.snapshot.State(s.key); st.Observed != nil {
		look = st.Observed.Record.Look
	}
	return fail(exitUnsealed, "%w\n%s", err, seal.Uncommitted(look, firstLineOf(err), s.dir).Error())
}

// run runs the roles of one suite, each trial once.
func (z *finalizing) run(i int, s *sealedSuite) error {
	s.dir = rundir.Suite(z.out, s.attempt.Suite).Path
	private := filepath.Join(z.private, fmt.Sprint(i))
	if err := errors.Join(os.MkdirAll(s.dir, 0o755), os.MkdirAll(private, 0o700)); err != nil {
		return withCode(exitInfra, err)
	}
	books := filepath.Join(private, "ledger")
	if err := copyLedger(z.snapshot, books); err != nil {
		return withCode(exitInfra, err)
	}
	if err := z.writeAttempt(s); err != nil {
		return withCode(exitInfra, err)
	}
	plan := s.decl.Plan()
	slots := plan.Slots(seal.Candidate)
	roles := []int{candidateArm}
	if s.runs[baselineArm] != nil {
		slots, roles = append(slots, plan.Slots(seal.Baseline)...), append(roles, baselineArm)
	}
	var err error
	s.broker, err = seal.StartBroker(seal.BrokerConfig{
		Addr: filepath.Join(private, "broker"), Attempt: s.attempt.ID, Nonce: s.nonce, Slots: slots,
		Journal: filepath.Join(s.dir, "grants.jsonl"),
		Observe: func(ctx context.Context) error { return z.observe(ctx, s) },
	})
	if err != nil {
		return withCode(exitInfra, err)
	}
	for _, which := range roles {
		role := seal.Candidate
		if which == baselineArm {
			role = seal.Baseline
		}
		grants := filepath.Join(private, string(role))
		if err := os.Mkdir(grants, 0o700); err != nil {
			return withCode(exitInfra, err)
		}
		r := s.runs[which]
		r.grant = filepath.Join(grants, "grant")
		err := seal.WriteGrant(r.grant, seal.Grant{
			V: 1, Addr: filepath.Join(private, "broker"), Attempt: s.attempt.ID, Nonce: s.nonce, Role: role, Suite: plan.Suite,
			FP: seal.Fingerprint(plan.Tasks), Plan: plan.Digest(), Tasks: plan.Tasks,
			Ledger: seal.Locator{Kind: seal.LedgerDir, Path: books, Genesis: z.snapshot.Genesis},
		})
		if err != nil {
			return withCode(exitInfra, err)
		}
		if err := r.pass(nil, 0); err != nil {
			return err
		}
		r.summarise()
		if r.refusal != nil {
			return fail(r.refusal.Exit, "%s", r.refusal.Message)
		}
		if !s.broker.Report().Observed {
			return fail(exitInfra, "%s ended before its first test trial (%s), and nothing was looked at:\n%s", r.pkg(), r.exit.State, tail(r.output.read(), maxTail))
		}
		if code := z.signals.code(); code != exitOK {
			return fail(code, "interrupted")
		}
	}
	return nil
}

// observe puts the look on the ledger, and reads it back, before the first trial.
func (z *finalizing) observe(ctx context.Context, s *sealedSuite) error {
	next, err := z.ledger.append(ctx, z.snapshot, func(now ledger.Snapshot) (ledger.Record, error) {
		return now.Observe(s.attempt, ledger.NonceSHA256(s.nonce), z.now())
	})
	if err != nil {
		return err
	}
	z.snapshot = next
	z.say("%s: the look is on the ledger (record %d); the test split runs now", s.attempt.Suite, len(next.Entries))
	return nil
}

// copyLedger writes the records for the suites' processes, which have no way to
// the remote.
func copyLedger(s ledger.Snapshot, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "r"), 0o700); err != nil {
		return err
	}
	for _, e := range s.Entries {
		data, err := ledger.Encode(e.Record)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "r", ledger.FileName(e.Record.Seq)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeAttempt keeps what a later `seal commit` or salvage needs, should this
// process die after the look.
func (z *finalizing) writeAttempt(s *sealedSuite) error {
	data, err := indented(struct {
		Attempt string `json:"attempt"`
		Nonce   string `json:"nonce"`
		Suite   string `json:"suite"`
		Release string `json:"release"`
	}{s.attempt.ID, s.nonce, s.attempt.Suite, s.key.Release})
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(s.dir, "attempt.json"), data, durable.Options{Perm: 0o600})
}

func firstLineOf(err error) string {
	text := err.Error()
	for i, c := range text {
		if c == '\n' {
			return text[:i]
		}
	}
	return text
}
