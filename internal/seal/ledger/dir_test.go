package ledger_test

import (
	"path/filepath"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

type dirPlace string

func (d dirPlace) Open(testing.TB) ledger.Creator { return ledger.NewDir(string(d)) }

func TestDir(t *testing.T) {
	storetest.Run(t, ledger.ScopeLocal, func(t *testing.T) storetest.Place {
		return dirPlace(filepath.Join(t.TempDir(), "not", "yet"))
	})
}
