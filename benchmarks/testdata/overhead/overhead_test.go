// Package overhead is measured by the benchmarks: as many specs as SPECS says,
// either bare ones with one report entry each, or trials of tasks, or bare ones
// in the containers that tasks have.
package overhead

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

func TestOverhead(t *testing.T) {
	if os.Getenv("SPECS") == "" {
		t.Skip("SPECS is not set: this suite is run by the benchmarks")
	}
	if os.Getenv("KIND") != "trials" {
		RegisterFailHandler(Fail)
		RunSpecs(t, "overhead")
		return
	}
	RunEvals(t, "overhead")
}

const trialsEach = 10

var _ = Describe("specs", func() {
	n, _ := strconv.Atoi(os.Getenv("SPECS"))
	if os.Getenv("KIND") == "bare" {
		for i := range n {
			It(fmt.Sprintf("spec %d", i), func() {
				Expect(i).To(BeNumerically(">=", 0))
				AddReportEntry("trial", ReportEntryVisibilityNever, map[string]any{"task": i / trialsEach, "reward": 1.0})
			})
		}
		return
	}
	if os.Getenv("KIND") == "shape" {
		for i := range n / trialsEach {
			Describe(fmt.Sprintf("task %d", i), Label("capeval", fmt.Sprintf("task:task %d", i), "split:val"), func() {
				for k := range trialsEach {
					It(fmt.Sprintf("[trial %d]", k), func(SpecContext) {
						Expect(i).To(BeNumerically(">=", 0))
						AddReportEntry("trial", ReportEntryVisibilityNever, map[string]any{"task": i, "reward": 1.0})
					})
				}
			})
		}
		return
	}
	for i := range n / trialsEach {
		Task(fmt.Sprintf("task %d", i), Val, Trials(trialsEach), func(*Trial) {
			Expect(i).To(BeNumerically(">=", 0))
		})
	}
})
