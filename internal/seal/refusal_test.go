package seal_test

import (
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/seal"
)

// Every refusal has the shape by which it is recognised in a log, and tells what
// to do.
func TestShape(t *testing.T) {
	for id, text := range map[string]string{
		"S01": seal.NoGrant("late-parcel"),
		"S02": seal.OnlySealed(3),
		"S03": seal.DeadGrant(),
	} {
		lines := strings.Split(text, "\n")
		if len(lines) < 4 || lines[0] != "capeval: SEALED ["+id+"]" {
			t.Errorf("%s: found %q", id, text)
			continue
		}
		if !strings.HasPrefix(lines[2], "Do: ") || !strings.HasPrefix(lines[len(lines)-1], "Not an option: ") {
			t.Errorf("%s does not say what to do, or what not: %q", id, text)
		}
	}
	if text := seal.NoGrant("late-parcel"); !strings.Contains(text, `"late-parcel"`) {
		t.Errorf("the task is not named: %s", text)
	}
	if text := seal.AskedFor("--split"); !strings.Contains(text, "[S01]\n--split asks for") {
		t.Errorf("the origin is not named: %s", text)
	}
}
