// Package durable makes a file whole after a crash, and an act happen once.
//
//	err := durable.WriteFile("run.json", data, durable.Options{})
//	err = durable.Claim("package.claim", []byte("example.org/evals"))
//	if errors.Is(err, durable.ErrClaimed) { ... }
//
// A reader of a file written by [WriteFile] sees the old bytes or the new
// bytes, whole, whatever killed the writer. Of any number of processes that
// race for one [Claim] exactly one wins, and every loser can read what the
// winner wrote. An [Appender] adds whole lines: a killed process leaves at most
// its last line torn. A [Blank] is a file made before its content is known.
//
// The package moves bytes: it knows nothing of what they mean, takes no locks
// that outlive a process, and does not promise that a disk which lies about
// fsync keeps its word.
package durable
