package record

import (
	"fmt"
	"io"
	"math"

	"github.com/capeval/capeval/stats"
)

// WriteResult writes r as indented JSON that ReadResult reads back. Arrays and
// objects without members are [] and {}, never null. An empty Schema is filled
// in. Equal results give equal bytes.
func WriteResult(w io.Writer, r SplitResult) error {
	r.Schema = ResultSchema
	r.fillEmpty()
	if err := r.check(); err != nil {
		return fmt.Errorf("record: result: %w", err)
	}
	return writeJSON(w, r)
}

// ReadResult reads what WriteResult wrote. It refuses another schema, and a
// result whose numbers do not follow from its tasks: counts, coverage, reward,
// bounds and causes. Keys that it does not know are passed over.
func ReadResult(r io.Reader, name string) (SplitResult, error) {
	var res SplitResult
	if err := readJSON(r, name, ResultSchema, &res); err != nil {
		return SplitResult{}, err
	}
	res.fillEmpty()
	if err := res.check(); err != nil {
		return SplitResult{}, fmt.Errorf("%s: %w", name, err)
	}
	return res, nil
}

// fillEmpty makes lists and maps that are nil empty, in copies.
func (r *SplitResult) fillEmpty() {
	if r.PassHatK == nil {
		r.PassHatK = map[int]stats.Estimate{}
	}
	if r.PassAtK == nil {
		r.PassAtK = map[int]stats.Estimate{}
	}
	if r.ByCause == nil {
		r.ByCause = map[Cause]int{}
	}
	if r.Warnings == nil {
		r.Warnings = []Warning{}
	}
	r.PerTask = append([]TaskResult{}, r.PerTask...)
	for i := range r.PerTask {
		t := &r.PerTask[i]
		t.TrialRewards, t.Seeds, t.Attempts = some(t.TrialRewards), some(t.Seeds), some(t.Attempts)
		t.Causes, t.OutputDigests, t.Feedback = some(t.Causes), some(t.OutputDigests), some(t.Feedback)
	}
}

func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// check refuses a result that contradicts itself.
func (r *SplitResult) check() error {
	switch {
	case r.Suite == "":
		return fmt.Errorf("found an empty suite, need its name")
	case !r.Split.Valid():
		return fmt.Errorf("found split %q, need train, val or test", clip(string(r.Split)))
	case r.Arm == "":
		return fmt.Errorf("found an empty arm, need its name")
	case !(r.PassThreshold >= 0 && r.PassThreshold <= 1):
		return fmt.Errorf("found pass_threshold %v, need a number from 0 to 1", r.PassThreshold)
	case !(r.CI.Level > 0 && r.CI.Level < 1):
		return fmt.Errorf("found ci.level %v, need a number between 0 and 1", r.CI.Level)
	case r.CI.Low.Defined() != r.CI.High.Defined():
		return fmt.Errorf("found ci.low %s with ci.high %s, need both or neither", orNull(r.CI.Low), orNull(r.CI.High))
	}
	rewards := make([][]float64, len(r.PerTask))
	declared := make([]int, len(r.PerTask))
	byCause := map[Cause]int{}
	for i := range r.PerTask {
		t := &r.PerTask[i]
		if i > 0 && t.Task <= r.PerTask[i-1].Task {
			return fmt.Errorf("per_task[%d]: found task %q after %q, need every task once, sorted", i, clip(t.Task), clip(r.PerTask[i-1].Task))
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("per_task[%d], task %q: %w", i, clip(t.Task), err)
		}
		rewards[i], declared[i] = t.validRewards(), t.NTrials
		for _, c := range t.Causes {
			if c != "" {
				byCause[c]++
			}
		}
	}
	if err := sameCounts(r.ByCause, byCause); err != nil {
		return err
	}
	return r.recount(rewards, declared)
}

// recount compares what r says with what its tasks give.
func (r *SplitResult) recount(rewards [][]float64, declared []int) error {
	var want SplitResult
	want.PerTask = make([]TaskResult, len(r.PerTask))
	want.count(stats.Summarize(rewards), rewards, declared)
	for _, n := range [...]struct {
		name      string
		got, want int
	}{
		{"n_tasks", r.NTasks, want.NTasks}, {"n_scored", r.NScored, want.NScored},
		{"n_cells", r.NCells, want.NCells}, {"n_missing", r.NMissing, want.NMissing},
	} {
		if n.got != n.want {
			return fmt.Errorf("found %s %d, need %d as per_task has it", n.name, n.got, n.want)
		}
	}
	for _, e := range [...]struct {
		name      string
		got, want stats.Estimate
	}{
		{"reward", r.Reward, want.Reward}, {"coverage", r.Coverage, want.Coverage}, {"cell_coverage", r.CellCoverage, want.CellCoverage},
		{"bounds.low", r.Bounds.Low, want.Bounds.Low}, {"bounds.high", r.Bounds.High, want.Bounds.High},
	} {
		if !near(e.got, e.want) {
			return fmt.Errorf("found %s %s, need %s as per_task has it", e.name, orNull(e.got), orNull(e.want))
		}
	}
	for i := range want.PerTask {
		if got, want := r.PerTask[i].Reward, want.PerTask[i].Reward; !near(got, want) {
			return fmt.Errorf("per_task[%d], task %q: found reward %s, need %s as its trials have it", i, clip(r.PerTask[i].Task), orNull(got), orNull(want))
		}
	}
	return nil
}

func (t *TaskResult) check() error {
	if t.NTrials < 1 {
		return fmt.Errorf("found n_trials %d, need 1 or more", t.NTrials)
	}
	for _, l := range [...]struct {
		name string
		n    int
	}{
		{"trial_rewards", len(t.TrialRewards)}, {"seeds", len(t.Seeds)}, {"causes", len(t.Causes)},
		{"output_digests", len(t.OutputDigests)}, {"feedback", len(t.Feedback)}, {"attempts", len(t.Attempts)},
	} {
		if l.n != t.NTrials {
			return fmt.Errorf("found %d entries in %s, need %d as n_trials says", l.n, l.name, t.NTrials)
		}
	}
	valid := 0
	for k, e := range t.TrialRewards {
		c := t.Causes[k]
		v, ok := e.Value()
		switch {
		case ok && !(v >= 0 && v <= 1):
			return fmt.Errorf("found trial_rewards[%d] %v, need a number from 0 to 1", k, v)
		case ok && c != "" && !c.Agent():
			return fmt.Errorf("found causes[%d] %q with a reward, need none or one of %s", k, clip(string(c)), causeList(Cause.Agent))
		case ok && c != "" && v != 0:
			return fmt.Errorf("found causes[%d] %q with reward %v, need reward 0", k, c, v)
		case !ok && !c.Missing():
			return fmt.Errorf("found causes[%d] %q without a reward, need one of %s", k, clip(string(c)), causeList(Cause.Missing))
		case ok:
			valid++
		}
	}
	if t.NValid != valid {
		return fmt.Errorf("found n_valid %d, need %d as trial_rewards has it", t.NValid, valid)
	}
	return nil
}

func sameCounts(got, want map[Cause]int) error {
	for _, c := range causes() {
		if c != "" && got[c] != want[c] {
			return fmt.Errorf("found by_cause %s %d, need %d as per_task has it", c, got[c], want[c])
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("found %d causes in by_cause, need the %d of per_task", len(got), len(want))
	}
	return nil
}

// near reports whether two numbers are the same but for rounding.
func near(a, b stats.Estimate) bool {
	x, okx := a.Value()
	y, oky := b.Value()
	return okx == oky && math.Abs(x-y) <= 1e-9
}

func orNull(e stats.Estimate) string {
	if !e.Defined() {
		return "null"
	}
	return e.String()
}
