package support_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"github.com/capeval/capeval/examples/support"
	"github.com/capeval/capeval/examples/support/modelserver"
)

func perfect() modelserver.Config {
	return modelserver.Config{Quality: map[modelserver.Kind]float64{
		modelserver.Late: 1, modelserver.Damaged: 1, modelserver.Cancel: 1, modelserver.Address: 1,
		modelserver.Person: 1, modelserver.Refund: 1, modelserver.Question: 1,
	}}
}

func start(t *testing.T, config modelserver.Config) support.Agent {
	t.Helper()
	server, err := modelserver.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return agentOn(server.URL(), "key", "m")
}

// The agent carries out the model's tool calls and reads their answers.
func TestAgentActs(t *testing.T) {
	shop := shelf()
	c := start(t, perfect()).Start(shop, 1)
	reply, err := c.Say(t.Context(), "Order 1001 has not arrived.")
	if err != nil || !strings.Contains(reply, "$45.00") {
		t.Errorf("got %q, %v", reply, err)
	}
	if want := []string{"lookup 1001", "refund 1001 4500"}; !slices.Equal(shop.Log(), want) {
		t.Errorf("did %q, want %q", shop.Log(), want)
	}
	if u := c.Usage(); u.Calls != 3 || u.PromptTokens == 0 || u.CompletionTokens == 0 { // look up, refund, reply
		t.Errorf("usage %+v, want 3 calls", u)
	}
}

// A model that never comes to an end meets the step limit, exactly.
func TestStepLimit(t *testing.T) {
	agent := start(t, modelserver.Config{})
	for seed := range int64(40) {
		shop := shelf()
		_, err := agent.Start(shop, seed).Say(t.Context(), "Order 1001 has not arrived.")
		if err == nil {
			continue // another flaw than the endless one
		}
		if !errors.Is(err, support.ErrSteps) || len(shop.Log()) != 6 {
			t.Fatalf("seed %d: got %v after %d steps, want ErrSteps after 6", seed, err, len(shop.Log()))
		}
		return
	}
	t.Fatal("no seed of 40 looped")
}

func TestServerFaults(t *testing.T) {
	agent := start(t, modelserver.Config{Storm: 1})
	seen := map[int]string{}
	for seed := range int64(20) {
		_, err := agent.Start(shelf(), seed).Say(t.Context(), "Cancel order 1005.")
		var api *openai.APIError
		if !errors.As(err, &api) {
			t.Fatalf("seed %d: got %v, want an APIError", seed, err)
		}
		cause := ""
		if c, ok := blame(err).(interface{ Cause() string }); ok {
			cause = c.Cause()
		}
		seen[api.HTTPStatusCode] = cause
	}
	if len(seen) != 2 || seen[429] != "rate_limit" || seen[500] != "" { // "" is runner
		t.Errorf("got %v", seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := agent.Start(shelf(), 1).Say(ctx, "Cancel order 1005."); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestManners(t *testing.T) {
	check := func(reply string, want float64) {
		t.Helper()
		if got, why := manners(reply, "1001"); got != want {
			t.Errorf("%q: got %v (%s), want %v", reply, got, why, want)
		}
	}
	check("I am sorry, order 1001 is late.", 1)
	check("Order 1001 is on its way.", 2.0/3) // no apology
	check("Sorry!", 1.0/3)                    // no order, too short
	check("Done.", 0)
}
