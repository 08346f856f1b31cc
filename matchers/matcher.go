package matchers

import (
	"fmt"
	"math"
	"reflect"

	"github.com/capeval/capeval/record"
	"github.com/onsi/gomega"
	gomegamatchers "github.com/onsi/gomega/matchers"
	"github.com/onsi/gomega/types"
)

// matcher hands one quantity of a result to another matcher.
type matcher struct {
	call     string // the function that made it
	args     string // what stands before want in the call
	quantity quantity
	want     types.GomegaMatcher
	misuse   error // the caller's mistake, returned by Match
}

func newMatcher(call string, want any, q quantity) *matcher {
	m := &matcher{call: call, quantity: q}
	m.want, m.misuse = inner(call, want)
	return m
}

// inner returns want as a matcher: a number is compared with ==.
func inner(call string, want any) (types.GomegaMatcher, error) {
	if v := reflect.ValueOf(want); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("%s: found %T as the expectation, need a number or a matcher", call, want)
	}
	switch x := want.(type) {
	case types.GomegaMatcher:
		return x, nil
	case number:
		v, ok := x.Value()
		if !ok {
			return nil, record.Undefined{What: "the number given to " + call, Why: "it was never measured; compare with a number that was"}
		}
		want = v
	}
	switch v := reflect.ValueOf(want); {
	case v.CanFloat() && math.IsNaN(v.Float()):
		return nil, fmt.Errorf("%s: found NaN as the expectation, need a number or a matcher", call)
	case v.CanFloat() || v.CanInt() || v.CanUint():
		return gomega.BeNumerically("==", want), nil
	}
	return nil, fmt.Errorf("%s: found a %T as the expectation, need a number or a matcher", call, want)
}

// Match reports whether the quantity satisfies the inner matcher. It returns an
// error, so that neither To nor NotTo passes, when actual is no result and when
// the quantity does not exist.
func (m *matcher) Match(actual any) (bool, error) {
	r, v, err := m.value(actual)
	if err != nil {
		return false, err
	}
	ok, err := m.want.Match(v)
	if err != nil {
		return false, fmt.Errorf("%s: the %s of %s is %v, and the expectation cannot judge it: %w", m.call, m.quantity.name, subject(r), v, err)
	}
	return ok, nil
}

func (m *matcher) value(actual any) (record.SplitResult, any, error) {
	if m.misuse != nil {
		return record.SplitResult{}, nil, m.misuse
	}
	r, err := resultOf(m.call, actual)
	if err != nil {
		return r, nil, err
	}
	v, why := m.quantity.of(r)
	if why != "" {
		return r, nil, record.Undefined{What: "the " + m.quantity.name + " of " + subject(r), Why: why}
	}
	return r, v, nil
}

// FailureMessage tells what was measured and what was expected of it.
func (m *matcher) FailureMessage(actual any) string {
	return m.message(actual, types.GomegaMatcher.FailureMessage)
}

// NegatedFailureMessage tells what was measured and should not have been.
func (m *matcher) NegatedFailureMessage(actual any) string {
	return m.message(actual, types.GomegaMatcher.NegatedFailureMessage)
}

func (m *matcher) message(actual any, words func(types.GomegaMatcher, any) string) string {
	r, v, err := m.value(actual)
	if err != nil {
		return err.Error()
	}
	// An inner And or Or words its message after its last Match, which need not
	// have been about this value.
	if _, err := m.want.Match(v); err != nil {
		return err.Error()
	}
	return message(m.quantity, r, v, words(m.want, v))
}

// String shows the call, so that composites print it.
func (m *matcher) String() string { return fmt.Sprintf("%s(%s%s)", m.call, m.args, show(m.want)) }

// GomegaString is what Gomega prints for the matcher.
func (m *matcher) GomegaString() string { return m.String() }

// show prints a matcher as it was probably written.
func show(m types.GomegaMatcher) string {
	switch x := m.(type) {
	case nil:
		return "?"
	case fmt.Stringer:
		return x.String()
	case *gomegamatchers.BeNumericallyMatcher:
		s := fmt.Sprintf("BeNumerically(%q", x.Comparator)
		for _, to := range x.CompareTo {
			s += fmt.Sprintf(", %v", to)
		}
		return s + ")"
	}
	return reflect.Indirect(reflect.ValueOf(m)).Type().Name()
}
