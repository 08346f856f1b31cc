package support

import (
	"context"
	"errors"
	"fmt"

	"github.com/sashabaranov/go-openai"
)

// Policy is the system prompt. A task is about keeping to it.
const Policy = `You are the support agent of a small shop. Be polite and brief.
- Look an order up before you act on it or speak about it.
- Refund the full total of an order that is 7 or more days late or arrived damaged, and only then. Never refund more than its total, nor twice.
- A refund above 100 USD is not yours to give: escalate.
- Cancel and change addresses only while an order is processing; otherwise say that it is too late.
- Escalate when the customer asks for a person.
- Say what you did, with the order number, and apologise for what went wrong.`

// ErrSteps says that the agent used all its steps without an answer.
var ErrSteps = errors.New("no answer within the step limit")

// Agent holds what every conversation shares. Its zero value is not usable:
// Client and Model are needed.
type Agent struct {
	Client   *openai.Client
	Model    string
	MaxSteps int // model calls for one message of the customer; 0 is 8
}

// Usage is what conversations consumed so far.
type Usage struct{ Calls, PromptTokens, CompletionTokens int }

// Conversation is one customer's talk with the agent.
type Conversation struct {
	agent    Agent
	shop     *Shop
	seed     int
	messages []openai.ChatCompletionMessage
	usage    Usage
}

// Start begins a conversation that acts on shop and samples with seed.
func (a Agent) Start(shop *Shop, seed int64) *Conversation {
	if a.MaxSteps <= 0 {
		a.MaxSteps = 8
	}
	return &Conversation{agent: a, shop: shop, seed: int(seed), messages: []openai.ChatCompletionMessage{
		{Role: openai.ChatMessageRoleSystem, Content: Policy},
	}}
}

// Usage returns what the conversation consumed, failed calls not counted.
func (c *Conversation) Usage() Usage { return c.usage }

// Say hands the customer's message to the agent, lets it use its tools and
// returns its reply. The error is ErrSteps when the agent did not come to an
// end; any other error is the server's or the network's.
func (c *Conversation) Say(ctx context.Context, message string) (string, error) {
	c.messages = append(c.messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: message})
	for range c.agent.MaxSteps {
		res, err := c.agent.Client.CreateChatCompletion(ctx, openai.ChatCompletionRequest{
			Model: c.agent.Model, Messages: c.messages, Tools: tools(), Seed: &c.seed,
		})
		if err != nil {
			return "", fmt.Errorf("model call %d: %w", c.usage.Calls+1, err)
		}
		c.usage.Calls++
		c.usage.PromptTokens += res.Usage.PromptTokens
		c.usage.CompletionTokens += res.Usage.CompletionTokens
		if len(res.Choices) == 0 {
			return "", fmt.Errorf("model call %d: the response has no choices", c.usage.Calls)
		}
		reply := res.Choices[0].Message
		c.messages = append(c.messages, reply)
		if len(reply.ToolCalls) == 0 {
			return reply.Content, nil
		}
		for _, call := range reply.ToolCalls {
			c.messages = append(c.messages, openai.ChatCompletionMessage{
				Role: openai.ChatMessageRoleTool, ToolCallID: call.ID, Content: c.shop.use(call.Function),
			})
		}
	}
	return "", fmt.Errorf("%w of %d", ErrSteps, c.agent.MaxSteps)
}
