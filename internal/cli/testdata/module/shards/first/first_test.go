// Package first is one of two suites that are measured whole and in shards.
package first

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/record"
)

func TestFirst(t *testing.T) { RunEvals(t, "first", Trials(3), BaseSeed(7)) }

var errDown = errors.New("the model is down")

// Graded rewards that depend on nothing but the seed.
var _ = Task("graded", Val, Cluster("body"), func(_ SpecContext, t *Trial) {
	if os.Getenv("SHARD_SLOW") != "" {
		mark("began")
		time.Sleep(10 * time.Second)
	}
	t.Output(fmt.Sprint(t.Rand().Int64()))
	t.Cost(0.01)
	t.Score(float64(t.Seed()%4)/4, "graded")
})

var _ = Task("expected", Val, func(_ SpecContext, t *Trial) { Expect(t.Index()).NotTo(Equal(1)) })

// One trial is missing, whatever the shard.
var _ = Task("missing", Val, func(_ SpecContext, t *Trial) {
	if t.Index() == 2 {
		t.Missing(errDown)
	}
})

var _ = RolloutTask("two stages",
	func(_ context.Context, t *Trial) (int64, error) { return t.Seed(), nil },
	func(_ SpecContext, t *Trial, seed int64) {
		t.Output(map[string]int64{"seed": seed})
		t.Score(0.5)
	}, Val)

var _ = AfterSplit(Val, func(r record.SplitResult) {
	mark("asserted")
	Expect(r.NCells).To(Equal(12))
})

func mark(name string) {
	if dir := os.Getenv("MARKS"); dir != "" {
		_ = os.WriteFile(dir+"/"+name, nil, 0o644)
	}
}
