package durable

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The test binary is its own child: the processes that are raced and killed are
// real ones.
const childEnv = "CAPEVAL_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "write":
		childWrite(os.Args[len(os.Args)-1])
	case "append":
		childAppend(os.Args[len(os.Args)-1])
	case "claim":
		childClaim(os.Args[len(os.Args)-1])
	}
}

func child(t *testing.T, kind, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, path)
	cmd.Env = append(os.Environ(), childEnv+"="+kind)
	cmd.Stderr = os.Stderr
	return cmd
}

// kills is how many children a test kills.
func kills() int {
	if os.Getenv("CAPEVAL_LONG") != "" {
		return 200
	}
	return 25
}

// killAtRandom starts a child, waits for its first line, kills it some time
// later and returns every whole line it printed.
func killAtRandom(t *testing.T, cmd *exec.Cmd, rnd *rand.Rand) []string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	var got []string
	first, ok := <-lines
	if !ok {
		t.Fatal("the child printed nothing")
	}
	got = append(got, first)
	timer := time.AfterFunc(time.Duration(rnd.IntN(20_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for line := range lines {
		got = append(got, line)
	}
	_ = cmd.Wait()
	return got
}

// sealed returns n lines of text under their own digest.
func sealed(n int) []byte {
	body := strings.Repeat(fmt.Sprintf("version %d\n", n), 1+n*997%20_000)
	sum := sha256.Sum256([]byte(body))
	return []byte(hex.EncodeToString(sum[:]) + "\n" + body)
}

// whole reports whether data is what sealed returned.
func whole(data []byte) bool {
	digest, body, ok := strings.Cut(string(data), "\n")
	sum := sha256.Sum256([]byte(body))
	return ok && digest == hex.EncodeToString(sum[:])
}
