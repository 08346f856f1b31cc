package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/capeval/capeval/stats"
)

// Summarize returns the summary of trials under the plan of run: plan minus
// journal. A planned cell without a record is missing, not_started. Cells that
// the plan lists as deselected or elsewhere are outside every count. Where
// there is no plan, PlanOf makes one.
//
// It refuses records outside the plan, and records that contradict each other.
// The order of trials does not show in the result.
func Summarize(run Run, trials []Trial, o Options) (SplitResult, error) {
	s := NewSummarizer(&run, o)
	for i := range trials {
		if err := s.Add(trials[i]); err != nil {
			return SplitResult{}, err
		}
	}
	return s.Result()
}

// Result returns the summary of what s has seen. It may be called again after
// further records.
func (s *Summarizer) Result() (SplitResult, error) {
	if s.err != nil {
		return SplitResult{}, s.err
	}
	if !s.planned && !s.keyed {
		return SplitResult{}, fmt.Errorf("record: found no trial and no plan, need one of them to know what was measured")
	}
	t := table{s: s}
	if err := t.fill(); err != nil {
		return SplitResult{}, err
	}
	return t.result(), nil
}

// table is the task by trial table of a split, in the making.
type table struct {
	s        *Summarizer
	rows     []TaskResult
	rewards  [][]float64 // of the valid trials, one slice a task
	declared []int
	subset   bool
	causes   [15]int
	noted    int
	cached   int
	costs    costs
}

// fill makes the rows, sorted by task.
func (t *table) fill() error {
	s := t.s
	order := make([]int32, s.tasks.n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(s.tasks.at(int(a)).name, s.tasks.at(int(b)).name) })
	columns := cells{left: s.countCells()}
	var scratch, trials []int32
	t.rows = make([]TaskResult, 0, len(order))
	t.rewards = make([][]float64, 0, len(order))
	t.declared = make([]int, 0, len(order))
	for _, i := range order {
		task := s.tasks.at(int(i))
		scratch = scratch[:0]
		for at := task.head; at > 0; at = s.rows.at(int(at - 1)).next {
			scratch = append(scratch, at-1)
		}
		slices.SortFunc(scratch, func(a, b int32) int {
			return cmp.Or(cmp.Compare(s.rows.at(int(a)).trial, s.rows.at(int(b)).trial), cmp.Compare(a, b))
		})
		trials = s.cellsOf(task, scratch, trials[:0])
		if s.planned {
			t.subset = t.subset || len(s.run.Plan[task.plan].Deselected) > 0
		}
		if len(trials) == 0 {
			continue
		}
		row := columns.task(len(trials))
		valid := cut(&columns.valid, len(trials))[:0]
		row.Task, row.Cluster, row.ContentDigest = task.name, task.cluster, task.content
		for k, trial := range trials {
			end := 0
			for end < len(scratch) && s.rows.at(int(scratch[end])).trial == trial {
				end++
			}
			at, err := t.pick(task, scratch[:end])
			if err != nil {
				return err
			}
			scratch = scratch[end:]
			t.cell(&row, k, trial, at)
			if at >= 0 && s.rows.at(at).is(rowScored) {
				valid = append(valid, s.rows.at(at).reward)
			}
		}
		row.NTrials, row.NValid = len(trials), len(valid)
		t.rows = append(t.rows, row)
		t.rewards = append(t.rewards, valid)
		t.declared = append(t.declared, len(trials))
	}
	t.costs = s.costs
	for _, l := range s.late {
		if !s.rows.at(l.row).is(rowAgain) {
			t.costs.add(l)
		}
	}
	return nil
}

// countCells returns an upper bound of the number of cells.
func (s *Summarizer) countCells() int {
	if !s.planned {
		return s.rows.n
	}
	n := 0
	for i := range s.run.Plan {
		p := &s.run.Plan[i]
		n += p.Trials - len(p.Deselected) - len(p.Elsewhere)
	}
	return max(n, 0)
}

// cellsOf returns the trials of a task that are declared here.
func (s *Summarizer) cellsOf(task *taskRows, sorted, out []int32) []int32 {
	if s.planned {
		return s.run.Plan[task.plan].cells(out)
	}
	for i, at := range sorted {
		if trial := s.rows.at(int(at)).trial; i == 0 || trial != s.rows.at(int(sorted[i-1])).trial {
			out = append(out, trial)
		}
	}
	return out
}

// pick returns the row that counts among those of a cell, or -1, and marks the
// rows that repeat another.
func (t *table) pick(task *taskRows, rows []int32) (int, error) {
	if len(rows) == 0 {
		return -1, nil
	}
	at := int(rows[0])
	if len(rows) > 1 {
		as := make([]attempt, len(rows))
		for i, at := range rows {
			r := t.s.rows.at(int(at))
			r.flags &^= rowAgain
			as[i] = attempt{number: int(r.attempt), scored: r.is(rowScored), open: r.is(rowOpen), hash: r.hash, index: int(at)}
		}
		slices.SortFunc(as, attempt.order)
		a, bad := choose(as, func(index int) { t.s.rows.at(index).flags |= rowAgain })
		if bad != nil {
			return 0, bad.error(task.name, int(t.s.rows.at(at).trial), func(i int) string {
				r := t.s.rows.at(i)
				return t.s.where(r.file, int(r.line))
			})
		}
		at = a.index
	}
	return at, nil
}

// cell enters the k-th cell of a task. Without a row it never started.
func (t *table) cell(row *TaskResult, k int, trial int32, at int) {
	if at < 0 {
		row.Seeds[k] = t.s.run.BaseSeed + int64(trial)
		row.Causes[k] = CauseNotStarted
		t.causes[causeCode(string(CauseNotStarted))]++
		return
	}
	r := t.s.rows.at(at)
	row.Seeds[k], row.Attempts[k] = r.seed, int(r.attempt)
	row.Causes[k] = causes()[r.cause]
	row.OutputDigests[k] = t.s.digests.at(r.digest)
	row.Feedback[k] = t.s.feedback.at(r.feedback)
	t.causes[r.cause]++
	if r.is(rowNoted) {
		t.noted++
	}
	if r.is(rowScored) {
		row.TrialRewards[k] = stats.Defined(r.reward)
		if r.is(rowCached) {
			t.cached++
		}
	}
}

// cells hands out the columns of task rows, cut from pieces that are neither
// many nor so large that memory in use cannot take them.
type cells struct {
	left     int // cells not yet handed out, at most
	rewards  []stats.Estimate
	seeds    []int64
	attempts []int
	causes   []Cause
	digests  []string
	feedback []string
	valid    []float64
}

const cellsPerPiece = 4096

func (c *cells) task(n int) TaskResult {
	if len(c.rewards) < n {
		size := max(n, min(c.left, cellsPerPiece))
		c.rewards, c.seeds, c.attempts = make([]stats.Estimate, size), make([]int64, size), make([]int, size)
		c.causes, c.digests, c.feedback = make([]Cause, size), make([]string, size), make([]string, size)
		c.valid = make([]float64, size)
	}
	c.left -= n
	return TaskResult{
		TrialRewards: cut(&c.rewards, n), Seeds: cut(&c.seeds, n), Attempts: cut(&c.attempts, n),
		Causes: cut(&c.causes, n), OutputDigests: cut(&c.digests, n), Feedback: cut(&c.feedback, n),
	}
}

// cut takes the first n of list off it.
func cut[T any](list *[]T, n int) []T {
	head := (*list)[:n:n]
	*list = (*list)[n:]
	return head
}

// result computes the numbers.
func (t *table) result() SplitResult {
	run, o := t.s.run, t.s.o
	r := SplitResult{
		Schema: ResultSchema, Suite: run.Suite, Split: run.Split, Arm: run.Arm,
		PassThreshold: o.threshold(run), Subset: run.Subset || t.subset, ScorerDigest: run.ScorerDigest,
		NCached: t.cached, Totals: Totals{Seconds: t.costs.seconds.value(), CostUSD: t.costs.usd.value(), Tokens: t.costs.tokens.value()},
		ByCause: map[Cause]int{}, Warnings: []Warning{}, PerTask: t.rows,
		Run: RunInfo{
			ID: run.ID, BaseSeed: run.BaseSeed, Trials: run.Trials, Workers: run.Workers, Procs: run.Procs, Shard: run.Shard,
			Commit: run.Git.Commit, Dirty: run.Git.Dirty, Started: run.Started, Ended: run.Ended, Dry: run.Dry,
		},
	}
	if !t.s.planned {
		r.Run.ID, r.Run.BaseSeed = t.s.ids.value(), t.s.seeds.value()
		for _, n := range t.declared {
			r.Run.Trials = max(r.Run.Trials, n)
		}
	}
	for code, n := range t.causes {
		if code > 0 && n > 0 {
			r.ByCause[causes()[code]] = n
		}
	}
	sum := stats.Summarize(t.rewards)
	r.count(sum, t.rewards, t.declared)
	if r.NScored >= 2 {
		r.Stderr = sum.Combined
	}
	r.StderrBetween, r.StderrWithin = sum.Between, sum.Within
	t.spread(&r, sum, o.confidence())
	r.PassHatK, r.PassAtK = map[int]stats.Estimate{}, map[int]stats.Estimate{}
	for _, k := range o.ks(sum.MinValid) {
		r.PassHatK[k] = stats.SplitPassHat(t.rewards, k, r.PassThreshold)
		r.PassAtK[k] = stats.SplitPassAt(t.rewards, k, r.PassThreshold)
	}
	for i := range r.PerTask {
		r.PerTask[i].Stderr = stats.Stderr(t.rewards[i])
	}
	r.warn(sum, t.noted)
	return r
}

// count fills in what follows from counting and from means alone.
func (r *SplitResult) count(sum stats.Summary, rewards [][]float64, declared []int) {
	r.NTasks, r.NScored, r.Coverage, r.Reward = sum.NTasks, sum.NScored, sum.Coverage, sum.Reward
	r.NCells = 0
	for _, n := range declared {
		r.NCells += n
	}
	r.NMissing = r.NCells - sum.TotalValid
	r.CellCoverage = stats.Undefined()
	if r.NCells > 0 {
		r.CellCoverage = stats.Defined(float64(sum.TotalValid) / float64(r.NCells))
	}
	r.Bounds.Low, r.Bounds.High = stats.MissingBounds(rewards, declared)
	for i := range r.PerTask {
		r.PerTask[i].Reward = sum.TaskMeans[i]
	}
}

// spread fills in the interval and the clustered error.
func (t *table) spread(r *SplitResult, sum stats.Summary, level float64) {
	means := make([]float64, 0, sum.NScored)
	clusters := make([]string, 0, sum.NScored)
	clustered := false
	for i, m := range sum.TaskMeans {
		if v, ok := m.Value(); ok {
			means = append(means, v)
			clusters = append(clusters, t.rows[i].Cluster)
			clustered = clustered || t.rows[i].Cluster != ""
		}
	}
	w := stats.WilsonT(means, sum.TotalValid, level)
	r.CI = Interval{Level: level, Method: Method, Low: w.Low, High: w.High}
	if clustered {
		r.StderrClustered = stats.ClusteredStderr(means, clusters)
	}
}
