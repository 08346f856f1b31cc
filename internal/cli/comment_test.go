package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/capeval/capeval/internal/cli"
)

// pullRequest is a forge with one pull request, number 7.
type pullRequest struct {
	mu       sync.Mutex
	bodies   []string
	readOnly bool
}

func (p *pullRequest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	one := func(i int) map[string]any {
		return map[string]any{"id": i + 1, "body": p.bodies[i], "html_url": "https://forge.example/c/1"}
	}
	var in struct{ Body string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	const comments = "/repos/ann/shop/issues/7/comments"
	switch {
	case r.Method == http.MethodGet && r.URL.Path == comments:
		all := []map[string]any{}
		for i := range p.bodies {
			all = append(all, one(i))
		}
		_ = json.NewEncoder(w).Encode(all)
	case p.readOnly:
		w.WriteHeader(http.StatusForbidden)
		_ = json.NewEncoder(w).Encode(map[string]string{"message": "Resource not accessible by integration"})
	case r.Method == http.MethodPost && r.URL.Path == comments:
		p.bodies = append(p.bodies, in.Body)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(one(len(p.bodies) - 1))
	case r.Method == http.MethodPatch:
		p.bodies[0] = in.Body
		_ = json.NewEncoder(w).Encode(one(0))
	default:
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(map[string]string{"message": "Not Found"})
	}
}

// comment runs the command against a forge and returns what it printed.
func comment(t *testing.T, p *pullRequest, args ...string) (string, int) {
	t.Helper()
	server := httptest.NewServer(p)
	defer server.Close()
	t.Setenv("GITHUB_API_URL", server.URL)
	var out strings.Builder
	code := cli.Main(append([]string{"comment"}, args...), cli.IO{In: strings.NewReader(""), Out: &out, Err: &out})
	return out.String(), code
}

func TestComment(t *testing.T) {
	for _, name := range []string{"GITHUB_EVENT_PATH", "GITHUB_STEP_SUMMARY", "GH_TOKEN", "GITHUB_OUTPUT"} {
		t.Setenv(name, "")
	}
	t.Setenv("GITHUB_REPOSITORY", "ann/shop")
	t.Setenv("GITHUB_TOKEN", "t0ken")
	t.Setenv("GITHUB_REF", "refs/pull/7/merge")
	rows := func(name, reward string) string {
		path := filepath.Join(t.TempDir(), name)
		text := `{"task":"@ann <script> #12","reward":` + reward + `}` + "\n" + `{"task":"b","reward":1}` + "\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	p := &pullRequest{bodies: []string{}}
	expect := func(want string, args ...string) {
		t.Helper()
		if out, code := comment(t, p, args...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, printed %q, want %q", code, out, want)
		}
	}
	expect("comment created on pull request 7: https://forge.example/c/1\n", rows("a.jsonl", "1"))
	expect("comment unchanged on pull request 7", rows("a.jsonl", "1"))
	expect("comment updated on pull request 7", rows("a.jsonl", "0"))
	if len(p.bodies) != 1 || !strings.Contains(p.bodies[0], "0.500") || strings.Count(p.bodies[0], "@ann") != strings.Count(p.bodies[0], "`@ann <script> #12`") {
		t.Errorf("the comment says %q", p.bodies)
	}

	// Whatever the forge answers, the job goes on.
	p.readOnly = true
	expect("no comment: the token may not write", rows("a.jsonl", "1"))
	summary := filepath.Join(t.TempDir(), "summary.md")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	expect("the report is in the job's summary instead", rows("a.jsonl", "1"))
	if data, err := os.ReadFile(summary); err != nil || !strings.Contains(string(data), "1.000") {
		t.Errorf("the summary holds %q, %v", data, err)
	}
	expect("no comment: ", rows("a.jsonl", "1"), "--pr", "8")
	t.Setenv("GITHUB_REF", "refs/heads/main")
	expect("no comment: no open pull request", rows("a.jsonl", "1"))
	t.Setenv("GITHUB_TOKEN", "")
	expect("found no token", rows("a.jsonl", "1"), "--pr", "7")

	// A path that cannot be read is still an error, and so is a call that cannot be meant.
	for _, args := range [][]string{{"nowhere.jsonl"}, {}, {rows("a.jsonl", "1"), "--name", "a b"}, {rows("a.jsonl", "1"), "--repo", "shop"}, {rows("a.jsonl", "1"), "--pr", "-1"}} {
		if out, code := comment(t, p, args...); code != 2 {
			t.Errorf("%v: exit code %d, printed %q", args, code, out)
		}
	}
}
