package forge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/capeval/capeval/internal/forge"
)

// server is a forge with one repository, spoken to over HTTP.
type server struct {
	mu       sync.Mutex
	comments []comment
	pulls    []map[string]any
	refuse   map[string]int // method -> status
	locked   map[int64]bool // comments that the token may not edit
	header   http.Header
	calls    []string
}

type comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
}

func (s *server) start(t *testing.T) string {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	for k, v := range s.header {
		w.Header()[k] = v
	}
	refuse := func(code int, message string) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
	}
	if r.Header.Get("Authorization") != "Bearer t0ken" {
		refuse(http.StatusUnauthorized, "Bad credentials")
		return
	}
	if code := s.refuse[r.Method]; code != 0 {
		refuse(code, "Resource not accessible by integration")
		return
	}
	var in struct{ Body string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	const list = "/repos/ann/shop/issues/7/comments"
	switch path := r.URL.Path; {
	case r.Method == http.MethodGet && path == list:
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		from := min(max(page-1, 0)*size, len(s.comments))
		to := min(from+size, len(s.comments))
		if to < len(s.comments) {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d&per_page=%d>; rel="next"`, r.Host, path, max(page, 1)+1, size))
		}
		_ = json.NewEncoder(w).Encode(s.comments[from:to])
	case r.Method == http.MethodPost && path == list:
		c := comment{int64(len(s.comments) + 1), in.Body, "https://forge.example/c/" + strconv.Itoa(len(s.comments)+1)}
		s.comments = append(s.comments, c)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(c)
	case r.Method == http.MethodPatch && strings.HasPrefix(path, "/repos/ann/shop/issues/comments/"):
		id, _ := strconv.ParseInt(path[strings.LastIndex(path, "/")+1:], 10, 64)
		if s.locked[id] {
			refuse(http.StatusForbidden, "Must have admin rights to Repository.")
			return
		}
		for i := range s.comments {
			if s.comments[i].ID == id {
				s.comments[i].Body = in.Body
				_ = json.NewEncoder(w).Encode(s.comments[i])
				return
			}
		}
		refuse(http.StatusNotFound, "Not Found")
	case r.Method == http.MethodGet && path == "/repos/ann/shop/pulls":
		var found []map[string]any
		for _, p := range s.pulls {
			if head := r.URL.Query().Get("head"); head == "" || head == p["label"] {
				found = append(found, p)
			}
		}
		_ = json.NewEncoder(w).Encode(found)
	default:
		refuse(http.StatusNotFound, "Not Found")
	}
}

func api(t *testing.T, s *server, j forge.Job) *forge.GitHub {
	t.Helper()
	j.API, j.Owner, j.Repository = s.start(t), "ann", "shop"
	g, err := forge.NewGitHub(j, "t0ken", nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func upsert(t *testing.T, g *forge.GitHub, body, want string) forge.Done {
	t.Helper()
	done, err := g.Upsert(context.Background(), 7, "capeval", body)
	if err != nil {
		t.Fatal(err)
	}
	if done.What != want {
		t.Errorf("%s, want %s", done.What, want)
	}
	return done
}

func TestOneCommentIsKept(t *testing.T) {
	s := &server{}
	for i := range 150 { // more than a page, with marks that are not ours
		s.comments = append(s.comments, comment{ID: int64(i + 1), Body: "said before\n" + forge.Mark("another")})
	}
	s.comments[3].Body = "quoting: <!-- capeval-comment: capeval --> is a mark"
	g := api(t, s, forge.Job{})
	if done := upsert(t, g, "accepted", "created"); done.URL != "https://forge.example/c/151" {
		t.Errorf("the comment is at %q", done.URL)
	}
	upsert(t, g, "accepted", "unchanged")
	s.comments[150].Body = strings.ReplaceAll(s.comments[150].Body, "\n", "\r\n") // as a forge may store it
	upsert(t, g, "accepted", "unchanged")
	upsert(t, g, "rejected", "updated")
	if got := s.comments[150].Body; len(s.comments) != 151 || !strings.HasPrefix(got, "rejected\n") || !strings.HasSuffix(got, forge.Mark("capeval")) {
		t.Errorf("%d comments, the last is %q", len(s.comments), got)
	}
}

func TestSomebodyElsesCommentIsLeft(t *testing.T) {
	s := &server{comments: []comment{{ID: 1, Body: "copied" + forge.Mark("capeval")}}, locked: map[int64]bool{1: true}}
	g := api(t, s, forge.Job{})
	upsert(t, g, "accepted", "created")
	if done := upsert(t, g, "rejected", "updated"); done.Others != 1 || s.comments[0].Body != "copied"+forge.Mark("capeval") || len(s.comments) != 2 {
		t.Errorf("%+v left %+v", done, s.comments)
	}
}

func TestRefusals(t *testing.T) {
	readOnly := &server{refuse: map[string]int{http.MethodPost: 403, http.MethodPatch: 403}}
	_, err := api(t, readOnly, forge.Job{}).Upsert(context.Background(), 7, "capeval", "x")
	if !errors.Is(err, forge.ErrForbidden) || !strings.Contains(err.Error(), "pull-requests: write") {
		t.Errorf("a token that only reads: %v", err)
	}
	limited := &server{refuse: map[string]int{http.MethodGet: 403}, header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Reset": {"1900000000"}}}
	if _, err := api(t, limited, forge.Job{}).Upsert(context.Background(), 7, "capeval", "x"); err == nil || !strings.Contains(err.Error(), "rate limit") {
		t.Errorf("a used up limit: %v", err)
	}
	long := &server{refuse: map[string]int{http.MethodPost: 422}}
	if _, err := api(t, long, forge.Job{}).Upsert(context.Background(), 7, "capeval", "x"); err == nil || !strings.Contains(err.Error(), "refuses the text") {
		t.Errorf("a text that is refused: %v", err)
	}
	if _, err := api(t, &server{}, forge.Job{}).Upsert(context.Background(), 7, "capeval", "x"+forge.Mark("other")); err == nil {
		t.Error("a mark within the text was posted")
	}
	if _, err := forge.NewGitHub(forge.Job{API: "https://forge.example"}, "", nil); err == nil {
		t.Error("no repository, and no word about it")
	}
}

func environment(t *testing.T, vars map[string]string, event string) forge.Job {
	t.Helper()
	j, err := forge.FromEnv(func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		func(string) ([]byte, error) { return []byte(event), nil })
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestThePullRequestIsTheForgesWord(t *testing.T) {
	vars := map[string]string{"GITHUB_REPOSITORY": "ann/shop", "GITHUB_EVENT_PATH": "event.json", "GITHUB_REF": "refs/heads/main"}
	s := &server{pulls: []map[string]any{
		{"number": 5, "label": "bob:fix", "head": map[string]string{"sha": "old"}},
		{"number": 7, "label": "bob:fix", "head": map[string]string{"sha": "5ha"}},
		{"number": 8, "label": "eve:fix", "head": map[string]string{"sha": "5ha"}},
	}}
	for event, want := range map[string]int{
		`{"pull_request":{"number":7}}`:                     7,
		`{"issue":{"number":9,"pull_request":{}}}`:          9,
		`{"issue":{"number":9}}`:                            0, // an issue is no pull request
		`{"workflow_run":{"pull_requests":[{"number":3}]}}`: 3,
		// From a fork the list is empty; eve's branch of that name is not bob's.
		`{"workflow_run":{"head_branch":"fix","head_sha":"5ha","head_repository":{"owner":{"login":"bob"}},"pull_requests":[]}}`: 7,
		`{"workflow_run":{"head_branch":"fix","head_sha":"new","head_repository":{"owner":{"login":"bob"}}}}`:                    0,
		`{}`: 0,
	} {
		got, err := api(t, s, environment(t, vars, event)).PullRequest(context.Background())
		if got != want || (want == 0) != errors.Is(err, forge.ErrNoPullRequest) {
			t.Errorf("%s: number %d, %v, want %d", event, got, err, want)
		}
	}
	if j := environment(t, map[string]string{"GITHUB_REF": "refs/pull/12/merge"}, ""); j.Number != 12 || j.API != "https://api.github.com" {
		t.Errorf("from the ref: %+v", j)
	}
	for name, vars := range map[string]map[string]string{"repository": {"GITHUB_REPOSITORY": "shop"}, "event": {"GITHUB_EVENT_PATH": "e"}} {
		_, err := forge.FromEnv(func(n string) (string, bool) { v, ok := vars[n]; return v, ok }, func(string) ([]byte, error) { return []byte("{"), nil })
		if err == nil {
			t.Errorf("a bad %s was taken", name)
		}
	}
}
