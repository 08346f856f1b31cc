//go:build unix

package agentexec

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary play the agent: real processes, on every
// system, without a shell.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "play" {
		play(os.Args[2], os.Args[3:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// role returns a command in which the test binary plays the named role.
func role(t *testing.T, name string, args ...string) Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Path: self, Args: append([]string{"play", name}, args...)}
}

func play(name string, args []string) {
	switch name {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "environ":
		env := os.Environ()
		slices.Sort(env)
		fmt.Println(strings.Join(env, "\n"))
	case "cwd":
		dir, _ := os.Getwd()
		fmt.Print(dir)
	case "exit":
		code, _ := strconv.Atoi(args[0])
		fmt.Print("half an answer")
		fmt.Fprintln(os.Stderr, "first line\nlast words")
		os.Exit(code)
	case "die":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "flood":
		n, _ := strconv.Atoi(args[0])
		block := bytes.Repeat([]byte("0123456789abcdef"), 4096)
		fmt.Print("begin")
		for ; n > 0; n -= len(block) {
			_, _ = os.Stdout.Write(block[:min(n, len(block))])
		}
		fmt.Print("end")
	case "deaf": // closes stdin, then answers
		_ = os.Stdin.Close()
		time.Sleep(20 * time.Millisecond)
		fmt.Print("answered")
	case "polite": // says goodbye at SIGTERM and exits 0
		terms := make(chan os.Signal, 1)
		signal.Notify(terms, syscall.SIGTERM)
		call(args[0])
		<-terms
		fmt.Print("goodbye")
	case "stubborn": // ignores SIGTERM, for ever
		signal.Ignore(syscall.SIGTERM)
		call(args[0])
		select {}
	case "family": // a stubborn leader with two stubborn children
		signal.Ignore(syscall.SIGTERM)
		spawn(nil, "stubborn", args[0])
		spawn(nil, "stubborn", args[0])
		call(args[0])
		select {}
	case "leaves": // exits 0 when told to and leaves a stubborn child in its group
		spawn(nil, "stubborn", args[0])
		call(args[0])
		_, _ = kept[0].Read(make([]byte, 1))
		fmt.Print("done")
	case "daemon": // exits 0 and leaves a child in a session of its own
		spawn(&syscall.SysProcAttr{Setsid: true}, "stubborn", args[0])
		fmt.Print("done")
	default:
		panic("no role " + name)
	}
}

// spawn starts a child that inherits stdout and stderr.
func spawn(attr *syscall.SysProcAttr, name string, args ...string) {
	cmd := exec.Command(os.Args[0], append([]string{"play", name}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// call connects to addr, sends the process id and keeps the connection: it
// breaks when the process ends, and not before.
func call(addr string) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(conn, os.Getpid())
	kept = append(kept, conn)
}

var kept []net.Conn
