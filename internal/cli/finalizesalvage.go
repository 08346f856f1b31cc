package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/record"
)

// salvageCommand publishes what a finalize left behind that died after its look:
// the trials that ended, with every other cell missing. No trial runs.
func salvageCommand(std IO, f finalizeFlags) (state string, code int, err error) {
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return stateRefused, 0, withCode(exitUsage, err)
	}
	paths, err := filepath.Glob(filepath.Join(f.salvage, "*", "attempt.json"))
	if err != nil || len(paths) == 0 {
		return stateRefused, 0, fail(exitUsage, "--salvage: %s holds no attempt, need the folder that finalize wrote (--out)", f.salvage)
	}
	slices.Sort(paths)
	z := &finalizing{std: std, flags: f, ctx: context.Background(), now: time.Now, cfg: cfg, out: f.salvage}
	if z.ledger, err = openLedger(z.ctx, cfg, f.ledger); err != nil {
		return stateRefused, 0, err
	}
	defer z.ledger.close()
	if z.snapshot, err = z.ledger.head(z.ctx, z.now()); err != nil {
		return stateRefused, 0, err
	}
	for _, path := range paths {
		s, err := z.leftBehind(path)
		if err != nil {
			return stateRefused, 0, err
		}
		c, err := z.salvage(s)
		if err != nil {
			return stateObserved, 0, err
		}
		code = worst(code, c)
	}
	return stateFinalized, code, withCode(exitInfra, z.ledger.remember(z.snapshot))
}

// leftBehind reads what a dead finalize left of one suite.
func (z *finalizing) leftBehind(path string) (*sealedSuite, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	var left struct{ Attempt, Nonce, Suite string }
	if err := json.Unmarshal(data, &left); err != nil {
		return nil, fail(exitIntegrity, "%s: %w", path, err)
	}
	a, ok := z.snapshot.Attempt(left.Attempt)
	if !ok {
		return nil, fail(exitIntegrity, "%s: attempt %q is not on the ledger", path, left.Attempt)
	}
	s := &sealedSuite{attempt: a, nonce: left.Nonce, dir: filepath.Dir(path)}
	if s.key, err = a.Key(); err != nil {
		return nil, withCode(exitIntegrity, err)
	}
	for which, name := range armNames {
		d := rundir.Suite(filepath.Join(z.out, name), a.Suite)
		if _, err := d.ReadRun(); err != nil {
			continue // it never came to its plan
		}
		if err := d.Finish(); err != nil {
			return nil, withCode(exitIntegrity, err)
		}
		s.runs[which] = &suiteRun{dir: d, found: true}
	}
	if s.runs[candidateArm] == nil {
		return nil, fail(exitInfra, "%s: the candidate left no plan, so there is nothing to publish; --relook-reason looks again, and says so", s.dir)
	}
	return s, nil
}

// salvage publishes what there is, and closes the key.
func (z *finalizing) salvage(s *sealedSuite) (int, error) {
	z.sources[candidateArm].Source = record.Source{Digest: s.attempt.Candidate}
	z.sources[baselineArm].Source = record.Source{Digest: s.attempt.Baseline}
	why := "the job died after the look"
	var err error
	if z.snapshot.State(s.key).Salvaged == nil {
		z.snapshot, err = z.ledger.append(z.ctx, z.snapshot, func(now ledger.Snapshot) (ledger.Record, error) {
			return now.Salvage(s.attempt.ID, s.nonce, why, ciRun(), z.now())
		})
		if err != nil {
			return 0, err
		}
	}
	final, err := z.final(s)
	if err != nil {
		return 0, err
	}
	final.Status = record.FinalSalvaged
	z.say("%s: %d of %d cells were measured before the job died", s.attempt.Suite, final.Test.NCells-final.Test.NMissing, final.Test.NCells)
	return z.commit(s, final)
}
