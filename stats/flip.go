package stats

import (
	"math"
	"slices"
)

// clusterSums returns the scaled difference of each cluster, summed over its
// paired tasks. A task without a cluster is one of its own.
func (c *Comparison) clusterSums() []int64 {
	s := scaleOf(c.l, c.paired)
	sums := make([]int64, 0, len(c.paired))
	var index map[string]int
	for _, p := range c.paired {
		x := s.difference(s.sum(p.Baseline), s.sum(p.Candidate), int64(len(p.Baseline)), int64(len(p.Candidate)))
		if p.Cluster == "" {
			sums = append(sums, x)
			continue
		}
		at, seen := index[p.Cluster]
		if !seen {
			if index == nil {
				index = map[string]int{}
			}
			at = len(sums)
			index[p.Cluster] = at
			sums = append(sums, 0)
		}
		sums[at] += x
	}
	return sums
}

func (s scale) sum(rewards []float64) (sum int64) {
	for _, r := range rewards {
		sum += s.at(r)
	}
	return sum
}

// flips returns the distribution of the sum of differences whose signs are
// random. It may change their order.
func flips(differences []int64) null {
	s := null{minDesign: math.Ldexp(1, -len(differences))}
	for i, x := range differences {
		s.observed += x
		differences[i] = max(x, -x)
	}
	slices.Sort(differences)
	for _, x := range differences {
		if x == 0 {
			continue
		}
		if n := len(s.kinds); n > 0 && s.kinds[n-1].x[1] == x {
			s.kinds[n-1].count++
			continue
		}
		s.kinds = append(s.kinds, kind{x: []int64{-x, x}, p: []float64{0.5, 0.5}, count: 1})
	}
	return s
}
