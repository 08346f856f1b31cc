// Package gotest finds, builds and runs the test packages that hold suites.
//
//	pkgs, err := gotest.Find(ctx, ".", []string{"./..."})
//	bench, err := gotest.NewBench()
//	defer bench.Close()
//	binary, err := bench.Build(ctx, pkgs[0])
//	p, err := bench.Start(binary, gotest.Job{Env: env, Output: file})
//	exit := p.Wait()
//
// Binaries are built into a temporary folder and run in the folder of their
// package, as go test runs them; nothing is written into the user's tree. Every
// test process leads a process group of its own and does not outlive the
// command: when the command dies, however it dies, the group is killed.
//
// The package knows nothing of trials: what a suite measured stands in its run
// directory.
package gotest
