// Package cli is the command capeval-ci: it moves files between the packages
// that measure, judge and report, runs processes, and chooses the exit code.
//
//	os.Exit(cli.Main(os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
//
// Results go to IO.Out and everything else to IO.Err. The package never ends
// the process and never touches its standard streams. A command is one file: its
// flags, its checks, its function.
package cli
