package evaltest

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
	"pgregory.net/rapid"

	"github.com/capeval/capeval/internal/content"
)

func TestCanonicalJSON(t *testing.T) {
	check := func(v any, want string) {
		t.Helper()
		got, err := content.Canonical(v)
		if err != nil || string(got) != want {
			t.Errorf("%v: got %s, %v; want %s", v, got, err, want)
		}
	}
	check(nil, "null")
	check("<&> é", `"<&> é"`) // as written, not escaped for HTML
	check(map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`)
	check(struct {
		Z int `json:"z"`
		A []string
	}{1, nil}, `{"A":null,"z":1}`)
	check(json.RawMessage(` { "x" : [ 1.0 , 1e2, 0.5 ] } `), `{"x":[1,100,0.5]}`)
	check(json.RawMessage(`"\u0041"`), `"A"`)
	// Beyond 2^53 a float64 would make two numbers one.
	check(json.RawMessage(`9007199254740993`), `9007199254740993`)
	check(int64(math.MaxInt64), `9223372036854775807`)
	check(json.RawMessage(`9007199254740992`), `9007199254740992`)
	for _, v := range []any{math.NaN(), math.Inf(1), func() {}, make(chan int)} {
		if got, err := content.Canonical(v); err == nil {
			t.Errorf("%T: got %s, want an error", v, got)
		}
	}
}

// Writing what was written changes nothing, and the order of keys is no content.
func TestCanonicalJSONLaws(t *testing.T) {
	value := rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.OneOf(rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Int64().AsAny(), rapid.String().AsAny())))
	rapid.Check(t, func(t *rapid.T) {
		v := value.Draw(t, "value")
		once, err := content.Canonical(v)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := content.Canonical(json.RawMessage(once))
		if err != nil || string(once) != string(twice) {
			t.Fatalf("%s became %s (%v)", once, twice, err)
		}
	})
}

func TestContentDigest(t *testing.T) {
	here := types.NewCodeLocation(0)
	d, coarse, err := contentDigest(&contentDecorator{value: "q"}, here)
	if err != nil || coarse || d != content.Digest([]byte(`"q"`)) {
		t.Errorf("declared: %s, %v, %v", d, coarse, err)
	}
	d, coarse, err = contentDigest(nil, here)
	if err != nil || !coarse || !strings.HasPrefix(d, coarsePrefix+"sha256:") {
		t.Errorf("of the file: %s, %v, %v", d, coarse, err)
	}
	d, coarse, err = contentDigest(nil, types.CodeLocation{FileName: "/nowhere/at-all_test.go"})
	if err != nil || !coarse || d != "" {
		t.Errorf("of a file that is not there: %q, %v, %v", d, coarse, err)
	}
	if _, _, err = contentDigest(&contentDecorator{value: math.NaN()}, here); err == nil {
		t.Error("a content that JSON cannot hold has a digest")
	}
}

func TestOutputDigest(t *testing.T) {
	of := func(values ...any) string {
		var outputs []output
		for _, v := range values {
			outputs = append(outputs, keep(v))
		}
		return outputDigest(outputs)
	}
	same := func(a, b string) {
		t.Helper()
		if a != b || a == "" {
			t.Errorf("%q and %q", a, b)
		}
	}
	same(of("x"), of([]byte("x")))
	same(of("x"), content.Digest([]byte("x")))
	same(of(map[string]int{"a": 1, "b": 2}), of(map[string]float64{"b": 2, "a": 1}))
	if of("ab", "c") == of("a", "bc") {
		t.Error("where one output ends is part of the digest")
	}
	if of() != "" || of("x", func() {}) != "" {
		t.Error("an output without a stable form has a digest")
	}
}
