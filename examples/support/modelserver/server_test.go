package modelserver_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/capeval/capeval/examples/support/modelserver"
)

func start(t *testing.T, config modelserver.Config) *modelserver.Server {
	t.Helper()
	s, err := modelserver.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func post(t *testing.T, s *modelserver.Server, body string) (*http.Response, string) {
	t.Helper()
	res, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func ask(seed int, message string) string {
	return fmt.Sprintf(`{"model":"m","seed":%d,"messages":[{"role":"user","content":%q}]}`, seed, message)
}

// Two servers answer alike, byte for byte; two seeds do not always.
func TestSeedDecides(t *testing.T) {
	config := modelserver.DefaultConfig()
	config.Latency = 0
	a, b := start(t, config), start(t, config)
	answers := map[bool]int{}
	for seed := range 40 {
		_, x := post(t, a, ask(seed, "I want a refund for order 1001"))
		_, y := post(t, b, ask(seed, "I want a refund for order 1001"))
		if x != y {
			t.Fatalf("seed %d: %s and %s", seed, x, y)
		}
		answers[strings.Contains(x, "lookup_order")]++
	}
	if answers[true] == 0 || answers[false] == 0 {
		t.Errorf("all seeds act alike: %v", answers)
	}
}

// The share of stormy trials is the one asked for, within what chance allows:
// for 500 draws at 0.6, six standard deviations are 66.
func TestStorm(t *testing.T) {
	s := start(t, modelserver.Config{Storm: 0.6})
	codes := map[int]int{}
	for seed := range 500 {
		res, body := post(t, s, ask(seed, "Cancel order 1001"))
		codes[res.StatusCode]++
		if res.StatusCode == 429 && res.Header.Get("Retry-After") != "1" {
			t.Fatal("429 without Retry-After")
		}
		if res.StatusCode != 200 && !strings.Contains(body, `"error"`) {
			t.Fatalf("%d without an error object: %s", res.StatusCode, body)
		}
	}
	if n := codes[429] + codes[500]; n < 234 || n > 366 || codes[429] == 0 || codes[500] == 0 {
		t.Errorf("got %v, want about 150, 150 and 200", codes)
	}
}

func TestRefusals(t *testing.T) {
	s := start(t, modelserver.Config{})
	check := func(body string, want int) {
		t.Helper()
		if res, got := post(t, s, body); res.StatusCode != want || !strings.Contains(got, "invalid_request_error") {
			t.Errorf("%.40s: got %d %s, want %d", body, res.StatusCode, got, want)
		}
	}
	check(`{"messages":`, 400)
	check(`{"messages":[]}`, 400)
	check(`{"stream":true,"messages":[{"role":"user","content":"hi"}]}`, 400)
	check(ask(1, strings.Repeat("x", 2<<20)), 400) // too large
	res, err := http.Get(s.URL() + "/chat/completions")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: got %d", res.StatusCode)
	}
}

func Example() {
	s, err := modelserver.Start(modelserver.Config{Quality: map[modelserver.Kind]float64{modelserver.Cancel: 1}})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	body := `{"model":"m","seed":7,"messages":[{"role":"user","content":"Cancel order 1001"}]}`
	res, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	fmt.Println(strings.Contains(string(b), `"name":"lookup_order","arguments":"{\"order_id\":\"1001\"}"`))
	// Output: true
}
