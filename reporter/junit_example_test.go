package reporter_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

func ExampleWriteJUnit() {
	// A task that was measured, and one that nobody could measure.
	const rows = `{"suite":"refunds","task":"late-delivery","reward":1}
{"suite":"refunds","task":"late-delivery","reward":0,"feedback":"no refund was offered"}
{"suite":"refunds","task":"lost-parcel","status":"missing","cause":"rate_limit"}
`
	trials, err := record.ReadTrials(strings.NewReader(rows), "rows")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file strings.Builder
	report, err := reporter.WriteJUnit(&file, reporter.Build(reporter.Input{Results: []record.SplitResult{result}}), reporter.JUnitOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d cases, %d errors, %d failures\n", report.Cases, report.Errors, report.Failures)
	for line := range strings.Lines(file.String()) {
		if strings.Contains(line, "<testcase ") || strings.Contains(line, "<error ") {
			os.Stdout.WriteString(strings.TrimLeft(line, "\t"))
		}
	}
	// Output:
	// 2 cases, 1 errors, 0 failures
	// <testcase name="late-delivery" classname="refunds.val">
	// <testcase name="lost-parcel" classname="refunds.val">
	// <error message="reward - (missing, which is not 0); seeds 0; coverage 0 of 1 trials; causes rate_limit 1" type="rate_limit"><![CDATA[reward - (missing, which is not 0); seeds 0; coverage 0 of 1 trials; causes rate_limit 1]]></error>
}
