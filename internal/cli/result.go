package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// resultFlags choose one result and say how it is computed.
type resultFlags struct {
	suite, split, arm string
	passThreshold     string
	ks                string
}

func newResult(std IO) *cobra.Command {
	var f resultFlags
	c := &cobra.Command{
		Use:   "result PATH",
		Short: "compute result.json from records",
		Long: `Result computes the result of one suite afresh and prints it as JSON. PATH is a
run directory, the folder of a suite in one, or a file of trials that any harness
wrote; - is standard input. Without a plan the rows are the plan. A run that
measured nothing is printed too.`,
		Example: `  capeval-ci result .capeval/runs/latest
  capeval-ci result .capeval/runs/latest --suite refund-agent --ks 1,3,5
  capeval-ci result trials.jsonl --pass-threshold 0.8
  other-harness | capeval-ci result -`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := jsonWanted(c); err != nil { // the result is JSON in either case
				return err
			}
			return resultCommand(std, f, args[0])
		},
	}
	c.Flags().StringVar(&f.suite, "suite", "", "the `name` of the suite, where there are several")
	c.Flags().StringVar(&f.split, "split", "", "the split `train, val or test`, where there are several")
	c.Flags().StringVar(&f.arm, "arm", "", "the `name` of the arm, where there are several")
	c.Flags().StringVar(&f.passThreshold, "pass-threshold", "", "a trial passes at reward `x` or more (default: the run's own, else 1)")
	c.Flags().StringVar(&f.ks, "ks", "", "the k of pass^k and pass@k, a `list` such as 1,2,3 (default 1 to 10)")
	return c
}

// resultCommand is `capeval-ci result`.
func resultCommand(std IO, f resultFlags, path string) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	r, err := f.compute(std, path, opts)
	if err != nil {
		return err
	}
	return withCode(exitInfra, record.WriteResult(std.Out, r))
}

func (f resultFlags) options() (record.Options, error) {
	var o record.Options
	if f.passThreshold != "" {
		v, err := strconv.ParseFloat(f.passThreshold, 64)
		if err != nil || !(v > 0 && v <= 1) {
			return o, fail(exitUsage, "--pass-threshold: found %q, need a number above 0 and up to 1", f.passThreshold)
		}
		o.PassThreshold = &v
	}
	if f.ks == "" {
		return o, nil
	}
	for _, text := range strings.Split(f.ks, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || k < 1 {
			return o, fail(exitUsage, "--ks: found %q, need whole numbers from 1, such as 1,2,3", text)
		}
		o.Ks = append(o.Ks, k)
	}
	return o, nil
}

func (f resultFlags) compute(std IO, path string, o record.Options) (record.SplitResult, error) {
	if path == "-" {
		return f.fromRows(std, std.In, "standard input", o)
	}
	info, err := os.Stat(path)
	if err != nil {
		return record.SplitResult{}, withCode(exitUsage, err)
	}
	if !info.IsDir() {
		if dir := filepath.Dir(path); filepath.Base(path) == "trials.jsonl" && isFile(filepath.Join(dir, "run.json")) {
			return f.fromSuite(rundir.Dir{Path: dir}, o) // the plan lies beside it, and the plan is the denominator
		}
		file, err := os.Open(path)
		if err != nil {
			return record.SplitResult{}, withCode(exitInfra, err)
		}
		defer file.Close()
		return f.fromRows(std, file, path, o)
	}
	if isFile(filepath.Join(path, "run.json")) {
		return f.fromSuite(rundir.Dir{Path: path}, o)
	}
	dir, err := f.chooseSuite(path)
	if err != nil {
		return record.SplitResult{}, err
	}
	return f.fromSuite(dir, o)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// chooseSuite returns the folder of the one suite below root that is asked for.
func (f resultFlags) chooseSuite(root string) (rundir.Dir, error) {
	dirs, err := rundir.Suites(root)
	if err != nil {
		return rundir.Dir{}, withCode(exitIntegrity, err)
	}
	if len(dirs) == 0 {
		return rundir.Dir{}, fail(exitUsage, "%s holds no run, need a run directory, a suite's folder or a file of trials", root)
	}
	var names []string
	for _, d := range dirs {
		if f.suite == d.Name || f.suite == "" && len(dirs) == 1 {
			return d, nil
		}
		names = append(names, d.Name)
	}
	if f.suite == "" {
		return rundir.Dir{}, fail(exitUsage, "%s holds the suites %s, need one: --suite NAME", root, strings.Join(names, ", "))
	}
	return rundir.Dir{}, fail(exitUsage, "--suite: found %q, need one of %s in %s", f.suite, strings.Join(names, ", "), root)
}

// fromSuite is the plan of a suite's folder less its journal.
func (f resultFlags) fromSuite(d rundir.Dir, o record.Options) (record.SplitResult, error) {
	run, err := d.ReadRun()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return record.SplitResult{}, withCode(exitUsage, err)
	case err != nil:
		return record.SplitResult{}, withCode(exitIntegrity, err)
	}
	if err := f.match(run.Key()); err != nil {
		return record.SplitResult{}, err
	}
	if _, _, err := d.ReadJournal(); err != nil {
		return record.SplitResult{}, withCode(exitUsage, err) // a bad line
	}
	r, err := d.Result(o)
	return r, withCode(exitIntegrity, err) // rows that contradict each other or the plan
}

// match refuses flags that ask for something else than a suite's folder holds.
func (f resultFlags) match(k record.Key) error {
	for _, c := range []struct{ flag, asked, found string }{
		{"suite", f.suite, k.Suite}, {"split", f.split, string(k.Split)}, {"arm", f.arm, k.Arm},
	} {
		if c.asked != "" && c.asked != c.found {
			return fail(exitUsage, "--%s: found %q, need %q: nothing else was measured here", c.flag, c.asked, c.found)
		}
	}
	return nil
}

// fromRows is the summary of a file of trials, whoever wrote it.
func (f resultFlags) fromRows(std IO, r io.Reader, name string, o record.Options) (record.SplitResult, error) {
	trials, err := record.ReadTrials(r, name)
	var torn *record.Torn
	if errors.As(err, &torn) {
		fmt.Fprintf(std.Err, "%v\n", torn)
	} else if err != nil {
		return record.SplitResult{}, withCode(exitUsage, err)
	}
	if len(trials) == 0 {
		return record.SplitResult{}, fail(exitUsage, "%s: found no trial, need one object a line with task and reward", name)
	}
	key, err := f.choose(record.Keys(trials), name)
	if err != nil {
		return record.SplitResult{}, err
	}
	trials = record.Select(trials, key)
	o.AnyRun = true
	res, err := record.Summarize(record.PlanOf(trials), trials, o)
	return res, withCode(exitIntegrity, err)
}

// choose returns the one key that the flags leave.
func (f resultFlags) choose(keys []record.Key, name string) (record.Key, error) {
	var left []record.Key
	for _, k := range keys {
		if (f.suite == "" || f.suite == k.Suite) && (f.split == "" || f.split == string(k.Split)) && (f.arm == "" || f.arm == k.Arm) {
			left = append(left, k)
		}
	}
	if len(left) == 1 {
		return left[0], nil
	}
	list := left
	if len(left) == 0 {
		list = keys
	}
	var b strings.Builder
	for _, k := range list {
		fmt.Fprintf(&b, "\n  suite %s, split %s, arm %s", k.Suite, k.Split, k.Arm)
	}
	if len(left) == 0 {
		return record.Key{}, fail(exitUsage, "%s: the flags choose nothing, need one of%s", name, b.String())
	}
	return record.Key{}, fail(exitUsage, "%s holds %d results, need one; choose by %s:%s", name, len(left), choosers(left), b.String())
}

// choosers names the flags in which the keys differ.
func choosers(keys []record.Key) string {
	var flags []string
	differ := func(of func(record.Key) string) bool {
		for _, k := range keys {
			if of(k) != of(keys[0]) {
				return true
			}
		}
		return false
	}
	if differ(func(k record.Key) string { return k.Suite }) {
		flags = append(flags, "--suite")
	}
	if differ(func(k record.Key) string { return string(k.Split) }) {
		flags = append(flags, "--split")
	}
	if differ(func(k record.Key) string { return k.Arm }) {
		flags = append(flags, "--arm")
	}
	return strings.Join(flags, ", ")
}
