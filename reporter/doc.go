// Package reporter turns results, verdicts and published scores into documents
// that people read.
//
// [Build] arranges: it sorts the suites, picks out the worst tasks, says what
// speaks against the numbers and puts what it all comes to into a sentence. A
// writer, such as [WriteText], only formats what Build arranged:
//
//	doc := reporter.Build(reporter.Input{Results: results})
//	err := reporter.WriteText(os.Stdout, doc, reporter.TextOptions{Width: 80})
//
// It promises that an undefined number is a dash and never 0, that a missing
// trial never looks like a failed one, that a number which is not exactly 0 or
// 1 is not rounded to 0 or 1, and that the same results give the same bytes in
// any order, under any locale. Ids and feedback are text that an agent may have
// written: they are cleaned, kept on one line and shortened.
//
// It computes no statistic: every estimate was computed when the result was
// made. It opens no file and reads no clock.
package reporter
