package gitstore_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/gitstore"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
)

// The test binary is its own child, so that a real process is killed.
const childEnv = "CAPEVAL_TEST_CHILD"

// child writes to the ledger of the repository dir until it is killed.
func child(dir string) {
	var c ledger.Store
	var err error
	if os.Getenv(childEnv) == "local" {
		c, err = gitstore.OpenLocal(background, gitstore.Options{Dir: dir})
	} else {
		c, err = gitstore.OpenRemote(background, gitstore.Options{Dir: dir, Remote: "origin", Mirror: os.Getenv("MIRROR")})
	}
	if err == nil {
		err = storetest.Write(c, os.Args[2])
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func killed(t *testing.T, p storetest.Place, kind, dir string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mirror := t.TempDir()
	times := 4
	if storetest.Long() {
		times = 60
	}
	storetest.Kill(t, p, times, func(who string) *exec.Cmd {
		cmd := exec.Command(self, dir, who)
		cmd.Env = append(os.Environ(), childEnv+"="+kind, "MIRROR="+mirror)
		cmd.Stderr = os.Stderr
		return cmd
	})
}

func TestKilledRemote(t *testing.T) {
	p := newRemotePlace(t, "file://"+server(t))
	killed(t, p, "remote", p.fresh)
}

func TestKilledLocal(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "init", "-q")
	killed(t, localPlace(dir), "local", dir)
}
