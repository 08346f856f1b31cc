package modelserver

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
)

// Server is a running model. Close it.
type Server struct {
	config Config
	http   *http.Server
	url    string
}

// Start listens on a free loopback port and serves until Close.
func Start(config Config) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("model server: %w", err)
	}
	s := &Server{config: config, url: "http://" + l.Addr().String() + "/v1"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }() // returns at Close
	return s, nil
}

// URL is the base URL to give to a client; it ends in /v1.
func (s *Server) URL() string { return s.url }

// Close ends the server and every call in flight.
func (s *Server) Close() error { return s.http.Close() }

// maxBody bounds a request; a support conversation has a few kilobytes.
const maxBody = 1 << 20

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var req openai.ChatCompletionRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "the body is no chat-completions request: "+err.Error())
		return
	}
	t := read(req)
	if req.Stream || t.last == "" {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "need a user message, and stream must be off")
		return
	}
	select {
	case <-time.After(s.config.Latency):
	case <-r.Context().Done():
		return
	}
	// One draw for the whole trial: a storm does not blow over between two calls.
	if u := t.draw("storm", t.users[0]); u < s.config.Storm/2 {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "rate_limit_error", "rate limit reached, try again in 1 s")
		return
	} else if u < s.config.Storm {
		refuse(w, http.StatusInternalServerError, "server_error", "the model is not available")
		return
	}
	m := t.next(s.config.Quality)
	finish := openai.FinishReasonStop
	if len(m.ToolCalls) > 0 {
		finish = openai.FinishReasonToolCalls
	}
	usage := openai.Usage{PromptTokens: tokens(req.Messages...), CompletionTokens: tokens(m)}
	usage.TotalTokens = usage.PromptTokens + usage.CompletionTokens
	reply(w, http.StatusOK, openai.ChatCompletionResponse{
		ID: fmt.Sprintf("chatcmpl-%d-%d", t.seed, len(req.Messages)), Object: "chat.completion", Model: req.Model,
		Choices: []openai.ChatCompletionChoice{{Message: m, FinishReason: finish}}, Usage: usage,
	})
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	reply(w, status, map[string]any{"error": map[string]any{"type": kind, "message": message}})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has gone: nobody to tell
}

// tokens counts four bytes as a token, and four tokens for each message around.
func tokens(messages ...openai.ChatCompletionMessage) int {
	n := 0
	for _, m := range messages {
		n += 4 + len(m.Content)/4
		for _, c := range m.ToolCalls {
			n += (len(c.Function.Name) + len(c.Function.Arguments)) / 4
		}
	}
	return n
}
