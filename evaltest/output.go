package evaltest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/capeval/capeval/internal/content"
)

// output is one value as it was when it was kept: later changes by the agent do
// not reach it.
type output struct {
	value any    // a string, or json.RawMessage
	bytes []byte // what is digested; nil when the value has no stable form
}

func keep(v any) output {
	switch v := v.(type) {
	case string:
		return output{v, []byte(v)}
	case []byte:
		return output{string(v), append([]byte{}, v...)}
	case json.RawMessage:
		return keep([]byte(v))
	}
	data, err := content.Canonical(v)
	if err != nil {
		return output{value: fmt.Sprintf("(a %T that JSON cannot hold: %v)", v, err)}
	}
	return output{json.RawMessage(data), data}
}

// outputDigest returns the digest of all outputs in order, "" when there is
// none or one of them has no stable form.
func outputDigest(outputs []output) string {
	if len(outputs) == 0 {
		return ""
	}
	h := sha256.New()
	for _, o := range outputs {
		if o.bytes == nil {
			return ""
		}
		if len(outputs) > 1 {
			fmt.Fprintf(h, "%d:", len(o.bytes))
		}
		h.Write(o.bytes)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// rollout is the form of a rollout file.
type rollout struct {
	Schema   string   `json:"schema"`
	Suite    string   `json:"suite"`
	Task     string   `json:"task"`
	Trial    int      `json:"trial"`
	Attempt  int      `json:"attempt"`
	Seed     int64    `json:"seed"`
	Reward   any      `json:"reward"`
	Cause    string   `json:"cause"`
	Outputs  []any    `json:"outputs"`
	Feedback []string `json:"feedback"`
}
