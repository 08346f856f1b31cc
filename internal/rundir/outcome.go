package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/capeval/capeval/internal/durable"
)

// Refusal is why a suite would not run: refused.json.
type Refusal struct {
	Exit    int    `json:"exit"` // the exit code that the command owes it
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The states of an assertion about a split.
const (
	Passed    = "passed"
	Failed    = "failed"
	Undefined = "undefined" // the quantity does not exist, or the gate is indecisive
	Panicked  = "panicked"
)

// Assertion is the end of one AfterSplit.
type Assertion struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Message string `json:"message"`
}

// Outcome is what the specs of a pass said besides their trials: outcome.json.
type Outcome struct {
	Asserted           []Assertion `json:"asserted"`
	OrdinaryFailed     int         `json:"ordinary_failed"` // red specs that are no trials
	SpecsRed           int         `json:"specs_red"`
	Stopped            string      `json:"stopped"`              // why trials stopped being started, "" when they did not
	AfterSplitDeferred bool        `json:"after_split_deferred"` // a later pass runs the assertions
}

// WriteRefusal writes refused.json.
func (d Dir) WriteRefusal(r Refusal) error { return d.writeJSON("refused.json", r) }

// ReadRefusal reads refused.json; ok is false when there is none.
func (d Dir) ReadRefusal() (r Refusal, ok bool, err error) {
	ok, err = d.readJSON("refused.json", &r)
	return r, ok, err
}

// WriteOutcome writes outcome.json.
func (d Dir) WriteOutcome(o Outcome) error {
	if o.Asserted == nil {
		o.Asserted = []Assertion{}
	}
	return d.writeJSON("outcome.json", o)
}

// ReadOutcome reads outcome.json; ok is false when there is none: the pass did
// not come to its end.
func (d Dir) ReadOutcome() (o Outcome, ok bool, err error) {
	ok, err = d.readJSON("outcome.json", &o)
	return o, ok, err
}

// Reset removes what an earlier pass said of itself (refused.json,
// outcome.json, todo.json), so that the next pass is not taken for it.
func (d Dir) Reset() error {
	var errs []error
	for _, name := range []string{"refused.json", "outcome.json", "todo.json"} {
		if err := os.Remove(d.file(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (d Dir) writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", d.file(name), err)
	}
	if err := os.MkdirAll(d.Path, 0o755); err != nil {
		return err
	}
	return durable.WriteFile(d.file(name), append(data, '\n'), durable.Options{})
}

func (d Dir) readJSON(name string, v any) (bool, error) {
	data, err := os.ReadFile(d.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", d.file(name), err)
	}
	return true, nil
}
