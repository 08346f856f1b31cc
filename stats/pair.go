package stats

// Pair is one declared task in the two arms that are compared.
type Pair struct {
	// The rewards in [0, 1] of the task's valid trials in each arm. A task that
	// lacks them in one arm or in both is declared and not paired.
	Baseline, Candidate []float64
	// Cluster names the group of tasks that are variants of one problem; an
	// empty name is a group of its own. Only population scope looks at it.
	Cluster string
	// The digests of what the agent put out in each of those trials, in the
	// same order; an empty digest, and a missing slice, is not known. Only
	// IdenticalSuspected looks at them.
	BaselineOutputs, CandidateOutputs []string
	// How many trials were planned in each arm; at least as many as there are
	// rewards. Zero means as many as there are rewards, or an unknown number
	// when there are none. Only DeltaBounds looks at them.
	BaselinePlanned, CandidatePlanned int
}

func (p Pair) paired() bool { return len(p.Baseline) > 0 && len(p.Candidate) > 0 }

// Comparison is what two arms say about the change between them. A task counts
// when it is paired, which means that both arms have a valid trial of it; the
// difference is candidate less baseline, and positive is better.
//
// Two questions can be put to it. Suite scope asks whether the change helps on
// these tasks, and only the trials are random; population scope asks whether
// it helps on more tasks like these, and the tasks are a sample. A Comparison
// is not changed by being asked and may be used by several goroutines.
//
// When a reward of a paired task is NaN or outside [0, 1], which is the
// caller's mistake, everything but the counts is undefined. The order of
// tasks, and of the trials in each, changes no result in any bit.
type Comparison struct {
	pairs  []Pair
	paired []Pair
	l      lattice // of all rewards of the paired tasks
	ok     bool    // at least one paired task, and l holds their rewards
}

// Compare prepares the comparison of two arms, one Pair a declared task. It
// keeps the slices, which must not change while the Comparison is in use.
func Compare(pairs []Pair) *Comparison {
	c := &Comparison{pairs: pairs, paired: pairs}
	rewards := make([][]float64, 0, 2*len(pairs))
	for _, p := range pairs {
		if p.paired() {
			rewards = append(rewards, p.Baseline, p.Candidate)
		}
	}
	if len(rewards) < 2*len(pairs) {
		c.paired = make([]Pair, 0, len(rewards)/2)
		for _, p := range pairs {
			if p.paired() {
				c.paired = append(c.paired, p)
			}
		}
	}
	c.l, c.ok = latticeOf(rewards...)
	c.ok = c.ok && len(c.paired) > 0
	return c
}

// Declared returns the number of tasks, paired or not.
func (c *Comparison) Declared() int { return len(c.pairs) }

// Paired returns the number of tasks with a valid trial in both arms.
func (c *Comparison) Paired() int { return len(c.paired) }

// Coverage returns the share of declared tasks that are paired, in [0, 1]. It
// is undefined without tasks.
func (c *Comparison) Coverage() Exact {
	if len(c.pairs) == 0 {
		return Exact{}
	}
	return fraction(whole(uint64(len(c.paired))), whole(uint64(len(c.pairs))))
}

// Imbalance returns the largest ratio, at least 1, between the numbers of valid
// trials that the two arms have of one paired task. Above 3 the suite test may
// reject more often than alpha when the arms differ in variance and not in
// mean. It is undefined without a paired task.
func (c *Comparison) Imbalance() Exact {
	if len(c.paired) == 0 {
		return Exact{}
	}
	more, fewer := 1, 1
	for _, p := range c.paired {
		b, k := len(p.Baseline), len(p.Candidate)
		if max(b, k)*fewer > more*min(b, k) {
			more, fewer = max(b, k), min(b, k)
		}
	}
	return fraction(whole(uint64(more)), whole(uint64(fewer)))
}
