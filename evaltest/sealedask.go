package evaltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/seal"
)

// notGranted begins the failure of a trial that the finalize job did not grant.
const notGranted = "capeval: not granted"

// admission is what the finalize job said to one trial.
type admission struct {
	mu      sync.Mutex
	asked   bool
	receipt string
	refusal error // nil when granted
}

func (a *admission) get() (asked bool, refusal error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked, a.refusal
}

// admitted reports whether the trial of c may run. In a sealed run the broker is
// asked, once a trial; elsewhere nobody is.
func (s *suite) admitted(ctx context.Context, c *cell) bool {
	if s.sealed.client == nil {
		return true
	}
	a := &c.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.asked {
		a.asked = true
		a.receipt, a.refusal = s.sealed.client.Ask(ctx, c.task.id, c.index)
		s.heard(c, a.refusal)
	}
	return a.refusal == nil
}

// heard remembers an answer of the broker. The first refusal is left in the run
// directory: it decides the exit code of the run.
func (s *suite) heard(c *cell, refusal error) {
	d := &s.sealed
	d.mu.Lock()
	defer d.mu.Unlock()
	if refusal == nil {
		d.granted++
		if d.entered == nil {
			d.entered = map[string]bool{}
		}
		d.entered[strings.Join(c.task.around(), "\x00")] = true
		return
	}
	if d.first != nil {
		return
	}
	d.first = refusal
	out := rundir.Refusal{Exit: exitInfra, Code: "interrupted", Message: refusal.Error()}
	var r seal.Refusal
	if errors.As(refusal, &r) {
		out = rundir.Refusal{Exit: r.Exit, Code: r.ID, Message: r.Error()}
	}
	if d.granted > 0 {
		out.Exit = exitLooked
	}
	s.live.write(s.live.dir.WriteRefusal(out))
}

// around names the containers that a task stands in, without its own.
func (t *task) around() []string {
	var names []string
	for i, at := range t.locations {
		if i < len(t.texts)-1 {
			names = append(names, t.texts[i], at.String())
		}
	}
	return names
}

// failRefused fails the spec of a trial that was refused: the suite is red, and
// says why.
func (s *suite) failRefused(c *cell) {
	if _, refusal := c.admission.get(); refusal != nil {
		ginkgo.Fail(notGranted + "\n" + refusal.Error())
	}
}

// bar ends the node that is about to run where it must not, because its trial
// was not granted. Before a trial's first node it asks; where the answer is no,
// the spec fails here. It does nothing outside a sealed run.
func (s *suite) bar(ctx context.Context, kind hook) {
	if s.sealed.client == nil {
		return
	}
	r := ginkgo.CurrentSpecReport()
	c := s.cellOf(r)
	if c == nil {
		return
	}
	asked, refusal := c.admission.get()
	if asked && refusal == nil {
		return
	}
	if kind == afterHook || r.State.Is(types.SpecStateFailureStates|types.SpecStateSkipped) { // a clean-up
		if !kind.shared() || !s.sealed.inside(c) {
			ginkgo.Skip(notGranted)
		}
		return
	}
	if !asked {
		if !s.ready() || s.live.spent() != "" {
			ginkgo.Skip(s.whyNot())
		}
		s.sealed.pool.Do(s.startPool)
		s.admitted(ctx, c)
	}
	s.failRefused(c)
}

// inside reports whether a trial was granted in the containers around c, so that
// a hook that runs once for all of them may have something to clean up.
func (d *sealed) inside(c *cell) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.entered[strings.Join(c.task.around(), "\x00")]
}

// gate surrounds every node below a top-level container of a sealed run, so that
// decorators of the user's that surround nodes too come after the answer.
func (s *suite) gate(ctx context.Context, body func(context.Context)) {
	s.bar(ctx, anyNode)
	body(ctx)
}

// gated adds the gate to a top-level container of a sealed run, and takes out
// the ledger that a suite of this module brings.
func (s *suite) gated(args []any) []any {
	var out []any
	if len(s.reg.scopes) == 0 && s.sealed.open() {
		out = append(out, ginkgo.AroundNode(s.gate))
	}
	for _, arg := range args {
		if ledger, ok := arg.(seal.Attempts); ok {
			s.sealed.attempts = ledger
		} else {
			out = append(out, arg)
		}
	}
	return out
}

// receipt is the trial's proof that it was granted: the key receipt of its
// record. Without it the result does not count.
func (c *cell) receipt() map[string]json.RawMessage {
	c.admission.mu.Lock()
	defer c.admission.mu.Unlock()
	if c.admission.receipt == "" {
		return nil
	}
	return map[string]json.RawMessage{seal.ReceiptKey: json.RawMessage(fmt.Sprintf("%q", c.admission.receipt))}
}
