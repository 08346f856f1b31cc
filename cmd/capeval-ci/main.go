// Command capeval-ci runs suites of package evaltest and acts on what they
// measured. `capeval-ci --help` lists its commands and exit codes.
package main

import (
	"os"

	"github.com/capeval/capeval/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
