package stats

import (
	"math/big"
)

// ClusteredStderr returns the standard error of the mean of task means when
// tasks of one cluster (variants of one problem) are not independent: the
// squared error of the mean plus the products of the deviations of every two
// tasks that share a cluster, over n^2. clusters names the cluster of each
// mean; a task with an empty name is a cluster of its own. With no shared
// cluster it equals [Stderr].
//
// It is undefined below two clusters, since one cluster is one observation,
// when the two slices differ in length, and for a mean that is NaN or outside
// [0, 1].
func ClusteredStderr(means []float64, clusters []string) Estimate {
	l, ok := latticeOf(means)
	if !ok || len(means) != len(clusters) || len(means) < 2 {
		return Undefined()
	}
	type members struct{ sum, n uint64 }
	index := map[string]int{}
	var groups []members
	for i, name := range clusters {
		g, seen := index[name]
		if !seen || name == "" {
			g = len(groups)
			groups = append(groups, members{})
			index[name] = g
		}
		groups[g].sum += l.at(means[i])
		groups[g].n++
	}
	if len(groups) < 2 {
		return Undefined()
	}
	n := whole(uint64(len(means)))
	free := whole(uint64(len(means) - 1))
	sum, hi, lo := l.moments(means)

	// In units of 1/(q*n)^2: the squared deviations of the tasks, and of the
	// clusters' sums from what their size alone would give them.
	tasks := product(n, deviation(uint64(len(means)), sum, hi, lo))
	shared := new(big.Int)
	for _, g := range groups {
		d := product(n, whole(g.sum))
		d.Sub(d, product(whole(g.n), whole(sum)))
		shared.Add(shared, d.Mul(d, d))
	}
	tasks.Add(tasks, shared.Mul(shared, free))
	return root(tasks, product(whole(l.q), whole(l.q), n, n, n, n, free))
}
