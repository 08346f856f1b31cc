// Package gate decides from the results of two arms whether the candidate is
// accepted, rejected, or whether the data cannot tell.
//
//	rule := gate.NoRegression()
//	rule.MinCoverage = "0.9" // a decimal, kept exact; "0" turns the guard off
//	d, err := gate.Decide(baseline, candidate, rule)
//	fmt.Println(d.Verdict, d.Code, d.Message)
//
// It promises that a verdict is a function of the two results and the rule alone;
// that tasks are paired, tests are exact, and ties count in full, so that no
// verdict hangs on floating point; that guards come before any test; and that
// "not enough data" is a verdict of its own, which says what would be enough.
// Renaming the arms mirrors it.
//
// It never judges the test split for anybody but the finalize job, reads no file,
// and knows no clock but what the results say of theirs.
package gate
