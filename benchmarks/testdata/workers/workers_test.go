// Package workers is measured by the benchmarks: 1,000 rollouts that each wait
// 100 ms, as an agent waits for its model.
package workers

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
)

func TestWorkers(t *testing.T) {
	if os.Getenv("WAIT") == "" {
		t.Skip("WAIT is not set: this suite is run by the benchmarks")
	}
	RunEvals(t, "workers", Trials(10))
}

var _ = Describe("waiting", func() {
	wait, _ := time.ParseDuration(os.Getenv("WAIT"))
	for i := range 100 {
		RolloutTask(fmt.Sprintf("task %d", i), func(context.Context, *Trial) (int64, error) {
			time.Sleep(wait)
			return int64(i), nil
		}, func(_ SpecContext, t *Trial, n int64) { t.Score(1) }, Val)
	}
})
