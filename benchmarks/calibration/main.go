package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

func main() {
	reps := flag.Int("reps", 10000, "suites drawn from each world")
	short := flag.Bool("short", false, "draw 400 suites from each world")
	seed := flag.Uint64("seed", 1, "where the draws start")
	flag.Parse()
	if *short {
		*reps = 400
	}
	if *reps < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "calibration: need -reps of at least 1 and no further arguments")
		os.Exit(2)
	}
	debug.SetGCPercent(400) // little lives long here, and memory is plenty
	if err := report(os.Stdout, *reps, runtime.GOMAXPROCS(0), *seed); err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

// report measures every world and prints every table.
func report(w io.Writer, reps, workers int, seed uint64) error {
	null, err := measure(nullWorlds(), nullJudges(), reps, workers, seed)
	if err != nil {
		return err
	}
	better, err := measure(powerWorlds(), powerJudges(), reps, workers, seed+1)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d suites from each world, seed %d\n\n", reps, seed)
	printNull(w, null)
	printWorst(w, null)
	printPower(w, powerJudges(), better)
	return nil
}
