package reporter

import (
	"slices"
	"strconv"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/jstemmer/go-junit-report/v2/junit"
)

// taskCase writes the cases of one task.
type taskCase struct {
	writer *junitWriter
	suite  *Suite
	task   *record.TaskResult
	class  string
	name   string
}

// deselected is a task of which no trial was selected.
func (c taskCase) deselected() junit.Testcase {
	const why = "deselected: no trial of the task was selected, so nothing was measured"
	return junit.Testcase{Name: c.name, Classname: c.class, Skipped: &junit.Result{Type: "deselected", Message: why, Data: why}}
}

// whole is the case of the task with all of its trials.
func (c taskCase) whole(row *gate.TaskDecision) junit.Testcase {
	t := c.task
	tc := junit.Testcase{Name: c.name, Classname: c.class}
	facts := c.facts()
	body := c.body(facts)
	switch _, scored := t.Reward.Value(); {
	case !scored && c.skipped():
		tc.Skipped = &junit.Result{Type: string(record.CauseSkipped), Message: facts, Data: body}
	case !scored:
		tc.Error = &junit.Result{Type: c.mostFrequent(), Message: facts, Data: body}
	case row != nil:
		why := "reward " + share(row.Candidate, 3) + ", the baseline's " + share(row.Baseline, 3) + " (" + difference(row.Delta) + ", p " + chance(row.P) + "): this task alone is shown to have got worse; "
		tc.Failure = &junit.Result{Type: "regressed", Message: line(why+facts, maxJUnitMessage), Data: c.body(why + facts)}
	default:
		tc.SystemOut = &junit.Output{Data: body}
	}
	return tc
}

// facts are what a reader must see even where the rest is cut: reward, seeds,
// coverage and causes, in one line.
func (c taskCase) facts() string {
	t := c.task
	b := append(make([]byte, 0, 128), "reward "...)
	b = append(b, share(t.Reward, 3)...)
	if _, ok := t.Stderr.Value(); ok {
		b = append(append(b, ", stderr "...), share(t.Stderr, 3)...)
	}
	if t.NValid == 0 {
		b = append(b, " (missing, which is not 0)"...)
	}
	b = append(append(b, "; seeds "...), seedList(t.Seeds)...)
	b = append(strconv.AppendInt(append(b, "; coverage "...), int64(t.NValid), 10), " of "...)
	b = append(strconv.AppendInt(b, int64(t.NTrials), 10), " trials"...)
	if causes := c.causes(); len(causes) > 0 {
		b = append(append(b, "; causes "...), causeList("", causes)...)
	}
	return line(string(b), maxJUnitMessage)
}

// causes counts the causes of the task's trials, the most frequent first.
func (c taskCase) causes() []CauseCount {
	var cs []CauseCount
	for _, cause := range c.task.Causes {
		if cause == "" {
			continue
		}
		if i := slices.IndexFunc(cs, func(x CauseCount) bool { return x.Cause == cause }); i >= 0 {
			cs[i].N++
		} else {
			cs = append(cs, CauseCount{cause, 1})
		}
	}
	slices.SortStableFunc(cs, func(a, b CauseCount) int { return b.N - a.N })
	return cs
}

// mostFrequent is the type of an error: why most of the trials are missing.
func (c taskCase) mostFrequent() string {
	for _, x := range c.causes() {
		return word(x.Cause)
	}
	return string(record.Missing)
}

// skipped reports whether every trial of the task skipped itself.
func (c taskCase) skipped() bool {
	t := c.task
	return len(t.Causes) == t.NTrials && !slices.ContainsFunc(t.Causes, func(x record.Cause) bool { return x != record.CauseSkipped })
}

// maxTrialLines is how many trials of a task are listed one by one.
const maxTrialLines = 200

// body is the first line, then a line for every trial with what was said about it.
func (c taskCase) body(first string) string {
	t := c.task
	b := append(make([]byte, 0, 256), first...)
	said := 0
	for k := range t.NTrials {
		if at(t.Feedback, k) != "" {
			said++
		}
	}
	if t.NTrials == 1 && said == 0 {
		return string(b)
	}
	limit := max(minJUnitText, (min(c.writer.textLimit, maxJUnitText)-len(b)-4096)/max(said, 1))
	for k := range min(t.NTrials, maxTrialLines) {
		b = append(append(b, '\n'), c.trialLine(k)...)
		if f := at(t.Feedback, k); f != "" {
			b = append(append(b, ":\n"...), c.feedback(f, limit)...)
		}
	}
	if more := t.NTrials - maxTrialLines; more > 0 {
		b = append(strconv.AppendInt(append(b, "\nand "...), int64(more), 10), " more trials"...)
	}
	return c.writer.text(string(b))
}

// feedback is what was said about a trial, clean and cut.
func (c taskCase) feedback(f string, limit int) string {
	f, cut := block(f, limit)
	if cut {
		c.writer.report.Cut++
	}
	return f
}

// trialLine says what came of a trial.
func (c taskCase) trialLine(k int) string {
	b := append(make([]byte, 0, 64), "trial "...)
	b = strconv.AppendInt(b, int64(c.number(k)), 10)
	b = append(append(b, ", seed "...), c.seed(k)...)
	b = append(append(b, ": "...), c.outcome(k)...)
	return string(b)
}

// outcome is the reward of a trial and its cause.
func (c taskCase) outcome(k int) string {
	e := at(c.task.TrialRewards, k)
	s := "reward " + share(e, 3)
	cause := at(c.task.Causes, k)
	if _, ok := e.Value(); !ok {
		if cause == "" {
			return s + " (missing, which is not 0)"
		}
		return s + " (missing: " + word(cause) + ")"
	}
	if cause != "" {
		s += ", " + word(cause)
	}
	return s
}

// trial is the case of one trial.
func (c taskCase) trial(k int) junit.Testcase {
	seed, outcome := c.seed(k), c.outcome(k)
	number := strconv.Itoa(c.number(k))
	tc := junit.Testcase{Name: c.name + " [trial " + number + ", seed " + seed + "]", Classname: c.class}
	facts := outcome + "; seed " + seed + ", trial " + number
	body := facts
	if f := at(c.task.Feedback, k); f != "" {
		body += "\n" + c.feedback(f, max(minJUnitText, c.writer.textLimit-len(facts)-256))
	}
	if _, ok := at(c.task.TrialRewards, k).Value(); ok {
		tc.SystemOut = &junit.Output{Data: body}
		return tc
	}
	cause := at(c.task.Causes, k)
	coverage := "; coverage " + strconv.Itoa(c.task.NValid) + " of " + strconv.Itoa(c.task.NTrials) + " trials of the task"
	res := &junit.Result{Type: orWord(cause), Message: line(facts+coverage, maxJUnitMessage), Data: facts + coverage + body[len(facts):]}
	if cause == record.CauseSkipped {
		tc.Skipped = res
	} else {
		tc.Error = res
	}
	return tc
}

// word is a cause, clean.
func word(cause record.Cause) string { return line(named(string(cause)), maxName) }

func orWord(cause record.Cause) string {
	if cause == "" {
		return string(record.Missing)
	}
	return word(cause)
}

// number is the trial's number. A result says which of its trials were planned
// here by their seeds alone: base seed and number.
func (c taskCase) number(k int) int {
	seeds, run := c.task.Seeds, c.suite.Result.Run
	if len(seeds) != c.task.NTrials || k >= len(seeds) {
		return k
	}
	last := int64(-1)
	for _, s := range seeds {
		n := s - run.BaseSeed
		if n <= last || n >= int64(max(run.Trials, len(seeds))) {
			return k
		}
		last = n
	}
	return int(seeds[k] - run.BaseSeed)
}

func (c taskCase) seed(k int) string {
	if k >= len(c.task.Seeds) {
		return "-"
	}
	return strconv.FormatInt(c.task.Seeds[k], 10)
}

// seedList prints seeds, those in a row as their ends.
func seedList(seeds []int64) string {
	if len(seeds) == 0 {
		return "-"
	}
	var b []byte
	for i := 0; i < len(seeds); {
		end := i
		for end+1 < len(seeds) && seeds[end+1] == seeds[end]+1 {
			end++
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		if len(b) > 120 {
			return string(append(b, "..."...))
		}
		b = strconv.AppendInt(b, seeds[i], 10)
		if end > i {
			b = strconv.AppendInt(append(b, ".."...), seeds[end], 10)
		}
		i = end + 1
	}
	return string(b)
}

// at returns the k-th of a list that may be shorter.
func at[T any](list []T, k int) (v T) {
	if k < len(list) {
		v = list[k]
	}
	return v
}
