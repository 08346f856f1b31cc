package evaltest

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/record"
)

// processes returns how many processes run the suite and which of them this is,
// counted from 1.
func processes() (total, index int) {
	c, _ := ginkgo.GinkgoConfiguration()
	return c.ParallelTotal, c.ParallelProcess
}

// packageName names the package under test: as the command tells it, else the
// folder that the tests run in.
func packageName() string {
	if p := os.Getenv(envPackage); p != "" {
		return p
	}
	wd, err := os.Getwd()
	if err != nil {
		return "."
	}
	return wd
}

// gitState asks git for the commit and whether anything differs from it. The
// project's own run folder and checkpoint do not count.
func gitState(root string) record.Git {
	changes := make(chan string, 1)
	go func() {
		out, _ := git(root, "--no-optional-locks", "status", "--porcelain", "--", ".", ":(exclude).capeval")
		changes <- out
	}()
	commit, ok := git(root, "rev-parse", "HEAD")
	if !ok {
		return record.Git{}
	}
	return record.Git{Commit: commit, Dirty: <-changes != ""}
}

// askGit begins to ask, once, in the process that will write the plan: git takes
// its time, and the tree is built meanwhile.
func (s *suite) askGit() {
	if _, process := processes(); s.git != nil || process != 1 {
		return
	}
	root := s.settings.cfg.Root
	s.git = sync.OnceValue(func() record.Git { return gitState(root) })
	go s.git()
}

func git(dir string, args ...string) (string, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err == nil
}

const modulePath = "github.com/capeval/capeval"

// moduleVersion is the version of this library in the test binary.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	if info.Main.Path == modulePath {
		return info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == modulePath {
			return m.Version
		}
	}
	return ""
}

// repeated reports, as well as the system lets it, whether the ginkgo command
// that started this process was told to repeat the suite: it does not say so
// to its children.
func repeated() bool {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(os.Getppid()), "cmdline"))
	if err != nil {
		return false
	}
	args := strings.Split(strings.TrimRight(string(data), "\x00"), "\x00")
	if len(args) == 0 || !strings.HasPrefix(filepath.Base(args[0]), "ginkgo") {
		return false
	}
	for i, arg := range args[1:] {
		name, value, has := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		switch name {
		case "until-it-fails":
			return !has || value != "false"
		case "repeat":
			if !has && i+2 < len(args) {
				value = args[i+2]
			}
			n, _ := strconv.Atoi(value)
			return n > 0
		}
	}
	return false
}

// flagGiven reports whether the flag was set on the command line.
func flagGiven(name string) bool {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}
