package benchmarks

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var full = flag.Bool("bench", false, "measure at full size; without it only that the programs run")

// measured is one run of a process.
type measured struct {
	wall time.Duration
	peak int64 // kB of the largest process
}

// median of the wall times, and of the peaks.
func median(ms []measured) measured {
	byWall := slices.Clone(ms)
	slices.SortFunc(byWall, func(a, b measured) int { return int(a.wall - b.wall) })
	byPeak := slices.Clone(ms)
	slices.SortFunc(byPeak, func(a, b measured) int { return int(a.peak - b.peak) })
	return measured{byWall[len(ms)/2].wall, byPeak[len(ms)/2].peak}
}

// TestReport prints every ratio. In its short form it checks that what it
// measures runs and measures something; it never fails for being slow.
func TestReport(t *testing.T) {
	b := &bench{t: t, dir: t.TempDir(), runs: 1}
	specs, wait := "200", "1ms"
	if *full {
		b.runs, specs, wait = 5, "10000", "100ms"
	}
	b.build("overhead")
	b.build("workers")
	b.ginkgo()

	bare, trials := b.inTurns(
		run{suite: "overhead", env: []string{"SPECS=" + specs, "KIND=bare"}},
		run{suite: "overhead", env: []string{"SPECS=" + specs, "KIND=trials"}},
	)
	b.say("trial overhead, %s trials against bare Its with one report entry", specs)
	b.say("  wall   %8.3f s against %8.3f s   x%.2f (aim: at most 1.3)", trials.wall.Seconds(), bare.wall.Seconds(), ratio(trials.wall, bare.wall))
	b.say("  memory %8.1f MB against %7.1f MB  x%.2f (aim: at most 1.3)", mb(trials.peak), mb(bare.peak), float64(trials.peak)/float64(bare.peak))

	_, shape := b.inTurns(
		run{suite: "overhead", env: []string{"SPECS=" + specs, "KIND=bare"}},
		run{suite: "overhead", env: []string{"SPECS=" + specs, "KIND=shape"}},
	)
	b.say("  the same tree of bare specs, a container a task: %.3f s, %.1f MB", shape.wall.Seconds(), mb(shape.peak))

	b.runs = min(b.runs, 3)
	workers, procs := b.inTurns(
		run{suite: "workers", env: []string{"WAIT=" + wait, "CAPEVAL_WORKERS=64"}},
		run{suite: "workers", env: []string{"WAIT=" + wait}, procs: 64},
	)
	each, _ := time.ParseDuration(wait)
	ideal := each * 1000 / 64
	b.say("1,000 trials of %s", wait)
	b.say("  64 workers          %7.3f s   x%.3f of the ideal %.4f s (aim: at most 1.1)", workers.wall.Seconds(), ratio(workers.wall, ideal), ideal.Seconds())
	b.say("  ginkgo --procs=64   %7.3f s   x%.2f of the workers", procs.wall.Seconds(), ratio(procs.wall, workers.wall))
}

type bench struct {
	t    *testing.T
	dir  string
	runs int
}

func (b *bench) say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (b *bench) build(suite string) {
	b.t.Helper()
	b.command("go", "test", "-c", "-o", filepath.Join(b.dir, suite+".test"), "./testdata/"+suite)
}

func (b *bench) ginkgo() {
	b.command("go", "build", "-o", filepath.Join(b.dir, "ginkgo"), "github.com/onsi/ginkgo/v2/ginkgo")
}

func (b *bench) command(name string, args ...string) {
	b.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// run is a process to measure.
type run struct {
	suite string
	env   []string
	procs int
}

// inTurns measures x and y one after the other, as often as b.runs says, after
// one turn that is not counted.
func (b *bench) inTurns(x, y run) (measured, measured) {
	var xs, ys []measured
	for i := range b.runs + 1 {
		mx, my := b.once(x), b.once(y)
		if i > 0 || b.runs == 1 {
			xs, ys = append(xs, mx), append(ys, my)
		}
	}
	return median(xs), median(ys)
}

func (b *bench) once(r run) measured {
	b.t.Helper()
	out, err := os.MkdirTemp(b.dir, "run")
	if err != nil {
		b.t.Fatal(err)
	}
	defer os.RemoveAll(out)
	binary := filepath.Join(b.dir, r.suite+".test")
	cmd := exec.Command(binary, "-test.v")
	if r.procs > 0 {
		cmd = exec.Command(filepath.Join(b.dir, "ginkgo"), "run", fmt.Sprintf("--procs=%d", r.procs), binary)
	}
	cmd.Dir = filepath.Join("testdata", r.suite)
	cmd.Env = append(os.Environ(), "CAPEVAL_RUN_DIR="+filepath.Join(out, "run"), "CAPEVAL_QUIET=1")
	cmd.Env = append(cmd.Env, r.env...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	began := time.Now()
	err = cmd.Run()
	wall := time.Since(began)
	if err != nil || !strings.Contains(text.String(), "SUCCESS!") {
		b.t.Fatalf("%+v: %v\n%s", r, err, text.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return measured{wall, usage.Maxrss}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func mb(kB int64) float64 { return float64(kB) / 1024 }
