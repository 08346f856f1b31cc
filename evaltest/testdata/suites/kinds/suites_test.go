package kinds

import (
	"runtime"

	"github.com/capeval/capeval/record"
)

// Result is what AfterSplit hands out.
type Result = record.SplitResult

// FailNow ends the goroutine, as testing.T's does.
func (*foreign) FailNow() { runtime.Goexit() }

// declareSuites adds the cases that are about the whole suite.
func declareSuites() {}
