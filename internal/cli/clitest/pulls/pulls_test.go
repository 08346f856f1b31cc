//go:build unix

package pulls_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/capeval/capeval/internal/cli"
	"github.com/capeval/capeval/internal/cli/clitest"
)

// TestFortyPullRequests gates pull requests as a project would, on a suite whose
// agent succeeds by chance: 40 that change nothing and 40 that make it worse by
// 0.2 on every task. They are numbered from 1, none was picked, and the base seed is
// 1000 times the number, so that no two share a draw. At alpha 0.05 a
// no-op is blocked at most 6 times in 40 (but for one time in 10,000), and a drop
// that is found with a chance of 0.92 is found at least 31 times.
func TestFortyPullRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 160 runs")
	}
	module := clitest.Module(t)
	bin := filepath.Join(t.TempDir(), "pulls.test")
	build := exec.Command("go", "test", "-c", "-o", bin, "./pulls")
	build.Dir = module
	build.Env = append(os.Environ(), clitest.GoEnv(t)...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	measure := func(arm string, n int, drop string) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), arm)
		run := exec.Command(bin, "-test.count=1")
		run.Dir = filepath.Join(module, "pulls")
		run.Env = append(os.Environ(), "CAPEVAL_RUN_DIR="+dir, "CAPEVAL_QUIET=1", "CAPEVAL_ARM="+arm, "CAPEVAL_BASE_SEED="+strconv.Itoa(1000*n), "DROP="+drop)
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return dir
	}
	for _, c := range []struct {
		what, drop  string
		least, most int // how many are blocked
	}{
		{"no-op", "0", 0, 6},
		{"a drop of 0.2", "0.2", 31, 40},
	} {
		blocked := 0
		for n := 1; n <= 40; n++ {
			base, head := measure("baseline", n, c.drop), measure("candidate", n, c.drop)
			var quiet discard
			switch code := cli.Main([]string{"gate", "--baseline", base, "--candidate", head}, cli.IO{Out: &quiet, Err: &quiet}); code {
			case 0:
			case 1:
				blocked++
			default:
				t.Fatalf("%s, pull request %d: exit code %d\n%s", c.what, n, code, quiet)
			}
		}
		t.Logf("%s: %d of 40 blocked", c.what, blocked)
		if blocked < c.least || blocked > c.most {
			t.Errorf("%s: %d of 40 were blocked, want %d to %d", c.what, blocked, c.least, c.most)
		}
	}
}

// discard keeps what was printed for a failure.
type discard []byte

func (d *discard) Write(p []byte) (int, error) { *d = append(*d, p...); return len(p), nil }
