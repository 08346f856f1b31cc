package stats

import "math/big"

// MissingBounds returns the lowest and the highest reward that the split could
// have shown had no cell been missing: the mean over declared tasks of the
// mean over declared cells, with every missing cell at 0, then at 1. tasks
// holds the valid rewards of each declared task, declared how many cells each
// was planned with. The two are equal when nothing is missing.
//
// Both are undefined without tasks, and when the caller's numbers cannot be: a
// reward that is NaN or outside [0, 1], a task with no declared cell or with
// more rewards than cells, slices that differ in length.
func MissingBounds(tasks [][]float64, declared []int) (low, high Estimate) {
	l, ok := latticeOf(tasks...)
	if !ok || len(tasks) != len(declared) {
		return Undefined(), Undefined()
	}
	least, most := l.bounds(tasks, declared)
	return least.Estimate(), most.Estimate()
}

// bounds is MissingBounds before it is rounded, for slices of one length and
// rewards on the lattice.
func (l lattice) bounds(tasks [][]float64, declared []int) (low, high Exact) {
	if len(tasks) == 0 {
		return Exact{}, Exact{}
	}
	var t tally
	missing := map[uint64]uint64{} // trials, by the number declared for their task
	for i, rewards := range tasks {
		if declared[i] < 1 || declared[i] < len(rewards) {
			return Exact{}, Exact{}
		}
		n := uint64(declared[i])
		t.group(n).sums.add(0, l.sum(rewards))
		missing[n] += n - uint64(len(rewards))
	}
	least, _, _, multiple, _ := t.totals()
	most := new(big.Int).Set(least)
	for n, gap := range missing {
		most.Add(most, product(whole(gap), whole(l.q), new(big.Int).Quo(multiple, whole(n))))
	}
	den := product(whole(l.q), multiple, whole(uint64(len(tasks))))
	return fraction(least, den), fraction(most, den)
}
