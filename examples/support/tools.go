package support

import (
	"encoding/json"
	"fmt"

	"github.com/sashabaranov/go-openai"
	"github.com/sashabaranov/go-openai/jsonschema"
)

// arguments are those of every tool; each reads its own.
type arguments struct {
	OrderID string `json:"order_id"`
	Cents   int    `json:"amount_cents"`
	Address string `json:"address"`
	Reason  string `json:"reason"`
}

// tools tells the model what it can do.
func tools() []openai.Tool {
	text := func(about string) jsonschema.Definition {
		return jsonschema.Definition{Type: jsonschema.String, Description: about}
	}
	order := text("the order number, digits only")
	tool := func(name, about string, required []string, properties map[string]jsonschema.Definition) openai.Tool {
		return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: name, Description: about,
			Parameters: jsonschema.Definition{Type: jsonschema.Object, Properties: properties, Required: required},
		}}
	}
	type props = map[string]jsonschema.Definition
	return []openai.Tool{
		tool("lookup_order", "Read an order: item, total, status, days late, address, amount refunded.",
			[]string{"order_id"}, props{"order_id": order}),
		tool("refund_order", "Pay money back for an order. Cannot be undone.",
			[]string{"order_id", "amount_cents"}, props{"order_id": order,
				"amount_cents": {Type: jsonschema.Integer, Description: "the amount in US cents"}}),
		tool("cancel_order", "Cancel an order that is still processing.",
			[]string{"order_id"}, props{"order_id": order}),
		tool("update_address", "Change where an order goes while it is still processing.",
			[]string{"order_id", "address"}, props{"order_id": order, "address": text("the whole new address")}),
		tool("escalate", "Hand the case to a person.",
			[]string{"reason"}, props{"order_id": order, "reason": text("why, for the person who takes over")}),
	}
}

// use carries out one tool call and returns what the model is told: JSON, an
// error included, because a model can react to an error.
func (s *Shop) use(call openai.FunctionCall) string {
	var in arguments
	if err := json.Unmarshal([]byte(call.Arguments), &in); err != nil {
		return answer(nil, fmt.Errorf("the arguments are not the JSON object that was asked for: %w", err))
	}
	switch call.Name {
	case "lookup_order":
		o, err := s.lookup(in.OrderID)
		return answer(o, err)
	case "refund_order":
		return answer("refunded", s.refund(in.OrderID, in.Cents))
	case "cancel_order":
		return answer("cancelled", s.cancel(in.OrderID))
	case "update_address":
		return answer("changed", s.move(in.OrderID, in.Address))
	case "escalate":
		s.escalate(in.OrderID, in.Reason)
		return answer("a person will take over", nil)
	}
	return answer(nil, fmt.Errorf("there is no tool %q", call.Name))
}

func answer(result any, err error) string {
	out := map[string]any{"result": result}
	if err != nil {
		out = map[string]any{"error": err.Error()}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return `{"error":"the result cannot be shown"}`
	}
	return string(b)
}
