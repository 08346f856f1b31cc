package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/cli/progress"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// suiteRun is the run of one package's suite: one pass or several.
type suiteRun struct {
	call *call
	bin  gotest.Binary

	dir     rundir.Dir // zero while there is no folder
	found   bool       // there is a folder
	refusal *rundir.Refusal
	outcome *rundir.Outcome // of the last pass; nil when it did not come to its end
	exit    gotest.Exit     // of the last pass
	ran     bool            // some pass ran
	late    bool            // the time was over before it began
	died    string          // which process died, "" when none did
	red     bool            // an ordinary spec or test failed, in any pass
	output  outputLog
	short   bool   // its plan was shortened, so that no pass can follow
	grant   string // the path of the grant of a sealed run, "" elsewhere
	round   string // the trials of a first pass, such as 0-1; "" is all of them

	result    record.SplitResult
	hasResult bool
	resultErr error
}

func (r *suiteRun) pkg() string { return r.bin.Package.ImportPath }

// run runs the suite until its plan is through and missing trials were tried
// again as often as asked. An error is one of the command, not of the suite.
func (r *suiteRun) run() error {
	s := r.call
	r.dir, r.found = suiteOf(s.root, r.bin.Package)
	if s.signals.code() != exitOK {
		r.summarise() // of an earlier call, if any
		return nil
	}
	todo, left, through, err := r.begin()
	if err != nil {
		return err
	}
	for !through {
		if err := r.pass(todo, left); err != nil {
			return err
		}
		if through = left == 0 || !r.mayGoOn(); through {
			break
		}
		next, err := r.dir.Todo(true)
		if err != nil {
			return withCode(exitIntegrity, err)
		}
		if through = len(next) == 0; !through {
			left--
			todo = next
			s.say("%s: %d missing trials are tried again", r.dir.Name, len(next))
		}
	}
	if err := r.owedAssertions(); err != nil {
		return err
	}
	r.summarise()
	if s.flags.saveBaseline != "" && r.noBaseline() == "" {
		return withCode(exitInfra, r.saveBaseline())
	}
	return nil
}

// begin returns what the first pass runs (nil is the whole plan), how many
// passes may follow it, and whether there is nothing to do at all.
func (r *suiteRun) begin() (todo []rundir.Pending, left int, through bool, err error) {
	left = r.call.cfg.Run.RetryMissing.V
	if !r.found {
		return nil, left, false, nil
	}
	run, err := r.dir.ReadRun()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, left, false, nil // claimed, and stopped before its plan
	}
	if err == nil {
		err = r.call.samePlan(run)
	}
	if err != nil {
		return nil, 0, false, withCode(exitIntegrity, err)
	}
	if todo, err = r.dir.Todo(false); err != nil || len(todo) > 0 {
		return todo, left, false, withCode(exitIntegrity, err)
	}
	if left > 0 {
		again, err := r.dir.Todo(true)
		if err != nil || len(again) > 0 {
			return again, left - 1, false, withCode(exitIntegrity, err)
		}
	}
	outcome, ended, err := r.dir.ReadOutcome()
	if err != nil {
		return nil, 0, false, withCode(exitIntegrity, err)
	}
	if ended && !outcome.AfterSplitDeferred && slices.Contains(r.call.written.Ended, r.pkg()) {
		r.outcome = &outcome
		r.red = outcome.OrdinaryFailed > 0
		r.call.say("%s: the run is complete, nothing is left to do", r.dir.Name)
		return nil, 0, true, nil
	}
	return todo, 0, false, nil // every trial has ended, its assertions have not
}

// mayGoOn reports whether a further pass makes sense.
func (r *suiteRun) mayGoOn() bool {
	return r.call.signals.code() == exitOK && r.refusal == nil && r.found && !r.call.over() &&
		(r.outcome == nil || r.outcome.Stopped == "")
}

// owedAssertions runs the assertions of AfterSplit alone where a pass put them
// off for one that cannot come any more.
func (r *suiteRun) owedAssertions() error {
	if r.short && r.outcome != nil && r.outcome.AfterSplitDeferred {
		r.call.say("%s: the assertions about the split are not made: they are about the whole plan", r.dir.Name)
		return nil
	}
	if r.outcome == nil || !r.outcome.AfterSplitDeferred || r.refusal != nil || r.call.signals.code() != exitOK {
		return nil
	}
	r.call.deadline = time.Time{}
	return r.pass([]rundir.Pending{}, 0)
}

// hangs is how long after the end of its time a suite is killed. Ginkgo itself
// waits up to half a minute for a node that was interrupted, and then cleans up.
const hangs = 2 * time.Minute

// over reports whether the time of the whole run is over.
func (s *call) over() bool { return !s.deadline.IsZero() && time.Until(s.deadline) <= 0 }

// pass runs the suite once: the whole plan, or the cells of todo.
func (r *suiteRun) pass(todo []rundir.Pending, left int) error {
	s := r.call
	if s.over() {
		r.late = !r.ran
		return nil
	}
	var earlier *rundir.Outcome
	if todo != nil {
		if was, ok, err := r.dir.ReadOutcome(); err == nil && ok {
			earlier = &was
		}
		if err := errors.Join(r.dir.Reset(), r.dir.WriteTodo(todo)); err != nil {
			return err
		}
	}
	if err := r.output.open(); err != nil {
		return err
	}
	defer r.output.close()
	if err := s.markEnded(r.pkg(), false); err != nil {
		return err
	}
	before := refusals(s.root)
	job := gotest.Job{
		Env: s.environ(r, todo != nil, left), Output: r.output.file, Procs: s.cfg.Run.Procs.V,
		LabelFilter: s.command.LabelFilter, Focus: s.command.Focus, Verbose: s.flags.verbose,
	}
	if !s.deadline.IsZero() {
		job.Timeout = max(time.Until(s.deadline).Round(time.Millisecond), time.Millisecond)
	}
	s.say("running %s%s", r.pkg(), r.how(todo))
	process, err := s.bench.Start(r.bin, job)
	if err != nil {
		return err
	}
	stop := r.watch(todo)
	s.signals.forward(process)
	if !s.deadline.IsZero() { // Ginkgo ends the suite at its timeout, unless something hangs
		last := time.AfterFunc(time.Until(s.deadline)+hangs, process.Kill)
		defer last.Stop()
	}
	r.exit, r.ran = process.Wait(), true
	s.signals.forward(nil)
	stop()
	if err := r.after(before); err != nil {
		return err
	}
	if r.refusal != nil && todo != nil {
		return r.undo(earlier)
	}
	return s.markEnded(r.pkg(), r.outcome != nil && r.died == "")
}

// undo leaves the folder of a further pass that was refused as the pass found
// it: a later one goes on from there.
func (r *suiteRun) undo(earlier *rundir.Outcome) error {
	if err := os.Remove(filepath.Join(r.dir.Path, "todo.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if earlier == nil || r.outcome != nil {
		return nil
	}
	return r.dir.WriteOutcome(*earlier)
}

func (r *suiteRun) how(todo []rundir.Pending) string {
	switch procs := r.call.cfg.Run.Procs.V; {
	case todo != nil && len(todo) == 0:
		return ": assertions alone"
	case todo != nil:
		return fmt.Sprintf(": %d cells are left", len(todo))
	case procs > 1:
		return fmt.Sprintf(" in %d processes", procs)
	}
	return ""
}

// watch shows progress, and the output where it is wanted.
func (r *suiteRun) watch(todo []rundir.Pending) (stop func()) {
	s := r.call
	_, tty := terminal(s.std.Err)
	w := progress.Watch{
		Find: func() (rundir.Dir, bool) {
			if r.found {
				return r.dir, true
			}
			return suiteOf(s.root, r.bin.Package)
		},
		Todo: todo, Clock: time.Now,
	}
	stopView := w.Start(progress.NewDisplay(s.std.Err, tty && !s.flags.verbose))
	if !s.flags.verbose {
		return stopView
	}
	stopCopy := r.output.follow(s.std.Err)
	return func() { stopCopy(); stopView() }
}

// after takes in what a pass left behind.
func (r *suiteRun) after(before map[string]string) error {
	s := r.call
	r.dir, r.found = suiteOf(s.root, r.bin.Package)
	r.refusal, r.outcome, r.died = nil, nil, ""
	for path, text := range refusals(s.root) {
		if before[path] == text {
			continue
		}
		d := rundir.Dir{Path: filepath.Dir(path)}
		refusal, ok, err := d.ReadRefusal()
		if err != nil || !ok {
			return errors.Join(fmt.Errorf("%s cannot be read", path), err)
		}
		r.refusal = &refusal
		if packageOf(d) != "" && !owns(r.bin.Package, d) {
			if err := os.Remove(path); err != nil { // it speaks of us and lies in another suite's folder
				return err
			}
		}
	}
	if !r.found {
		return nil
	}
	outcome, ended, err := r.dir.ReadOutcome()
	switch {
	case err != nil:
		return withCode(exitIntegrity, err)
	case ended:
		r.outcome = &outcome
		r.red = r.red || outcome.OrdinaryFailed > 0
		if !orderly(r.exit) {
			r.died = fmt.Sprintf("the test process of %s died after its trials, before its assertions were through (%s)", r.pkg(), r.exit.State)
		}
		return nil
	case r.refusal != nil:
		return nil
	}
	return r.bury()
}

// orderly reports whether a test process ended by itself, green or red. Ginkgo's
// own code says that something has programmatic focus.
func orderly(e gotest.Exit) bool {
	return e.Code == 0 || e.Code == 1 || e.Code == types.GINKGO_FOCUS_EXIT_CODE
}

// bury finishes the records of a pass whose processes died before the library
// could.
func (r *suiteRun) bury() error {
	if _, err := r.dir.ReadRun(); err != nil {
		r.died = fmt.Sprintf("the test process of %s ended before its first trial (%s)", r.pkg(), r.exit.State)
		return nil
	}
	r.died = r.whoDied()
	if err := r.dir.Finish(); err != nil {
		return withCode(exitIntegrity, err)
	}
	result, err := r.dir.Result(record.Options{})
	if err != nil {
		return withCode(exitIntegrity, err)
	}
	return r.dir.WriteResult(result)
}

// summarise computes the result afresh: the plan less the journal.
func (r *suiteRun) summarise() {
	if !r.found {
		return
	}
	result, err := r.dir.Result(record.Options{})
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		r.resultErr = err
	default:
		r.result, r.hasResult = result, true
	}
}
