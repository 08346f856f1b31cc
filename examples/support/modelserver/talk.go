package modelserver

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// talk is a conversation as the model understands it.
type talk struct {
	seed  int
	users []string // every message of the customer
	last  string   // the newest
	order string   // the order number in the newest message that has one, or ""
	kind  Kind     // of the newest message

	calls   int      // tool calls so far, which number the next
	since   []string // names of the tools used since the newest message
	known   *facts   // the last look-up of order, nil when there was none
	unknown bool     // the shop has no such order
	failed  bool     // the last tool call was answered by an error
}

// facts are what a look-up told.
type facts struct {
	Item     string `json:"item"`
	Total    int    `json:"total_cents"`
	Status   string `json:"status"`
	DaysLate int    `json:"days_late"`
	Refunded int    `json:"refunded_cents"`
}

var number = regexp.MustCompile(`\b\d{4,}\b`)

// read makes a talk of a request.
func read(req openai.ChatCompletionRequest) talk {
	var t talk
	if req.Seed != nil {
		t.seed = *req.Seed
	}
	tool := map[string]string{} // call id -> tool
	for _, m := range req.Messages {
		switch m.Role {
		case openai.ChatMessageRoleUser:
			t.users, t.last = append(t.users, m.Content), m.Content
			if n := number.FindString(m.Content); n != "" && n != t.order {
				t.order, t.known, t.unknown = n, nil, false
			}
			t.since, t.failed = nil, false
		case openai.ChatMessageRoleAssistant:
			for _, c := range m.ToolCalls {
				t.calls++
				t.since = append(t.since, c.Function.Name)
				tool[c.ID] = c.Function.Name
			}
		case openai.ChatMessageRoleTool:
			t.hear(tool[m.ToolCallID], m.Content)
		}
	}
	t.kind = kindOf(t.last)
	return t
}

// hear takes in the answer of a tool.
func (t *talk) hear(tool, content string) {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  string          `json:"error"`
	}
	_ = json.Unmarshal([]byte(content), &answer) // a tool that speaks no JSON told nothing
	t.failed = answer.Error != ""
	if tool != "lookup_order" {
		return
	}
	var f facts
	if t.failed || json.Unmarshal(answer.Result, &f) != nil {
		t.unknown = true
		return
	}
	t.known = &f
}

// kindOf looks for words; the first kind that has one wins.
func kindOf(message string) Kind {
	message = strings.ToLower(message)
	for _, k := range []struct {
		kind  Kind
		words []string
	}{
		{Person, []string{"manager", "a person", "a human", "lawyer"}},
		{Address, []string{"address", "moved", "street"}},
		{Cancel, []string{"cancel"}},
		{Damaged, []string{"broken", "damaged", "cracked"}},
		{Late, []string{"late", "arrived", "waiting", "where is"}},
		{Refund, []string{"refund", "money back"}},
	} {
		for _, w := range k.words {
			if strings.Contains(message, w) {
				return k.kind
			}
		}
	}
	return Question
}

// used reports whether a tool was used since the newest message.
func (t talk) used(tool string) bool {
	for _, u := range t.since {
		if u == tool {
			return true
		}
	}
	return false
}

// draw returns a number in [0, 1) that depends on the seed and the words alone.
func (t talk) draw(words ...string) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", t.seed, words))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}
