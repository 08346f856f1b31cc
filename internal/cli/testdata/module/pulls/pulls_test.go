// Package pulls is the suite that pull requests are gated on: 20 tasks of every
// difficulty, five trials each. Its agent succeeds by chance, by draws of its own
// in every run, and gets worse by DROP where the arm is the candidate.
package pulls_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
)

func TestPulls(t *testing.T) { RunEvals(t, "pulls", Trials(5)) }

// solves reports whether the agent of this run succeeds.
func solves(task int, seed int64) bool {
	arm := os.Getenv("CAPEVAL_ARM")
	h := fnv.New64a()
	fmt.Fprint(h, arm, task, seed)
	p := 0.25 + 0.65*float64(task)/19 // 0.25 to 0.90
	if drop, err := strconv.ParseFloat(os.Getenv("DROP"), 64); err == nil && arm == "candidate" {
		p -= drop
	}
	return rand.New(rand.NewPCG(h.Sum64(), 1)).Float64() < p
}

func init() {
	for i := range 20 {
		Task(fmt.Sprintf("task-%02d", i), Val, Content(i), func(ctx SpecContext, t *Trial) {
			t.Output(fmt.Sprint(os.Getenv("CAPEVAL_ARM"), t.Seed()))
			if !solves(i, t.Seed()) {
				t.Score(0)
			}
		})
	}
}
