//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/capeval/capeval/internal/cli"
)

// The test binary is the command, and a second one that ends it in the middle.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"capeval-ci": func() {
			os.Exit(cli.Main(os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
		"signalling": signalling,
	})
}

// signalling runs a command and sends it a signal, once or several times, when a
// file appears: signalling INT[,INT..]|KILL FILE command args... KILL goes to the
// command's whole process group, as it does when a job is cancelled.
func signalling() {
	cmd := exec.Command(os.Args[3], os.Args[4:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	go func() {
		for {
			if _, err := os.Stat(os.Args[2]); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		for i, name := range strings.Split(os.Args[1], ",") {
			if i > 0 {
				time.Sleep(300 * time.Millisecond)
			}
			switch name {
			case "KILL":
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			case "TERM":
				_ = cmd.Process.Signal(syscall.SIGTERM)
			default:
				_ = cmd.Process.Signal(os.Interrupt)
			}
		}
	}()
	_ = cmd.Wait()
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signaled() {
		os.Exit(100 + int(s.Signal()))
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// repo is the root of this checkout.
func repo(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// userModule writes the module of a user who works with this checkout, and
// returns its root. drop leaves modules out of go.sum.
func userModule(t testing.TB, drop ...string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(repo(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/capeval/capeval", "module example.org/user", 1)
	text += "\nrequire github.com/capeval/capeval v0.0.0\n\nreplace github.com/capeval/capeval => " + repo(t) + "\n"
	sum, err := os.ReadFile(filepath.Join(repo(t), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	var sums []string
	for _, line := range strings.SplitAfter(string(sum), "\n") {
		module, _, _ := strings.Cut(line, " ")
		kept := true
		for _, d := range drop {
			kept = kept && module != d
		}
		if kept {
			sums = append(sums, line)
		}
	}
	for name, data := range map[string]string{"go.mod": text, "go.sum": strings.Join(sums, "")} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// goEnv is what the go command needs to work in a script as it does outside:
// the caches of this machine, so that a build is a link.
func goEnv(t testing.TB) []string {
	t.Helper()
	var env []string
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOROOT"}
	for i, v := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		env = append(env, names[i]+"="+v)
	}
	return append(env, "GOFLAGS=-mod=mod -ldflags=-w", "GOTOOLCHAIN=local", "GONOSUMDB=*", "GONOSUMCHECK=1", "GIT_CEILING_DIRECTORIES="+os.TempDir())
}

func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the scripts build and run suites")
	}
	module := userModule(t)
	bare := userModule(t, "github.com/go-task/slim-sprig/v3", "github.com/google/pprof")
	env := goEnv(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			e.Vars = append(e.Vars, "MODULE="+module, "BARE="+bare, "MARKS="+filepath.Join(e.WorkDir, "marks"), "CAPEVAL_RUN_DIR=")
			e.Cd = module
			return os.Mkdir(filepath.Join(e.WorkDir, "marks"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "edit": edit},
	})
}

// exits runs a command and asks for an exact exit code: exits N command args...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args...]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
