package record

import (
	"fmt"
	"io"
)

// WriteFinal writes f as indented JSON that ReadFinal reads back. Lists without
// members are [], never null. Equal values give equal bytes.
func WriteFinal(w io.Writer, f Final) error {
	f.Schema = FinalSchema
	f.fillEmpty()
	if err := f.check(); err != nil {
		return fmt.Errorf("record: final: %w", err)
	}
	return writeJSON(w, f)
}

// ReadFinal reads what WriteFinal wrote. It refuses another schema, a result of
// another split or suite, and results whose numbers contradict themselves.
func ReadFinal(r io.Reader, name string) (Final, error) {
	var f Final
	if err := readJSON(r, name, FinalSchema, &f); err != nil {
		return Final{}, err
	}
	f.fillEmpty()
	if err := f.check(); err != nil {
		return Final{}, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

func (f *Final) fillEmpty() {
	f.Test.Schema = ResultSchema
	f.Test.fillEmpty()
	if f.TestBaseline != nil {
		b := *f.TestBaseline
		b.Schema = ResultSchema
		b.fillEmpty()
		f.TestBaseline = &b
	}
	s := &f.Seal
	s.Edited, s.Added, s.Removed = some(s.Edited), some(s.Added), some(s.Removed)
	s.Previous, s.Overrides, s.Contaminated = some(s.Previous), some(s.Overrides), some(s.Contaminated)
}

func (f *Final) check() error {
	for _, r := range []*SplitResult{&f.Test, f.TestBaseline} {
		if r == nil {
			continue
		}
		if r.Suite != f.Suite || r.Split != Test {
			return fmt.Errorf("found a result of suite %q, split %q, need suite %q, split test", r.Suite, r.Split, f.Suite)
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("arm %s: %w", r.Arm, err)
		}
	}
	switch f.Status {
	case FinalComplete, FinalSalvaged, FinalEqual:
	default:
		return fmt.Errorf("found status %q, need %s, %s or %s", f.Status, FinalComplete, FinalSalvaged, FinalEqual)
	}
	if f.Seal.Number < 1 {
		return fmt.Errorf("found look %d, need 1 or more", f.Seal.Number)
	}
	if compared := f.TestBaseline != nil; compared != (f.BaselineID != nil) || compared != (f.Comparison != nil) || !compared && f.TestDelta.Defined() {
		return fmt.Errorf("found a part of a baseline, need test_baseline, baseline_id, comparison and test_delta together or none of them")
	}
	return nil
}
