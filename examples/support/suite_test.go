package support_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/examples/support"
	"github.com/capeval/capeval/examples/support/modelserver"
)

func TestSupport(t *testing.T) {
	RunEvals(t, "support", Trials(5), BaseSeed(100))
}

// remote reports whether the environment names a real model.
func remote() bool { return os.Getenv("OPENAI_BASE_URL") != "" && os.Getenv("OPENAI_API_KEY") != "" }

// limit is the time a conversation may take: the agent's own, so a 0 beyond it.
func limit() time.Duration {
	if remote() {
		return 2 * time.Minute
	}
	return 8 * time.Second
}

// newAgent returns the agent under test: on the model named by OPENAI_BASE_URL,
// OPENAI_API_KEY and OPENAI_MODEL, or else on a model server of this process.
// Rollouts may begin before any hook, so it is made when first asked for.
var newAgent = sync.OnceValues(func() (support.Agent, error) {
	if !remote() {
		config := modelserver.DefaultConfig()
		if storm := os.Getenv("CAPEVAL_EXAMPLE_STORM"); storm != "" {
			share, err := strconv.ParseFloat(storm, 64)
			if err != nil || !(share >= 0 && share <= 1) {
				return support.Agent{}, fmt.Errorf("found CAPEVAL_EXAMPLE_STORM=%s, need a share from 0 to 1", storm)
			}
			config.Storm = share
		}
		server, err := modelserver.Start(config) // ends with the process
		if err != nil {
			return support.Agent{}, err
		}
		return agentOn(server.URL(), "no key needed", "seeded-model"), nil
	}
	model := os.Getenv("OPENAI_MODEL")
	if model == "" {
		model = openai.GPT4oMini
	}
	return agentOn(os.Getenv("OPENAI_BASE_URL"), os.Getenv("OPENAI_API_KEY"), model), nil
})

func agentOn(base, key, model string) support.Agent {
	config := openai.DefaultConfig(key)
	config.BaseURL = base
	return support.Agent{Client: openai.NewClientWithConfig(config), Model: model, MaxSteps: 6}
}

// USD per million tokens: what the seeded model would cost if it cost anything.
const promptPrice, completionPrice = 0.15, 0.60

// talk is one trial's conversation with the agent.
type talk struct {
	t     *Trial
	agent support.Agent
	*support.Conversation
}

// begin starts a conversation of trial t that acts on shop.
func begin(t *Trial, shop *support.Shop) talk {
	agent, err := newAgent()
	t.Missing(err)
	return talk{t, agent, agent.Start(shop, t.Seed())}
}

// ask says one message, records what it cost and returns the reply. When there
// is none it ends the trial and says whose fault that is.
func (k talk) ask(ctx context.Context, message string) string {
	before := k.Usage()
	reply, err := k.Say(ctx, message)
	after := k.Usage()
	in, out := after.PromptTokens-before.PromptTokens, after.CompletionTokens-before.CompletionTokens
	k.t.Tokens(k.agent.Model, in, out)
	k.t.Metric("model_calls", float64(after.Calls-before.Calls), "calls")
	if k.agent.Model == "seeded-model" {
		k.t.Cost((float64(in)*promptPrice + float64(out)*completionPrice) / 1e6)
	}
	if errors.Is(err, support.ErrSteps) {
		k.t.AgentLimit(err) // the agent's own: reward 0
	}
	k.t.Missing(blame(err)) // the server's: no measurement
	k.t.Output(reply)
	return reply
}

// blame tells a refusal by rate limit from other failures of the server.
func blame(err error) error {
	var api *openai.APIError
	var raw *openai.RequestError // an answer that is not of the protocol, as of a proxy
	switch {
	case errors.As(err, &api) && api.HTTPStatusCode == http.StatusTooManyRequests,
		errors.As(err, &raw) && raw.HTTPStatusCode == http.StatusTooManyRequests:
		return RateLimited(err)
	}
	return err
}

// manners is the rubric for the wording: it apologises, it names the order, it
// says what happened in 4 to 60 words. Each is worth a third.
func manners(reply, order string) (float64, string) {
	words := len(strings.Fields(reply))
	points, missed := 0.0, []string{}
	for _, rule := range []struct {
		ok   bool
		name string
	}{
		{strings.Contains(strings.ToLower(reply), "sorry") || strings.Contains(strings.ToLower(reply), "apolog"), "an apology"},
		{strings.Contains(reply, order), "the order number"},
		{words >= 4 && words <= 60, "4 to 60 words"},
	} {
		if rule.ok {
			points++
		} else {
			missed = append(missed, rule.name)
		}
	}
	if len(missed) == 0 {
		return 1, "well said"
	}
	return points / 3, "lacks " + strings.Join(missed, ", ")
}
