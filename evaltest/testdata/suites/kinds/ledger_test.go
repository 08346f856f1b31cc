package kinds

import (
	"fmt"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/internal/seal"
)

// ledger is the smallest ledger that can say whether an attempt may still look:
// a file of lines "kind attempt [sha256 of the nonce]", the last of which holds.
type ledger struct{}

// Check reads the file that the grant names, as the ledger's own check does.
func (ledger) Check(g seal.Grant) error {
	data, err := os.ReadFile(g.Ledger.Path)
	if err != nil {
		return err
	}
	holder, state := "", "no reservation"
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch {
		case f[0] == "reserved":
			holder, state = f[1], "reserved"
		case f[1] != holder:
			return fmt.Errorf("a line of %s, which holds nothing", f[1])
		default:
			state = f[0]
		}
		if f[0] == "observed" && holder == g.Attempt && f[2] != seal.NonceSHA256(g.Nonce) {
			return fmt.Errorf("observed with another nonce")
		}
	}
	if holder != g.Attempt {
		return fmt.Errorf("the last reservation is that of %q", holder)
	}
	if state != "reserved" && state != "observed" {
		return fmt.Errorf("%s", state)
	}
	return nil
}

// withLedger brings the ledger into the suite.
func withLedger() { Describe("ledger", ledger{}, func() {}) }
