// Calibration measures how often the gate is wrong when it should not be, and how
// often it finds what is there.
//
//	go run ./benchmarks/calibration          # every table, in a couple of minutes
//	go run ./benchmarks/calibration -short   # the same with fewer draws, in seconds
//
// It draws suites from worlds whose truth is known, hands them to gate.Decide as
// results, and counts verdicts. The first tables are of worlds in which nothing
// changed, so that every accepted gain and every blocked change is a false one;
// the last is of worlds in which the candidate really is better. Beside the
// gate's own rules stand two tests that the gate does not offer, Student's t and
// the sign test, which live here alone.
//
// The same -seed and -reps print the same bytes, on any number of processors.
// The figures after +- are one Monte-Carlo standard error.
//
// It says nothing about agents whose trials depend on each other or whose
// provider drifts: every world here has independent trials.
package main
