package content_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/capeval/capeval/internal/content"
)

func TestCanonical(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		got, err := content.Canonical(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", in, got, err, want)
		}
	}
	check(`{"b": 1, "a": [1.0, 1e2, -0.50]}`, `{"a":[1,100,-0.5],"b":1}`)
	check(`"<&>\u00e9"`, `"<&>é"`)                // no escape that only HTML needs
	check(`9007199254740993`, `9007199254740993`) // beyond what a float64 holds
	check(`{"x":{"z":null,"y":true}}`, `{"x":{"y":true,"z":null}}`)
	if _, err := content.Canonical(func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
	if got := content.Digest([]byte("abc")); got != "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("the digest of abc is %s", got)
	}
}

// What was canonical stays as it is.
func TestCanonicalOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.MapOf(rapid.String(), rapid.OneOf(rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.String().AsAny(), rapid.Bool().AsAny())).Draw(t, "value")
		first, err := content.Canonical(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := content.Canonical(json.RawMessage(first))
		if err != nil || string(again) != string(first) {
			t.Fatalf("%s became %s, %v", first, again, err)
		}
	})
}
