package main

import (
	"math"
	"math/big"

	"github.com/capeval/capeval/stats"
)

// level is the chance of a false claim that every test here is set to.
const level = 0.05

// studentAccepts is the one-sided paired t test on the differences of task
// means. Without spread it has no t; a positive difference is then accepted, as
// its limit would be.
func studentAccepts(s suite) bool {
	n := len(s.baseline)
	if n < 2 {
		return false
	}
	sum, squares := 0, 0
	for i := range n {
		d := s.candidate[i] - s.baseline[i]
		sum += d
		squares += d * d
	}
	// The spread in whole numbers: n times the sum of squared deviations.
	spread := n*squares - sum*sum
	if sum <= 0 || spread == 0 {
		return sum > 0
	}
	t := float64(sum) * math.Sqrt(float64(n-1)/float64(spread))
	return stats.TSurvival(t, float64(n-1)) <= level
}

// signAccepts is the exact one-sided sign test: tasks that rose against tasks
// that fell, ties left out.
func signAccepts(s suite) bool {
	rose, fell := int64(0), int64(0)
	for i := range s.baseline {
		switch d := s.candidate[i] - s.baseline[i]; {
		case d > 0:
			rose++
		case d < 0:
			fell++
		}
	}
	votes := rose + fell
	ways, term := new(big.Int), new(big.Int)
	for k := rose; k <= votes; k++ {
		ways.Add(ways, term.Binomial(votes, k))
	}
	// ways/2^votes <= 1/20
	ways.Mul(ways, big.NewInt(20))
	return ways.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(votes))) <= 0
}
