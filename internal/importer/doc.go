// Package importer turns the results of other harnesses into records, with their
// error semantics mapped to the closed list of causes.
//
//	suites, err := importer.Ginkgo(file, "report.json")
//	result, err := record.Summarize(suites[0].Run, suites[0].Trials, record.Options{AnyRun: true})
//
// It promises that what was declared stays in the plan whatever came back, that
// no result is counted twice, and that what cannot be told from a file is missing
// and never 0. It refuses a file that measured nothing by design. It computes no
// number, opens no file and reads no clock.
package importer
