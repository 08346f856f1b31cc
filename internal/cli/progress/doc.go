// Package progress shows how far a running suite is.
//
//	w := progress.Watch{Root: root, Package: "example.org/evals"}
//	stop := w.Start(progress.NewDisplay(os.Stderr, terminal))
//	... the suite runs ...
//	stop()
//
// It reads the journals that the suite's processes write, from where it stopped
// reading, and never writes. What it shows is a view of a run under way: the
// result is computed from the records once the run has ended.
package progress
