package kinds

import (
	"fmt"
	"os"
	"runtime"

	. "github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/record"
)

// Result is what AfterSplit hands out.
type Result = record.SplitResult

// FailNow ends the goroutine, as testing.T's does.
func (*foreign) FailNow() { runtime.Goexit() }

// declareSuites adds the cases that are about the whole suite.
func declareSuites() {
	declareSplits()
	declareRefusals()
	declareGrids()
	declareWorkers()
	declareEnds()
	declareAfterSplit()
	declareReports()
	declareRows()
	declareCauses()
	declareSealed()
}

// trace leaves a line that a test can find after the process has ended.
func trace(format string, args ...any) {
	f, err := os.OpenFile(os.Getenv("TRACES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, format+"\n", args...)
}

// traced is an ordinary spec that traces itself.
func traced(text string, args ...any) {
	It(text, append(args, func() { trace("%s", text) })...)
}
