// Package storetest is what every store of a ledger must do, as tests.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, ledger.ScopeLocal, func(t *testing.T) storetest.Place { ... })
//	}
//
// It promises that a store which passes gives one winner to any race that it
// ran, and takes no record that the laws forbid. It does not know how a store
// breaks: faults of a disk or a server are tried beside each store.
package storetest
