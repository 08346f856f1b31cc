package record

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteRun writes r as indented JSON that ReadRun reads back. An empty Schema
// is filled in, and the plan is sorted by task.
func WriteRun(w io.Writer, r Run) error {
	r.Schema = RunSchema
	r.Plan = append([]PlanTask{}, r.Plan...)
	slices.SortStableFunc(r.Plan, func(a, b PlanTask) int { return strings.Compare(a.Task, b.Task) })
	if err := r.check(); err != nil {
		return fmt.Errorf("record: run: %w", err)
	}
	return writeJSON(w, r)
}

// ReadRun reads what WriteRun wrote. It refuses another schema and a plan that
// contradicts itself. Keys that it does not know are passed over.
func ReadRun(r io.Reader, name string) (Run, error) {
	var run Run
	if err := readJSON(r, name, RunSchema, &run); err != nil {
		return Run{}, err
	}
	if err := run.check(); err != nil {
		return Run{}, fmt.Errorf("%s: %w", name, err)
	}
	return run, nil
}

// check refuses a run that nothing could have planned.
func (r *Run) check() error {
	switch {
	case r.Schema != "" && r.Schema != RunSchema:
		return fmt.Errorf("found schema %q, need %q", clip(r.Schema), RunSchema)
	case r.Suite == "":
		return fmt.Errorf("found an empty suite, need its name")
	case !r.Split.Valid():
		return fmt.Errorf("found split %q, need train, val or test", clip(string(r.Split)))
	case r.Arm == "":
		return fmt.Errorf("found an empty arm, need its name")
	case !(r.PassThreshold >= 0 && r.PassThreshold <= 1):
		return fmt.Errorf("found pass_threshold %v, need a number from 0 to 1", r.PassThreshold)
	case r.Shard != nil && (r.Shard.Index < 1 || r.Shard.Index > r.Shard.Count):
		return fmt.Errorf("found shard %d of %d, need a shard from 1 to their count", r.Shard.Index, r.Shard.Count)
	}
	seen := make(map[string]bool, len(r.Plan))
	for i := range r.Plan {
		p := &r.Plan[i]
		if strings.TrimSpace(p.Task) == "" {
			return fmt.Errorf("plan[%d]: found an empty task, need its id", i)
		}
		if seen[p.Task] {
			return fmt.Errorf("plan[%d]: found task %q twice, need it once", i, clip(p.Task))
		}
		seen[p.Task] = true
		if err := p.check(); err != nil {
			return fmt.Errorf("plan[%d], task %q: %w", i, clip(p.Task), err)
		}
	}
	return nil
}

func (p *PlanTask) check() error {
	if p.Trials < 1 || p.Trials > maxTrial+1 {
		return fmt.Errorf("found %d trials, need 1 to %d", p.Trials, maxTrial+1)
	}
	for _, list := range [...]struct {
		name   string
		trials []int
	}{{"deselected", p.Deselected}, {"elsewhere", p.Elsewhere}} {
		for i, k := range list.trials {
			if k < 0 || k >= p.Trials || i > 0 && k <= list.trials[i-1] {
				return fmt.Errorf("found trial %d in %s, need trials from 0 to %d, ascending", k, list.name, p.Trials-1)
			}
		}
	}
	return nil
}

// cells returns the trials of p that are declared here, ascending.
func (p *PlanTask) cells(out []int32) []int32 {
	for k := range p.Trials {
		if !contains(p.Deselected, k) && !contains(p.Elsewhere, k) {
			out = append(out, int32(k))
		}
	}
	return out
}

func contains(sorted []int, k int) bool {
	_, ok := slices.BinarySearch(sorted, k)
	return ok
}

// writeJSON writes v indented, with a line end.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// readJSON reads the one object of a file into v, after its schema is known to
// be right.
func readJSON(r io.Reader, name, schema string, v any) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b = []byte(strings.TrimPrefix(string(b), "\ufeff"))
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return jsonError(name, b, schema, err)
	}
	if head.Schema != schema {
		return fmt.Errorf("%s: found schema %q, need %q: another kind of file, or written by another version", name, clip(head.Schema), schema)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return jsonError(name, b, schema, err)
	}
	return nil
}

// jsonError says on which line a file stops being what it should be.
func jsonError(name string, b []byte, schema string, err error) error {
	at := len(b)
	switch e := err.(type) {
	case *json.SyntaxError:
		at = int(e.Offset)
	case *json.UnmarshalTypeError:
		at = int(e.Offset)
	}
	line := 1 + strings.Count(string(b[:min(max(at, 0), len(b))]), "\n")
	return fmt.Errorf("%s:%d: found no %s (%w), need one JSON object of this form", name, line, schema, err)
}
