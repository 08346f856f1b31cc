package record

import (
	"cmp"
	"fmt"
	"slices"
)

// Collapse returns the trial that counts of every cell (suite, split, arm,
// task, trial), sorted in this order. A later attempt replaces a missing one; a
// record that stands twice counts once. Two different records of one attempt,
// and an attempt after a scored one, are an error that names their places in
// trials, counting from 1.
func Collapse(trials []Trial) ([]Trial, error) {
	index := make([]int, len(trials))
	hashes := make([]uint32, len(trials))
	var l line
	for i := range trials {
		if err := l.fromTrial(&trials[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", place(i), err)
		}
		l.digest()
		index[i], hashes[i] = i, l.hash
	}
	cell := func(i, j int) int {
		a, b := &trials[i], &trials[j]
		return cmp.Or(a.Key().compare(b.Key()), cmp.Compare(a.Task, b.Task), a.Trial-b.Trial)
	}
	slices.SortStableFunc(index, cell)
	var out []Trial
	var as []attempt
	for from := 0; from < len(index); {
		as = as[:0]
		to := from
		for ; to < len(index) && cell(index[from], index[to]) == 0; to++ {
			i := index[to]
			as = append(as, attempt{number: trials[i].Attempt, scored: trials[i].Status == Scored, hash: hashes[i], index: i})
		}
		slices.SortFunc(as, attempt.order)
		a, bad := choose(as, func(int) {})
		if bad != nil {
			t := &trials[a.index]
			return nil, bad.error(t.Task, t.Trial, place)
		}
		out = append(out, trials[a.index])
		from = to
	}
	return out, nil
}

// place names the i-th record of a list.
func place(i int) string { return fmt.Sprintf("record %d", i+1) }
