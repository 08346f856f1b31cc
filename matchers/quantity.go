package matchers

import (
	"fmt"

	"github.com/capeval/capeval/record"
	"github.com/onsi/gomega/types"
)

// HaveReward hands the reward of a split, a float64 in [0, 1], to want. It is
// undefined without a scored task.
func HaveReward(want any) types.GomegaMatcher {
	return newMatcher("HaveReward", want, quantity{name: "reward", of: func(r record.SplitResult) (any, string) {
		return float(r.Reward, whyNoReward(r))
	}})
}

// HaveCoverage hands the share of declared tasks that are scored to want, a
// float64 in [0, 1]. It is undefined without a declared task.
func HaveCoverage(want any) types.GomegaMatcher {
	return newMatcher("HaveCoverage", want, quantity{name: "coverage", of: func(r record.SplitResult) (any, string) {
		return float(r.Coverage, whyNothingDeclared(r))
	}})
}

// HaveCellCoverage hands the share of declared cells (task x trial) that were
// measured to want, a float64 in [0, 1]. It is undefined without a declared
// cell.
func HaveCellCoverage(want any) types.GomegaMatcher {
	return newMatcher("HaveCellCoverage", want, quantity{name: "cell coverage", of: func(r record.SplitResult) (any, string) {
		return float(r.CellCoverage, whyNothingDeclared(r))
	}})
}

// HaveStderr hands the combined standard error of the reward to want, a
// float64. It is undefined below two scored tasks; of one task alone, see
// [ForTask], it is the error over the task's trials and undefined below two
// valid ones.
func HaveStderr(want any) types.GomegaMatcher {
	return newMatcher("HaveStderr", want, quantity{name: "stderr", spread: true, of: func(r record.SplitResult) (any, string) {
		return float(r.Stderr, whyNoStderr(r))
	}})
}

// HaveMissing hands the number of missing cells, an int, to want. It is
// undefined without a declared cell.
func HaveMissing(want any) types.GomegaMatcher {
	return newMatcher("HaveMissing", want, quantity{name: "number of missing cells", of: func(r record.SplitResult) (any, string) {
		if r.NCells == 0 {
			return nil, whyNothingDeclared(r)
		}
		return r.NMissing, ""
	}})
}

// HavePassHatK hands pass^k, the chance that k trials of a task all pass, to
// want, a float64 in [0, 1]. It is undefined above the smallest number of valid
// trials of a scored task. A k below 1 is an error.
func HavePassHatK(k int, want any) types.GomegaMatcher {
	return newPass("HavePassHatK", "pass^", k, want, func(r record.SplitResult) (number, bool) {
		e, ok := r.PassHatK[k]
		return e, ok
	})
}

// HavePassAtK hands pass@k, the chance that at least one of k trials of a task
// passes, to want. It is undefined where pass^k is.
func HavePassAtK(k int, want any) types.GomegaMatcher {
	return newPass("HavePassAtK", "pass@", k, want, func(r record.SplitResult) (number, bool) {
		e, ok := r.PassAtK[k]
		return e, ok
	})
}

func newPass(call, name string, k int, want any, of func(record.SplitResult) (number, bool)) types.GomegaMatcher {
	m := newMatcher(call, want, quantity{name: fmt.Sprintf("%s%d", name, k), of: func(r record.SplitResult) (any, string) {
		if e, ok := of(r); ok {
			return float(e, whyNoPass(r, k))
		}
		return nil, whyNoPass(r, k)
	}})
	m.args = fmt.Sprintf("%d, ", k)
	if k < 1 {
		m.misuse = fmt.Errorf("%s: found k = %d, need at least 1", call, k)
	}
	return m
}

// quantity is what a matcher asks a result for.
type quantity struct {
	name   string
	spread bool // says something about variance
	// of returns the value, or nil and why there is none.
	of func(record.SplitResult) (value any, why string)
}

// number is the part of an estimate that is needed here.
type number interface{ Value() (float64, bool) }

func float(n number, why string) (any, string) {
	if v, ok := n.Value(); ok {
		return v, ""
	}
	return nil, why
}
