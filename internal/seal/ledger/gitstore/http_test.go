package gitstore_test

import (
	"encoding/base64"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// forge is a real git server over HTTP that can be made to fail.
type forge struct {
	bare string // the repository on its disk
	url  string
	srv  *httptest.Server

	mu    sync.Mutex
	fault fault
	door  bool // the fault strikes where a push begins, not where it writes
	left  int  // how often it still strikes; below 0 for ever
	gone  chan struct{}
}

// fault does something to a request that may write, and reports whether it
// answered it.
type fault func(f *forge, w http.ResponseWriter, r *http.Request, serve http.Handler) bool

const token = "s3cret"

func basic() string {
	return "AUTHORIZATION: basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
}

func newForge(t testing.TB) *forge {
	t.Helper()
	f := &forge{bare: server(t), gone: make(chan struct{}, 10)}
	core, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	git := &cgi.Handler{
		Path:       filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"),
		Env:        []string{"GIT_PROJECT_ROOT=" + filepath.Dir(f.bare), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1"},
		InheritEnv: []string{"HOME", "PATH"},
		Stderr:     testWriter{},
	}
	f.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Values("Authorization"); len(got) != 1 || "AUTHORIZATION: "+got[0] != basic() {
			w.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		if act := f.strikes(r); act != nil && act(f, w, r, git) {
			return
		}
		git.ServeHTTP(w, r)
	}))
	t.Cleanup(f.srv.Close)
	f.url = f.srv.URL + "/server.git"
	return f
}

type testWriter struct{}

func (testWriter) Write(p []byte) (int, error) { return len(p), nil }

// strikes returns the fault for a request, if it is one that pushes.
func (f *forge) strikes(r *http.Request) fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	door := r.URL.Query().Get("service") == "git-receive-pack"
	if f.left == 0 || door != f.door || !door && !strings.HasSuffix(r.URL.Path, "git-receive-pack") {
		return nil
	}
	f.left--
	return f.fault
}

func (f *forge) set(n int, act fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.left, f.door = act, n, false
}

// setDoor lets every push meet the fault before it can send anything.
func (f *forge) setDoor(act fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.left, f.door = act, -1, true
}

// loseAnswer lets the server do its work and cuts the line before it answers.
func loseAnswer(_ *forge, w http.ResponseWriter, r *http.Request, serve http.Handler) bool {
	serve.ServeHTTP(httptest.NewRecorder(), r)
	return drop(nil, w, nil, nil)
}

// drop cuts the line before the server sees the request.
func drop(_ *forge, w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
	return true
}

func answer(code int) fault {
	return func(_ *forge, w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
		http.Error(w, "no", code)
		return true
	}
}

// hang keeps the request until its client is gone.
func hang(f *forge, _ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
	buf := make([]byte, 1<<16)
	for { // the server notices a closed line only when it has read the request
		if _, err := r.Body.Read(buf); err != nil {
			break
		}
	}
	<-r.Context().Done()
	f.gone <- struct{}{}
	return true
}

// checkout is a depth-1 clone with the token in its own configuration.
func (f *forge) checkout(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	run(t, "/", "-c", "http."+f.srv.URL+"/.extraheader="+basic(), "clone", "-q", "--depth=1", f.url, dir)
	run(t, dir, "config", "http."+f.srv.URL+"/.extraheader", basic())
	return dir
}
