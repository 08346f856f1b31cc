// Package gitstore keeps a seal ledger on one ref of a git repository: one commit
// a record, each adding one file r/<number>.json to the tree of the commit before.
//
//	store, err := gitstore.OpenRemote(ctx, gitstore.Options{Dir: ".", Remote: "origin", Ref: gitstore.DefaultRef})
//	defer store.Close()
//	snapshot, err := store.Head(ctx)
//
// [Remote] reads and writes the ref on a remote, by the git command and with the
// credentials that the repository has, through a bare mirror of its own: the
// user's refs, index, work tree, hooks and shallow state stay as they are, and
// whatever shape the checkout has does not matter. [Local] keeps the ref in a
// repository that has no remote.
//
// A write is a compare-and-swap on the ref. Its outcome is what the ref says
// afterwards, never what git's exit code says. Every call of git ends with its
// context or after Options.Timeout, with all its children.
//
// The package needs git 2.34 or newer. It does not merge, does not force, and
// never makes a ledger but by Init.
package gitstore
