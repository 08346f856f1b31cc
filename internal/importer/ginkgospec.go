package importer

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// spec is one leaf of a report.
type spec struct {
	report *types.SpecReport
	split  record.Split
	task   string
	trial  int
	own    bool // a trial of package evaltest
	entry  *entry
}

// entry is what a trial of package evaltest tells readers of Ginkgo's report.
type entry struct {
	Task   string         `json:"task"`
	Trial  int            `json:"trial"`
	Seed   int64          `json:"seed"`
	Reward stats.Estimate `json:"reward"`
	Status record.Status  `json:"status"`
	Cause  record.Cause   `json:"cause"`
}

func specOf(r *types.SpecReport) spec {
	s := spec{report: r, split: record.Val}
	for _, l := range r.Labels() {
		if split, ok := strings.CutPrefix(l, "split:"); ok && record.Split(split).Valid() {
			s.split = record.Split(split)
		}
		s.own = s.own || l == "capeval"
	}
	s.task = strings.TrimSpace(strings.Join(append(slices.Clone(r.ContainerHierarchyTexts), r.LeafNodeText), " "))
	if s.task == "" {
		s.task = place(r)
	}
	if !s.own {
		return s
	}
	if n := len(r.ContainerHierarchyTexts); n > 0 {
		s.task = r.ContainerHierarchyTexts[n-1]
	}
	_, _ = fmt.Sscanf(r.LeafNodeText, "[trial %d]", &s.trial)
	for _, e := range r.ReportEntries {
		var found entry
		// An entry that came late from another spec names that one, not this.
		if e.Name == "capeval" && json.Unmarshal([]byte(e.Value.AsJSON), &found) == nil && found.Task == s.task && found.Trial == s.trial {
			s.entry = &found
		}
	}
	return s
}

// started reports whether any of the spec's code ran. Ginkgo counts an attempt
// when it begins one.
func (s spec) started() bool { return s.report.NumAttempts > 0 }

// record is the trial that a started spec was.
func (s spec) record(run record.Run) record.Trial {
	t := record.Trial{
		Schema: record.TrialSchema, Suite: run.Suite, Split: run.Split, Arm: run.Arm, Task: s.task, Trial: s.trial, Attempt: 1,
		Seed: int64(s.trial), Seconds: max(s.report.RunTime.Seconds(), 0),
	}
	if !s.report.StartTime.IsZero() {
		t.Started = stamp(s.report.StartTime)
	}
	message := s.report.Failure.Message
	if s.entry != nil {
		t.Seed, t.Reward, t.Status, t.Cause = s.entry.Seed, s.entry.Reward, s.entry.Status, s.entry.Cause
		t.Message = message
		return t
	}
	lost := func(c record.Cause, why string) record.Trial {
		t.Status, t.Cause, t.Message = record.Missing, c, why
		return t
	}
	if s.own { // it ended without a word, so that its reward is not known
		return lost(record.CauseInterrupted, message)
	}
	switch s.report.State {
	case types.SpecStatePassed:
		if n := s.report.NumAttempts; n > 1 && s.report.MaxMustPassRepeatedly < 2 {
			return lost(record.CauseInvalidScore, fmt.Sprintf("passed in attempt %d: retries hide the failures before it", n))
		}
		t.Status, t.Reward = record.Scored, stats.Defined(1)
	case types.SpecStateFailed:
		if before := s.report.Failure.FailureNodeType; before != types.NodeTypeIt && before != types.NodeTypeInvalid {
			if before.Is(types.NodeTypeAfterEach | types.NodeTypeJustAfterEach | types.NodeTypeAfterAll | types.NodeTypeCleanupAfterEach | types.NodeTypeCleanupAfterAll) {
				// The body had passed, and its verdict stands.
				t.Status, t.Reward = record.Scored, stats.Defined(1)
				t.Notes = []string{"a clean-up failed: " + message}
				return t
			}
			return lost(record.CauseSetup, message)
		}
		t.Status, t.Reward, t.Cause, t.Feedback = record.Scored, stats.Defined(0), record.CauseExpectation, message
	case types.SpecStatePanicked:
		return lost(record.CausePanic, message)
	case types.SpecStateTimedout:
		return lost(record.CauseRunner, message)
	case types.SpecStateSkipped:
		return lost(record.CauseSkipped, message)
	default: // interrupted, aborted, and what a later Ginkgo may add
		return lost(record.CauseInterrupted, message)
	}
	return t
}

// tellApart gives specs of one name the place where each was written. Trials of
// package evaltest have names of their own.
func tellApart(specs []spec) error {
	type cell struct {
		split record.Split
		task  string
		trial int
	}
	count := map[cell]int{}
	for _, s := range specs {
		count[cell{s.split, s.task, s.trial}]++
	}
	seen := map[cell]bool{}
	for i := range specs {
		s := &specs[i]
		c := cell{s.split, s.task, s.trial}
		if count[c] > 1 && !s.own {
			s.task += " (" + place(s.report) + ")"
			c.task = s.task
		}
		if seen[c] {
			return fmt.Errorf("found two specs called %q in one place, need names of their own", s.task)
		}
		seen[c] = true
	}
	return nil
}

// place is where a spec was written, without the folder, which differs from
// machine to machine.
func place(r *types.SpecReport) string {
	return filepath.Base(filepath.ToSlash(r.LeafNodeLocation.FileName)) + ":" + strconv.Itoa(r.LeafNodeLocation.LineNumber)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
