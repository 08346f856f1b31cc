package stats

import "math/big"

// TasksToReach returns the smallest number of tasks with which a perfect
// outcome reaches alpha in suite scope, with that many trials each in each arm:
// the smallest k with C(2m, m)^-k <= alpha. With one trial it is the answer for
// population scope as well, 2^-k <= alpha. It returns 0, which is no answer,
// for fewer than one trial or an alpha that is not in (0, 1).
func TasksToReach(trials int, alpha Exact) int {
	if trials < 1 || !inUnit(alpha) {
		return 0
	}
	best := new(big.Rat).SetFrac(big.NewInt(1), choose(int64(2*trials), int64(trials)))
	for k, p := 1, new(big.Rat).Set(best); ; k++ {
		if (Exact{p}).Reaches(alpha) {
			return k
		}
		p.Mul(p, best)
	}
}

// TrialsToReach returns the smallest number of trials in each arm with which a
// perfect outcome of that many tasks reaches alpha in suite scope: the smallest
// m with C(2m, m)^-n <= alpha. It returns 0, which is no answer, for fewer than
// one task or an alpha that is not in (0, 1).
func TrialsToReach(tasks int, alpha Exact) int {
	if tasks < 1 || !inUnit(alpha) {
		return 0
	}
	for m := 1; ; m++ {
		p := new(big.Int).Exp(choose(int64(2*m), int64(m)), big.NewInt(int64(tasks)), nil)
		if (Exact{new(big.Rat).SetFrac(big.NewInt(1), p)}).Reaches(alpha) {
			return m
		}
	}
}

func inUnit(e Exact) bool { return e.Sign() > 0 && e.r.Cmp(big.NewRat(1, 1)) < 0 }
