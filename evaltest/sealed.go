package evaltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// sealed is what this process knows of the grant that it carries, if any.
type sealed struct {
	once    sync.Once
	path    string        // of the grant, "" when none is carried
	grant   seal.Grant    // zero where it cannot be read
	client  *seal.Client  // nil unless a finalize job answered for the grant
	problem *seal.Refusal // why the grant is none

	attempts seal.Attempts // in place of the ledger that the grant names, nil for that
	checked  sync.Once
	wrong    *problem // what the check of the whole grant found

	mu      sync.Mutex
	granted int
	first   error           // the first refusal of a trial
	entered map[string]bool // the containers in which a trial was granted
	pool    sync.Once
}

// open reports whether a finalize job stands behind this process, so that the
// tasks of the test split are built. It asks once, when the first file of tasks
// or the first container is declared: whatever that says holds for the process.
func (d *sealed) open() bool {
	d.once.Do(func() {
		d.path = os.Getenv(seal.GrantVariable)
		if d.path == "" {
			return
		}
		g, err := seal.ReadGrant(d.path)
		if err == nil {
			d.grant = g
			client := seal.NewClient(g)
			if err = client.Hello(context.Background()); err == nil {
				d.client = client
			}
		}
		if err != nil {
			r := asRefusal(err, g.Attempt)
			d.problem = &r
		}
	})
	return d.client != nil
}

// carried reports whether the process was given a grant, whatever it is worth.
func (d *sealed) carried() bool {
	d.open()
	// Read again, because go test's cache counts only what is read after the tests
	// began: a result without a grant is none for a process that has one.
	return d.path != "" || os.Getenv(seal.GrantVariable) != ""
}

func asRefusal(err error, attempt string) seal.Refusal {
	var r seal.Refusal
	if errors.As(err, &r) {
		return r
	}
	return seal.DeadGrant(attempt, err.Error())
}

// settle makes the settings those of the grant, which gives the split and the
// arm. A setting of the environment that asks for something else is a
// contradiction, and nothing runs.
func (d *sealed) settle(run *config.Run) *seal.Refusal {
	if !d.open() {
		return nil
	}
	var wrong *seal.Refusal
	for _, v := range []struct{ key, env, found, granted string }{
		{"split", "CAPEVAL_SPLIT", run.Split.V, string(record.Test)},
		{"arm", "CAPEVAL_ARM", run.Arm.V, string(d.grant.Role)},
	} {
		if os.Getenv(v.env) != "" && v.found != v.granted && wrong == nil {
			r := seal.Contradicts(v.env, fmt.Sprintf("%s %q", v.key, v.found), fmt.Sprintf("%s %q", v.key, v.granted))
			wrong = &r
		}
		_ = run.Apply(v.key, v.granted, config.LayerFlag, seal.GrantVariable) // both are always valid
	}
	return wrong
}
