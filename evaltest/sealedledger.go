package evaltest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/internal/seal/ledger"
)

// ledgerOf opens the copy of the ledger that a grant names, from which a process
// learns, without a network, that the grant's attempt may still look. A kind that
// this build does not know is refused: a grant nobody can check opens nothing.
func ledgerOf(l seal.Locator) (seal.Attempts, error) {
	if l.Kind != seal.LedgerDir {
		return nil, fmt.Errorf("found a ledger of kind %q, which this build cannot read", l.Kind)
	}
	return ledgerCopy(l.Path), nil
}

// ledgerCopy is a folder with the records as the finalize job read them.
type ledgerCopy string

// Check asks whether the attempt of g holds its key, on a ledger that is the
// project's: that of its checkpoint, where it has one.
func (path ledgerCopy) Check(g seal.Grant) error {
	s, err := ledger.NewDir(string(path)).Head(context.Background())
	if err != nil {
		return err
	}
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(cfg.Root, filepath.FromSlash(cfg.Seal.Checkpoint.V)))
	switch {
	case err == nil:
		c, err := ledger.DecodeCheckpoint(data)
		if err == nil {
			err = s.Check("", c)
		}
		if err != nil {
			return err
		}
	case !os.IsNotExist(err):
		return err
	}
	a, ok := s.Attempt(g.Attempt)
	if !ok {
		return fmt.Errorf("no reservation")
	}
	key, err := a.Key()
	if err != nil {
		return err
	}
	st := s.State(key)
	if key.Suite != g.Suite || key.FP != g.FP || a.Plan.SHA256 != g.Plan {
		return fmt.Errorf("a reservation of something else")
	}
	if st.Holder() != g.Attempt || st.Phase != ledger.HeldReserved && st.Phase != ledger.HeldObserved {
		return fmt.Errorf("%s, held by %q", st.Phase, st.Holder())
	}
	if st.Phase == ledger.HeldObserved && st.Observed.Record.NonceSHA256 != ledger.NonceSHA256(g.Nonce) {
		return fmt.Errorf("observed under another nonce")
	}
	return nil
}
