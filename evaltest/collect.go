package evaltest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// collected is what the first process knows once every trial has ended.
type collected struct {
	dir     rundir.Dir
	result  record.SplitResult
	outcome rundir.Outcome
	skip    string // why no AfterSplit runs, "" when they do
}

// collect runs in the first process after all others have reported, before every
// AfterSplit: the result is the plan less the journal.
func (s *suite) collect(report ginkgo.Report) {
	if report.SuiteConfig.DryRun || s.refused {
		return
	}
	if s.live == nil {
		if len(s.reg.tasks) > 0 && report.PreRunStats.SpecsThatWillRun == 0 {
			ginkgo.Fail(s.nothing())
		}
		return
	}
	s.setCurrent(nil)
	l := s.live
	l.stopPool()
	l.writing.Wait()
	s.dismiss()

	c := &collected{dir: l.dir, outcome: rundir.Outcome{Stopped: stopReason(report, l)}}
	run := l.run
	s.readSpecs(report, c, &run)
	l.write(l.rollout.Close())
	l.write(l.journal.Close())
	run.Ended = time.Now().UTC().Format(time.RFC3339)
	run.Stopped = c.outcome.Stopped
	l.write(l.dir.WriteRun(run))
	var result record.SplitResult
	var err error
	if l.broke == nil {
		result, err = l.dir.Settle(record.Options{})
	}
	if l.broke != nil {
		c.skip = "records could not be written"
		s.collected = c
		_ = l.dir.WriteRefusal(rundir.Refusal{Exit: exitInfra, Code: "io", Message: l.broke.Error()})
		ginkgo.Fail(fmt.Sprintf("capeval lost records of this run, so it measured nothing that can be trusted: %v\nneeded: a run directory that can be written; make room or choose another with --out", l.broke))
	}
	if err == nil {
		err = l.dir.WriteResult(result)
	}
	if err != nil {
		c.skip = "the records could not be summarised"
		s.collected = c
		_ = l.dir.WriteRefusal(rundir.Refusal{Exit: exitIntegrity, Code: "records", Message: err.Error()})
		ginkgo.Fail(fmt.Sprintf("capeval cannot summarise the records of this run: %v", err))
	}
	c.result = result
	c.skip, c.outcome.AfterSplitDeferred = s.skipAfterSplit(run, result)
	s.collected = c
	if err := l.dir.WriteOutcome(c.outcome); err != nil {
		ginkgo.Fail(err.Error())
	}
	if !s.settings.passes.quiet {
		s.mu.Lock()
		late := s.late // a body that was left behind may still call
		s.mu.Unlock()
		fmt.Print(summary(result, run, l.root, late))
	}
	if c.outcome.AfterSplitDeferred {
		return
	}
	if result.NCells > 0 && result.NMissing == result.NCells || result.NCells == 0 && report.PreRunStats.SpecsThatWillRun == 0 {
		ginkgo.Fail(s.nothing())
	}
}

// nothing is the failure of a run in which nothing was measured.
func (s *suite) nothing() string {
	text := "capeval: nothing was measured, and that is not a pass"
	if s.live != nil && s.collected != nil {
		r := s.collected.result
		if r.NCells > 0 {
			return fmt.Sprintf("%s: all %d cells are missing %s", text, r.NCells, causes(r))
		}
		return text + ": the selection holds no trial"
	}
	var have []string
	for _, split := range []record.Split{record.Train, record.Val} {
		if n := len(s.reg.of(split)); n > 0 {
			have = append(have, fmt.Sprintf("%d %s tasks", n, split))
		}
	}
	if n := s.reg.sealed(); n > 0 {
		have = append(have, fmt.Sprintf("%d sealed test tasks, which were not built", n))
	}
	return fmt.Sprintf("%s: split %s has no task (declared: %s); need tasks with the decorator Val, or choose --split train", text, s.settings.split(), strings.Join(have, ", "))
}

// stopReason says why trials stopped being started.
func stopReason(report ginkgo.Report, l *live) string {
	l.mu.Lock()
	stop := l.stop
	l.mu.Unlock()
	if stop != "" {
		return stop
	}
	for _, spec := range report.SpecReports {
		reason, budget := strings.CutPrefix(spec.Failure.Message, notStarted+": ")
		switch {
		case budget: // perhaps in another process
			return reason
		case spec.State == types.SpecStateInterrupted:
			return "interrupted"
		case spec.State == types.SpecStateAborted:
			return "aborted"
		case spec.LeafNodeType.Is(types.NodeTypeBeforeSuite|types.NodeTypeSynchronizedBeforeSuite) && spec.State.Is(types.SpecStateFailureStates):
			return "BeforeSuite failed"
		case spec.LeafNodeType.Is(types.NodeTypeBeforeSuite|types.NodeTypeSynchronizedBeforeSuite) && spec.State == types.SpecStateSkipped:
			return "BeforeSuite was skipped"
		}
	}
	for _, reason := range report.SpecialSuiteFailureReasons {
		if reason == "Suite Timeout Elapsed" {
			return "suite timeout"
		}
		if strings.Contains(reason, "nterrupt") {
			return "interrupted"
		}
	}
	if report.SuiteConfig.FailFast && !report.SuiteSucceeded {
		return "--fail-fast"
	}
	return ""
}

// readSpecs learns from Ginkgo's report what no trial could write itself: which
// cells a selection left out, which were skipped because a hook shared by
// several specs failed, and how ordinary specs ended.
func (s *suite) readSpecs(report ginkgo.Report, c *collected, run *record.Run) {
	left := map[record.Cell]bool{}
	var lost []lostSpec // by Ginkgo, perhaps before they could write a record
	for _, spec := range report.SpecReports {
		red := spec.State.Is(types.SpecStateFailureStates)
		if red {
			c.outcome.SpecsRed++
		}
		cell := s.cellOf(spec)
		if cell == nil {
			if red {
				c.outcome.OrdinaryFailed++
			}
			continue
		}
		message := spec.Failure.Message
		skipped := spec.State == types.SpecStateSkipped
		switch {
		case spec.State == types.SpecStatePending, skipped && message == "" && c.outcome.Stopped == "":
			left[cell.key()] = true
		case strings.HasPrefix(message, notGranted): // never began, so it is not_started
		case red, skipped && message != "" && !strings.HasPrefix(message, notStarted) && !strings.HasPrefix(message, skippedMissing):
			l := lostSpec{cell, record.CauseSetup, message}
			if spec.State.Is(types.SpecStateInterrupted | types.SpecStateAborted) {
				l.cause = record.CauseInterrupted
			}
			lost = append(lost, l)
		}
	}
	s.recordLost(lost)
	if s.settings.todo != nil {
		return // a further pass builds only what it runs; the selection is the first pass's
	}
	run.Plan = slices.Clone(run.Plan)
	exact := c.outcome.Stopped == "" // what never came before a stop was perhaps only late
	if exact {
		run.Subset = false
	}
	for i := range run.Plan {
		p := &run.Plan[i]
		foreseen := p.Deselected
		p.Deselected = nil
		for k := range p.Trials {
			if left[record.Cell{Task: p.Task, Trial: k}] || !exact && slices.Contains(foreseen, k) {
				p.Deselected = append(p.Deselected, k)
				run.Subset = true
			}
		}
	}
}

// lostSpec is a trial whose spec Ginkgo ended for a reason of its own.
type lostSpec struct {
	cell    *cell
	cause   record.Cause
	message string
}

// recordLost writes a record for those that have none: their specs were skipped
// before they could begin, because a hook that they share had failed, or were
// interrupted between their stages.
func (s *suite) recordLost(lost []lostSpec) {
	if len(lost) == 0 {
		return
	}
	trials, _, err := s.live.dir.ReadJournal()
	s.live.write(err)
	type attempt struct {
		record.Cell
		number int
	}
	had := map[attempt]bool{}
	for _, t := range trials {
		had[attempt{record.Cell{Task: t.Task, Trial: t.Trial}, t.Attempt}] = true
	}
	for _, l := range lost {
		if had[attempt{l.cell.key(), l.cell.attempt}] {
			continue
		}
		t := l.cell.trial // what this process knows of it, which may still be ending
		if t == nil {
			t = s.start(l.cell)
		}
		t.mu.Lock()
		t.lose(l.cause, l.message)
		t.mu.Unlock()
		s.finish(t, true)
	}
}

// skipAfterSplit says why the assertions about the split do not run now.
func (s *suite) skipAfterSplit(run record.Run, result record.SplitResult) (why string, deferred bool) {
	switch {
	case run.Subset:
		return "the run is a subset", false
	case run.Shard != nil:
		return fmt.Sprintf("the run is shard %d of %d: the merged run is judged", run.Shard.Index, run.Shard.Count), false
	case result.NMissing > 0 && s.settings.passes.retries > 0 && run.Stopped == "":
		return "missing trials are tried again", true
	}
	return "", false
}

// dismiss removes the note by which the processes of one run found each other.
func (s *suite) dismiss() {
	if path := s.invitation(); path != "" {
		_ = os.Remove(path)
	}
}

func causes(r record.SplitResult) string {
	var parts []string
	for _, cause := range sortedCauses(r) {
		if cause.Missing() {
			parts = append(parts, fmt.Sprintf("%s %d", cause, r.ByCause[cause]))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
