package stats

import (
	"math/big"
	"math/bits"
)

// Summary is what one split says about an agent: its reward, three standard
// errors of that reward, and how much of the split they rest on.
//
// The task is the unit: Reward is the mean over scored tasks of the mean over
// the task's valid trials, however many those are.
type Summary struct {
	NTasks  int // declared
	NScored int // with at least one valid trial

	Coverage Estimate // NScored / NTasks, in [0, 1]; undefined without tasks
	Reward   Estimate // in [0, 1]; undefined without a scored task

	// Between is s/sqrt(n) over the task means: the error when the tasks are a
	// sample of what the agent will meet. It contains the noise of the trials
	// already. It is undefined below two scored tasks.
	Between Estimate
	// Within is sqrt(sum of squared task errors)/n: the error when these tasks
	// are all that matters and only the trials vary. It is undefined unless
	// every scored task has at least two valid trials.
	Within Estimate
	// Combined is sqrt(Between^2 + Within^2), where a task with one valid trial
	// adds nothing to Within and one scored task has a Between of 0. It counts
	// the noise of the trials twice, so it errs on the wide side, by at most a
	// factor of sqrt(2). It is undefined only when no task or pair of tasks
	// shows any spread to go by: one scored task with one valid trial, or none.
	Combined Estimate

	TaskMeans []Estimate // in the order given; undefined where unscored

	MinValid   int // the smallest number of valid trials of a scored task; 0 without one
	MaxValid   int // the largest
	TotalValid int // the sum
}

// Summarize summarizes a split. It takes one slice a declared task, holding
// the rewards in [0, 1] of the task's valid trials; an empty slice is a task
// that was declared and not scored.
//
// A reward that is NaN or outside [0, 1] still counts as a trial, but its
// task's mean, Reward and the three errors are undefined.
func Summarize(tasks [][]float64) Summary {
	s := Summary{NTasks: len(tasks), TaskMeans: make([]Estimate, len(tasks))}
	for _, rewards := range tasks {
		s.count(len(rewards))
	}
	if s.NTasks > 0 {
		s.Coverage = Defined(ratio(uint64(s.NScored), uint64(s.NTasks)))
	}
	l, ok := latticeOf(tasks...)
	if !ok || l.fine {
		for i, rewards := range tasks {
			s.TaskMeans[i] = Mean(rewards) // a task may have a lattice where the split has none
		}
	}
	if !ok || s.NScored == 0 {
		return s
	}
	var t tally
	for i, rewards := range tasks {
		m := uint64(len(rewards))
		if m == 0 {
			continue
		}
		sum, hi, lo := l.moments(rewards)
		t.group(m).add(sum, hi, lo)
		if !l.fine {
			s.TaskMeans[i] = Defined(ratio(sum, l.q*m))
		}
	}
	s.estimate(&t, l)
	return s
}

// count enters a task with m valid trials.
func (s *Summary) count(m int) {
	if m == 0 {
		return
	}
	if s.NScored == 0 || m < s.MinValid {
		s.MinValid = m
	}
	s.MaxValid = max(s.MaxValid, m)
	s.TotalValid += m
	s.NScored++
}

// estimate fills in the reward and its errors. With S the sum of a task's
// integers, m its trials, n the scored tasks and L the common multiple of the
// m, all terms are integers over q*L and its square.
func (s *Summary) estimate(t *tally, l lattice) {
	n, q := whole(uint64(s.NScored)), whole(l.q)
	free := big.NewInt(int64(max(s.NScored-1, 1)))
	means, squares, within, multiple, below := t.totals()

	s.Reward = Defined(nearest(means, product(q, multiple, n)))

	between := product(n, squares)
	between.Sub(between, product(means, means)) // n times the squared deviations of the task means
	unit := product(q, q, multiple, multiple, n, n)
	if s.NScored > 1 {
		s.Between = root(between, product(unit, free))
	}
	if s.MinValid > 1 {
		s.Within = root(within, product(unit, below))
	}
	if s.NScored > 1 || s.MinValid > 1 {
		both := product(between, below)
		both.Add(both, product(within, free))
		s.Combined = root(both, product(unit, free, below))
	}
}

// group adds up the scored tasks that have the same number of valid trials.
type group struct {
	trials  uint64
	sums    wide // the sum over tasks of S
	squares wide // of S^2
	raw     wide // of the squared integers
}

func (g *group) add(sum, hi, lo uint64) {
	g.sums.add(0, sum)
	g.squares.add(bits.Mul64(sum, sum))
	g.raw.add(hi, lo)
}

// tally keeps a group for each number of valid trials, so that the wide
// arithmetic is done once a group and not once a task.
type tally struct {
	groups []*group
	index  map[uint64]*group
	last   *group
}

func (t *tally) group(trials uint64) *group {
	if t.last != nil && t.last.trials == trials {
		return t.last
	}
	g := t.index[trials]
	if g == nil {
		g = &group{trials: trials}
		if t.index == nil {
			t.index = map[uint64]*group{}
		}
		t.index[trials] = g
		t.groups = append(t.groups, g)
	}
	t.last = g
	return g
}

// totals returns, over all scored tasks, the sum of S/m in units of
// 1/multiple, the sum of (S/m)^2 in units of 1/multiple^2, and the sum of the
// squared errors of the task means in units of 1/(multiple^2 * below). A task
// with one trial has no error and adds none.
func (t *tally) totals() (means, squares, within, multiple, below *big.Int) {
	means, squares, within = new(big.Int), new(big.Int), new(big.Int)
	multiple, below = big.NewInt(1), big.NewInt(1)
	for _, g := range t.groups {
		multiple = lcm(multiple, whole(g.trials))
		if g.trials > 1 {
			below = lcm(below, whole(g.trials-1))
		}
	}
	for _, g := range t.groups {
		weight := new(big.Int).Quo(multiple, whole(g.trials))
		means.Add(means, product(g.sums.big(), weight))
		squares.Add(squares, product(g.squares.big(), weight, weight))
		if g.trials > 1 {
			dev := product(g.raw.big(), whole(g.trials))
			dev.Sub(dev, g.squares.big())
			share := new(big.Int).Quo(below, whole(g.trials-1))
			within.Add(within, product(dev, weight, weight, share))
		}
	}
	return means, squares, within, multiple, below
}
