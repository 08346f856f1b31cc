package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/record"
)

// seeds runs the first task of every suite, two trials, twice under the same
// seeds. An agent whose outputs do not follow the seed cannot be run again; one
// whose outputs never differ gives trials that say nothing about its spread.
func (c *checking) seeds(ctx context.Context) error {
	const name = "seeds"
	if !c.probe {
		c.skip(name, "not probed: that needs --probe, and runs the agent")
		return nil
	}
	if !c.hasGo || len(c.suites) == 0 {
		c.skip(name, "not probed: no suite declared tasks")
		return nil
	}
	if shard := c.cfg.Run.Shard; !shard.V.Whole() {
		c.skip(name, "not probed")
		c.find(checkFinding{Check: name, Level: levelProblem, Code: "sharded_probe", Found: shard.Origin + ": " + shard.V.String(), Need: "no shard: both trials of a task are run", exit: exitUsage})
		return nil
	}
	probed := 0
	for _, s := range c.suites {
		task, split, ok := s.first(c.cfg.Run.Split.V)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		done, err := c.probeTask(s, task, split)
		if err != nil {
			return err
		}
		if done {
			probed++
		}
	}
	c.row(name, fmt.Sprintf("%d of %s probed: two trials of one task, twice", probed, counted(len(c.suites), "suite")))
	return nil
}

// first returns the first task of the split that runs measure, else of the other
// that may be seen.
func (s *declared) first(split string) (record.PlanTask, record.Split, bool) {
	for _, try := range []record.Split{record.Split(split), record.Val, record.Train} {
		if plan := s.plans[try].Plan; len(plan) > 0 {
			return plan[0], try, true
		}
	}
	return record.PlanTask{}, "", false
}

// probeTask runs a task twice and compares what it put out. ok is false where
// there was nothing to compare.
func (c *checking) probeTask(s *declared, task record.PlanTask, split record.Split) (ok bool, err error) {
	say := func(code, found, need string) {
		f := checkFinding{Check: "seeds", Level: levelWarning, Code: code, Found: found, Need: need}
		if file, line, ok := cutLine(task.Location); ok {
			f.File, f.Line = file, line
			if filepath.Ext(file) != ".go" {
				f.File = shownAt(s, file)
			}
		}
		c.find(f)
	}
	what := fmt.Sprintf("task %q of suite %s", task.Task, s.name)
	var runs [2]record.TaskResult
	for i := range runs {
		fmt.Fprintf(c.std.Err, "probing %s, %d of 2\n", what, i+1)
		result, why, err := c.probeRun(s, task.Task, split)
		if err != nil {
			return false, err
		}
		if why != "" {
			say("not_probed", what+", which could not be run: "+why, "a task that runs, to see whether outputs follow the seed")
			return false, nil
		}
		runs[i] = result
	}
	for k := range 2 {
		for _, r := range runs {
			if r.Causes[k].Missing() {
				say("not_probed", fmt.Sprintf("%s, whose trial %d is missing (%s)", what, k, r.Causes[k]), "trials that are scored, to see whether outputs follow the seed")
				return false, nil
			}
			if r.OutputDigests[k] == "" {
				say("no_output", what+", which keeps no output", "t.Output(reply) in the task: without it nobody can tell whether trials differ")
				return false, nil
			}
		}
	}
	for k := range 2 {
		if runs[0].OutputDigests[k] != runs[1].OutputDigests[k] {
			say("seed_ignored", fmt.Sprintf("%s, whose trial %d put out one thing and, under the same seed, another", what, k),
				"t.Seed() handed on to the agent, where it takes one: a trial that cannot be run again cannot be looked into")
			return true, nil
		}
	}
	if runs[0].OutputDigests[0] == runs[0].OutputDigests[1] {
		say("same_outputs", what+", which put out the same under different seeds",
			"one trial a task, or an agent that uses t.Seed(): trials that cannot differ say nothing about its spread")
	}
	return true, nil
}

// probeRun runs one task as `capeval-ci run` does, into a folder that is thrown
// away. why says, as far as it is known, why there is no result.
func (c *checking) probeRun(s *declared, task string, split record.Split) (result record.TaskResult, why string, err error) {
	out, err := os.MkdirTemp("", "capeval-ci-probe-")
	if err != nil {
		return result, "", err
	}
	defer os.RemoveAll(out)
	given := map[string]string{"run_dir": filepath.Join(out, "run"), "trials": "2", "split": string(split), "procs": "1", "retry_missing": "0", "min_coverage": "0"}
	filter := "/^" + regexp.QuoteMeta(labelOf(task)) + "$/"
	run, err := newCall(IO{Out: io.Discard, Err: io.Discard}, runFlags{labelFilter: filter, given: given}, []string{s.pkg.ImportPath})
	if err != nil {
		return result, "", err
	}
	if err := c.runBuilt(run, s); err != nil {
		return result, message(err), nil
	}
	if code := c.signals.code(); code != exitOK {
		return result, "", fail(code, "interrupted: the check is not complete")
	}
	for _, r := range run.suites {
		for _, t := range r.result.PerTask {
			if r.hasResult && t.Task == task && len(t.Causes) == 2 && len(t.OutputDigests) == 2 {
				return t, "", nil
			}
		}
		if r.refusal != nil {
			return result, r.refusal.Message, nil
		}
	}
	return result, "the run holds no two trials of it", nil
}

// runBuilt is what run does once it has built its suites: it runs the one suite
// that is built already.
func (c *checking) runBuilt(run *call, s *declared) error {
	run.signals, run.bench, run.pkgs = c.signals, c.bench, []gotest.Package{s.pkg}
	if err := run.open(); err != nil {
		return err
	}
	defer run.lock.Close()
	if d := run.cfg.Run.Timeout.V; d > 0 {
		run.deadline = time.Now().Add(d)
	}
	r := &suiteRun{call: run, bin: s.bin}
	r.output.path = filepath.Join(run.root, "output.log")
	run.suites = append(run.suites, r)
	return r.run()
}

// labelOf is the label of a task, which the library escapes.
func labelOf(id string) string {
	var b strings.Builder
	b.WriteString("task:")
	for _, ch := range []byte(strings.TrimSpace(id)) {
		if strings.IndexByte("%&|!,()/{}:\n\r\t", ch) >= 0 {
			fmt.Fprintf(&b, "%%%02X", ch)
		} else {
			b.WriteByte(ch)
		}
	}
	return b.String()
}
