// Package seal keeps the test split shut outside the one finalize job.
//
// The job starts a [Broker], writes a [Grant] into a private file, and hands the
// file's path to the suite's processes. A process asks the broker for every
// trial before anything of it runs:
//
//	dir, err := seal.MakeDir(repository)
//	b, err := seal.StartBroker(seal.BrokerConfig{Addr: filepath.Join(dir, "broker"), ..., Observe: look})
//	err = seal.WriteGrant(filepath.Join(dir, "grant"), g)
//	cmd.Env = seal.ChildEnv(os.Environ(), filepath.Join(dir, "grant"))
//	...
//	report := b.Close()
//	grants, err := seal.ReadGrants(journal, g.Nonce) // what may count as a result
//
// It promises that each trial is granted once; that the look is recorded before
// the first trial is granted, and nothing is granted when it cannot be; that a
// grant dies with its job; and that whatever it refuses is refused with one text
// that says what happened, what to do, and what is no way out.
//
// It writes no ledger (Observe and [Attempts] are handed in), runs no trial and
// judges nothing. A process that goes around it and calls the agent on tasks
// that lie open in the repository is out of its reach.
package seal
