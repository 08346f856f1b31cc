package gate

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ParseVerdict reads the JSON of a verdict, as `gate --json` writes it; name is
// told in errors. It refuses another schema, an outcome that is none of the three
// and a whole that does not follow from its suites. Keys that it does not know are
// passed over.
func ParseVerdict(data []byte, name string) (Verdict, error) {
	var v Verdict
	if err := json.Unmarshal(data, &v); err != nil {
		return Verdict{}, fmt.Errorf("%s: %w", name, err)
	}
	if v.Schema != VerdictSchema {
		return Verdict{}, fmt.Errorf("%s: found schema %q, need %q", name, v.Schema, VerdictSchema)
	}
	outcomes := []Outcome{Accepted, Rejected, Indecisive}
	for _, d := range v.Suites {
		if !slices.Contains(outcomes, d.Verdict) {
			return Verdict{}, fmt.Errorf("%s: suite %q: found verdict %q, need accepted, rejected or indecisive", name, d.Suite, d.Verdict)
		}
		if d.Suite == "" || !d.Split.Valid() {
			return Verdict{}, fmt.Errorf("%s: found suite %q, split %q, need a name and train, val or test", name, d.Suite, d.Split)
		}
	}
	said := v.Verdict
	if v.Settle(); v.Verdict != said {
		return Verdict{}, fmt.Errorf("%s: found verdict %q, and its suites come to %q", name, said, v.Verdict)
	}
	return v, nil
}
