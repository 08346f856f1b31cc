package stats

import (
	"math/big"
	"slices"
)

// PassHat returns pass^k, the chance that k trials drawn from these without
// replacement all pass: C(c,k)/C(n,k) for c passes among n rewards. A reward
// passes when it is at least threshold, both in [0, 1]; a difference below
// 1e-9 is a tie, and a tie passes. It is undefined for k < 1 and for k > n:
// trials that were never run prove nothing.
func PassHat(rewards []float64, k int, threshold float64) Estimate {
	return passMean([][]float64{rewards}, k, threshold, allPass)
}

// PassAt returns pass@k, the chance that at least one of k trials drawn from
// these without replacement passes: 1 - C(n-c,k)/C(n,k). It is undefined where
// [PassHat] is.
func PassAt(rewards []float64, k int, threshold float64) Estimate {
	return passMean([][]float64{rewards}, k, threshold, anyPass)
}

// SplitPassHat returns the mean over scored tasks of each task's pass^k on its
// own valid trials. An empty slice is an unscored task. It is undefined when a
// scored task has fewer than k valid trials, and without a scored task.
func SplitPassHat(tasks [][]float64, k int, threshold float64) Estimate {
	return passMean(tasks, k, threshold, allPass)
}

// SplitPassAt returns the mean over scored tasks of each task's pass@k. It is
// undefined where [SplitPassHat] is.
func SplitPassAt(tasks [][]float64, k int, threshold float64) Estimate {
	return passMean(tasks, k, threshold, anyPass)
}

// draws counts the draws of k out of n trials, c of them passes, that succeed.
type draws func(n, c, k int64) *big.Int

func allPass(_, c, k int64) *big.Int { return choose(c, k) }

func anyPass(n, c, k int64) *big.Int {
	all := choose(n, k)
	return all.Sub(all, choose(n-c, k))
}

// choose returns the number of ways to choose k out of n, 0 when k > n.
func choose(n, k int64) *big.Int {
	if k > n {
		return new(big.Int)
	}
	return new(big.Int).Binomial(n, k)
}

func passMean(tasks [][]float64, k int, threshold float64, good draws) Estimate {
	h, ok := passes(tasks, threshold)
	if !ok || k < 1 || len(h) == 0 {
		return Undefined()
	}
	trials := make([]int, 0, len(h))
	for n := range h {
		if n < k {
			return Undefined()
		}
		trials = append(trials, n)
	}
	slices.Sort(trials)
	num, den, scored := new(big.Int), big.NewInt(1), int64(0)
	for _, n := range trials {
		sum := new(big.Int)
		for c, count := range h[n] {
			if count > 0 {
				scored += int64(count)
				sum.Add(sum, product(big.NewInt(int64(count)), good(int64(n), int64(c), int64(k))))
			}
		}
		all := choose(int64(n), int64(k))
		common := lcm(den, all)
		num.Mul(num, den.Quo(common, den))
		num.Add(num, sum.Mul(sum, all.Quo(common, all)))
		den = common
	}
	return Defined(nearest(num, den.Mul(den, big.NewInt(scored))))
}

// passes counts the scored tasks by their number of trials and of passes:
// h[n][c]. It reports false when a reward or the threshold is NaN or outside
// [0, 1].
func passes(tasks [][]float64, threshold float64) (h map[int][]int, ok bool) {
	if !(threshold >= 0 && threshold <= 1) {
		return nil, false
	}
	h = map[int][]int{}
	var row []int
	for _, rewards := range tasks {
		if len(rewards) == 0 {
			continue
		}
		c := 0
		for _, r := range rewards {
			if !(r >= 0 && r <= 1) {
				return nil, false
			}
			if r >= threshold-snap {
				c++
			}
		}
		if len(row) != len(rewards)+1 {
			row = h[len(rewards)]
			if row == nil {
				row = make([]int, len(rewards)+1)
				h[len(rewards)] = row
			}
		}
		row[c]++
	}
	return h, true
}
