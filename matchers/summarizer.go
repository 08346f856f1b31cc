package matchers

import (
	"fmt"
	"reflect"

	"github.com/capeval/capeval/record"
)

// Summarizer is anything that can say what was measured on one split.
type Summarizer interface {
	Summary() record.SplitResult
}

// resultOf returns the result that actual holds. The matcher called call wants
// it.
func resultOf(call string, actual any) (record.SplitResult, error) {
	const need = "need a record.SplitResult, a pointer to one, or a matchers.Summarizer"
	if actual == nil {
		return record.SplitResult{}, fmt.Errorf("%s: found nil, %s", call, need)
	}
	switch v := reflect.ValueOf(actual); v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		if v.IsNil() {
			return record.SplitResult{}, fmt.Errorf("%s: found a nil %T, %s", call, actual, need)
		}
	}
	s, ok := actual.(Summarizer) // a SplitResult and a pointer to one are Summarizers
	if !ok {
		return record.SplitResult{}, fmt.Errorf("%s: found a %T, %s", call, actual, need)
	}
	return s.Summary(), nil
}
