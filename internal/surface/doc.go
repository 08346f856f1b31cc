// Package surface knows which files decide what an evaluation measures: tasks,
// scorers, configuration, workflows. It lists them with their digests, says how
// two states differ, and lays the files of one state over another.
//
//	set, err := surface.New("", []string{"evals/**", "capeval.yaml"})
//	base, err := set.Tree(ctx, ".", "origin/main") // no checkout
//	head, err := set.Tree(ctx, ".", "HEAD")
//	if c := surface.Diff(base, head); !c.Empty() {
//		fmt.Println(c.Refusal()) // its score is not data
//	}
//	err = set.Overlay(ctx, ".", "origin/main", headCheckout)
//
// Paths are slash-separated, relative to the top of the repository, and compared
// byte by byte. What lies in a folder counts whether git tracks it, ignores it or
// has never seen it: a test binary reads and compiles all of it alike. Symbolic
// links are listed by their target and never followed, so a link in place of a
// protected file or folder is a change. Attributes, filters and line endings play
// no part: contents are those of the repository's objects.
//
// The package judges nothing and holds no state.
package surface
