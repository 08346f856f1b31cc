package gotest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Job says how a binary is run.
type Job struct {
	Env         []string // the whole environment
	Output      *os.File // what the processes print
	Procs       int      // 2 and more run by the ginkgo command, which BuildGinkgo has built
	Timeout     time.Duration
	LabelFilter string
	Focus       []string
	Verbose     bool
	DryRun      bool // build the tree and run nothing of it; one process alone
}

// Process is a running suite: one test process, or the ginkgo command and its
// processes.
type Process struct {
	cmd   *exec.Cmd
	group *group
	guard *guard
}

// Exit is how a process ended.
type Exit struct {
	Code  int    // -1 when a signal ended it
	State string // such as "exit status 1", "signal: killed"
}

// Start starts the suite in the folder of its package.
func (b *Bench) Start(bin Binary, job Job) (*Process, error) {
	args := job.flags("--ginkgo.")
	name := bin.path
	args = append([]string{"-test.timeout=0", "-test.count=1", "-test.v=false", "-test.paniconexit0"}, args...)
	if job.Procs > 1 {
		script, err := bin.script()
		if err != nil {
			return nil, err
		}
		name = b.ginkgo
		args = append([]string{"run", "--procs=" + strconv.Itoa(job.Procs), "--keep-going"}, job.flags("--")...)
		args = append(args, script)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = bin.Package.Dir
	cmd.Env = environ(cmd.Dir, job.Env)
	cmd.Stdout, cmd.Stderr = job.Output, job.Output
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", bin.Package.ImportPath, err)
	}
	b.guard.watch(cmd.Process.Pid)
	return &Process{cmd: cmd, group: &group{leader: cmd.Process}, guard: b.guard}, nil
}

// flags are Ginkgo's, whose names begin with prefix.
func (j Job) flags(prefix string) []string {
	flags := []string{prefix + "timeout=" + j.Timeout.String(), prefix + "no-color"}
	if j.LabelFilter != "" {
		flags = append(flags, prefix+"label-filter="+j.LabelFilter)
	}
	for _, f := range j.Focus {
		flags = append(flags, prefix+"focus="+f)
	}
	if j.Verbose {
		flags = append(flags, prefix+"v")
	}
	if j.DryRun {
		flags = append(flags, prefix+"dry-run")
	}
	return flags
}

// script writes what the ginkgo command takes for the test binary. Ginkgo runs
// a binary in the folder where it lies, which must not be the user's; the script
// goes to the package first, so that testdata is found.
func (b Binary) script() (string, error) {
	path := filepath.Join(filepath.Dir(b.path), "suite.test")
	text := "#!/bin/sh\ncd " + quote(b.Package.Dir) + " && PWD=" + quote(b.Package.Dir) + " exec " + quote(b.path) + " \"$@\"\n"
	return path, os.WriteFile(path, []byte(text), 0o755)
}

// quote makes s one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Wait returns how the process ended, when it has, and nobody of its group is
// left.
func (p *Process) Wait() Exit {
	err := p.group.reap(p.cmd)
	p.guard.watch(0)
	state := p.cmd.ProcessState
	if state == nil {
		return Exit{Code: -1, State: errors.Join(errors.New("its end is not known"), err).Error()}
	}
	return Exit{Code: state.ExitCode(), State: state.String()}
}

// Signal hands s on to every process of the suite.
func (p *Process) Signal(s os.Signal) { p.group.signal(s) }

// Kill ends every process of the suite at once.
func (p *Process) Kill() { p.group.signal(os.Kill) }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
