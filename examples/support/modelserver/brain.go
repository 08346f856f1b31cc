package modelserver

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/sashabaranov/go-openai"
)

// flaw is a way of being wrong.
type flaw string

const (
	none     flaw = ""
	promise  flaw = "promise"  // says that it is done, and does nothing
	generous flaw = "generous" // pays what the policy forbids
	blind    flaw = "blind"    // acts on a guess, without a look-up
	loop     flaw = "loop"     // looks up again and again
	curt     flaw = "curt"     // does the right thing and says almost nothing
)

// flaws are the ways in which each kind of message goes wrong.
func flaws(k Kind) []flaw {
	switch k {
	case Late, Damaged:
		return []flaw{promise, generous, curt, loop}
	case Cancel:
		return []flaw{promise, generous, curt}
	case Address:
		return []flaw{promise, blind, loop}
	case Person:
		return []flaw{promise, curt}
	case Refund:
		return []flaw{generous, blind, curt}
	}
	return []flaw{curt}
}

// flaw decides, once for the newest message, whether and how it goes wrong.
func (t talk) flaw(quality map[Kind]float64) flaw {
	words := append([]string{string(t.kind)}, t.users...)
	if t.draw(append(words, "quality")...) < quality[t.kind] {
		return none
	}
	all := flaws(t.kind)
	return all[int(t.draw(append(words, "flaw")...)*float64(len(all)))]
}

// limit is the largest refund that the policy lets an agent give, in cents.
const limit = 10000

// next is the model: the message that continues the talk.
func (t talk) next(quality map[Kind]float64) openai.ChatCompletionMessage {
	bad := t.flaw(quality)
	switch {
	case t.order == "" && t.kind != Person:
		return say("I am sorry, which order is this about? Please send me its number.")
	case bad == loop:
		return t.call("lookup_order", args{"order_id": t.order})
	case bad == promise:
		return say("I have taken care of order %s. Is there anything else?", t.order)
	case bad == blind && len(t.since) == 0:
		if t.kind == Address {
			return t.call("update_address", args{"order_id": t.order, "address": "as requested"})
		}
		return t.call("refund_order", args{"order_id": t.order, "amount_cents": 5000})
	case bad == blind:
		return say("Done, order %s is settled.", t.order)
	case t.order != "" && !t.used("lookup_order"):
		return t.call("lookup_order", args{"order_id": t.order})
	case t.unknown || t.order != "" && t.known == nil:
		return t.end(bad, "I am sorry, I cannot find order %s. Could you check the number?", t.order)
	case bad == generous && !t.used("refund_order"):
		return t.call("refund_order", args{"order_id": t.order, "amount_cents": 2 * t.known.Total})
	case bad == generous:
		return say("I am so sorry! You get %s back for order %s.", usd(2*t.known.Total), t.order)
	}
	return t.proper(bad)
}

// proper keeps to the policy; the order, if there is one, has been looked up.
func (t talk) proper(bad flaw) openai.ChatCompletionMessage {
	switch t.kind {
	case Person:
		return t.handOver(bad, "the customer asks for a person")
	case Late, Damaged, Refund:
		return t.refund(bad)
	case Cancel:
		switch {
		case t.used("cancel_order") && !t.failed:
			return t.end(bad, "Order %s is cancelled. I am sorry that it did not work out.", t.order)
		case t.known.Status == "cancelled":
			return t.end(bad, "Order %s is cancelled already, sorry for the confusion. There is nothing left to do.", t.order)
		case t.known.Status != "processing" || t.failed:
			return t.end(bad, "I am sorry, it is too late to cancel order %s: it is %s.", t.order, t.known.Status)
		}
		return t.call("cancel_order", args{"order_id": t.order})
	case Address:
		to := address(t.last)
		switch {
		case t.used("update_address") && !t.failed:
			return t.end(bad, "Sorry for the trouble: order %s now goes to %s.", t.order, to)
		case t.known.Status != "processing" || t.failed:
			return t.end(bad, "I am sorry, it is too late to change the address of order %s: it is %s.", t.order, t.known.Status)
		}
		return t.call("update_address", args{"order_id": t.order, "address": to})
	}
	return t.end(bad, "Thank you for asking. Order %s is %s. Sorry that you had to ask.", t.order, t.known.Status)
}

// refund pays, hands over or explains, as the policy has it.
func (t talk) refund(bad flaw) openai.ChatCompletionMessage {
	due := t.kind == Damaged || t.known.DaysLate >= 7
	switch {
	case t.used("refund_order"):
		return t.end(bad, "I am sorry about that. I have refunded %s for order %s.", usd(t.known.Total), t.order)
	case t.known.Refunded > 0:
		return t.end(bad, "I am sorry for the trouble. Order %s was refunded already: %s.", t.order, usd(t.known.Refunded))
	case !due:
		return t.end(bad, "I am sorry, but I cannot refund order %s: it is %s and not 7 days late.", t.order, t.known.Status)
	case t.known.Total > limit:
		return t.handOver(bad, "a refund of "+usd(t.known.Total)+" is above the limit")
	}
	return t.call("refund_order", args{"order_id": t.order, "amount_cents": t.known.Total})
}

func (t talk) handOver(bad flaw, reason string) openai.ChatCompletionMessage {
	if !t.used("escalate") {
		return t.call("escalate", args{"order_id": t.order, "reason": reason})
	}
	if t.order == "" {
		return t.end(bad, "I am sorry. A person takes over and writes to you today.")
	}
	return t.end(bad, "I am sorry about order %s. A person takes over and writes to you today.", t.order)
}

// end closes with the reply, or with next to nothing for a curt model.
func (t talk) end(bad flaw, format string, values ...any) openai.ChatCompletionMessage {
	if bad == curt {
		return say("Done.")
	}
	return say(format, values...)
}

var destination = regexp.MustCompile(`(?i)\bto:? (\d+ [A-Z][\w' ]+, [\w ]+)`)

// address finds "to 12 Elm Street, Springfield" in a message.
func address(message string) string {
	if m := destination.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return "the new address"
}

type args map[string]any

func (t talk) call(tool string, a args) openai.ChatCompletionMessage {
	b, err := json.Marshal(a) // keys sorted
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, ToolCalls: []openai.ToolCall{{
		ID: fmt.Sprintf("call_%d", t.calls+1), Type: openai.ToolTypeFunction,
		Function: openai.FunctionCall{Name: tool, Arguments: string(b)},
	}}}
}

func say(format string, values ...any) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: fmt.Sprintf(format, values...)}
}

func usd(cents int) string { return fmt.Sprintf("$%d.%02d", cents/100, cents%100) }
