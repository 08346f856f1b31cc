package evaltest

import (
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
	"pgregory.net/rapid"
)

func TestTaskLabel(t *testing.T) {
	for id, want := range map[string]string{
		"late-delivery": "task:late-delivery",
		"a & b":         "task:a %26 b",
		"100%":          "task:100%25",
		"a:b/c":         "task:a%3Ab%2Fc",
		" padded ":      "task:padded",
		"naïve 日本":      "task:naïve 日本",
		"tab\tand\nend": "task:tab%09and%0Aend",
		"":              "task:-",
	} {
		if got := taskLabel(id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

// Every id makes a label that Ginkgo takes, and different ids different ones.
func TestTaskLabelLaws(t *testing.T) {
	id := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("ab%&|!,()/{}: \n\t26C"))))
	rapid.Check(t, func(t *rapid.T) {
		a, b := id.Draw(t, "a"), id.Draw(t, "b")
		label, err := types.ValidateAndCleanupLabel(taskLabel(a), types.CodeLocation{})
		if err != nil {
			t.Fatal(err)
		}
		if label != taskLabel(a) {
			t.Fatalf("%q: Ginkgo made %q of it", taskLabel(a), label)
		}
		a, b = strings.TrimSpace(a), strings.TrimSpace(b)
		if a != b && a != "" && b != "" && taskLabel(a) == taskLabel(b) {
			t.Fatalf("%q and %q have one label", a, b)
		}
	})
}
