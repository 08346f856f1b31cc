package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// reportInput reads everything that a report is to tell: runs, results, files of
// trials, reports of Ginkgo, verdicts and published scores.
func reportInput(std IO, paths []string) (reporter.Input, error) {
	in := &reportReader{std: std}
	for _, p := range paths {
		in.arm, p = named(p)
		from := len(in.Results)
		if err := in.path(p); err != nil {
			return reporter.Input{}, err
		}
		for i := range in.Results[from:] {
			if in.arm != "" {
				in.Results[from+i].Arm = in.arm
			}
		}
	}
	return in.Input, in.refuseTwins()
}

type reportReader struct {
	reporter.Input
	std      IO
	arm      string // the name that an argument gives what it holds
	verdicts int
}

// named takes the name of an arm off an argument such as baseline=old.jsonl. A
// path that holds an equals sign is no name where it is there as it stands.
func named(arg string) (arm, path string) {
	name, rest, ok := strings.Cut(arg, "=")
	if !ok || name == "" || strings.ContainsAny(name, `/\.`) {
		return "", arg
	}
	if _, err := os.Lstat(arg); err == nil {
		return "", arg
	}
	return name, rest
}

// path reads one argument.
func (r *reportReader) path(path string) error {
	if path == "-" {
		data, err := io.ReadAll(r.std.In)
		if err != nil {
			return withCode(exitInfra, err)
		}
		return r.file(data, "standard input")
	}
	info, err := os.Stat(path)
	if err != nil {
		return withCode(exitUsage, err)
	}
	if info.IsDir() {
		return r.folder(path)
	}
	if dir := filepath.Dir(path); filepath.Base(path) == "trials.jsonl" && isFile(filepath.Join(dir, "run.json")) {
		return r.folder(dir)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return withCode(exitInfra, err)
	}
	return r.file(data, path)
}

// folder reads a run directory, the folder of a suite, a saved baseline, or a
// folder with one of these for each arm.
func (r *reportReader) folder(path string) error {
	if arms := armsBelow(path); len(arms) > 0 {
		for _, arm := range arms {
			if err := r.folder(arm); err != nil {
				return err
			}
		}
		return nil
	}
	sources, err := sourcesBelow(r.std, path)
	if err != nil {
		return err
	}
	for _, s := range sources {
		if err := r.source(s); err != nil {
			return err
		}
		if err := r.checks(s); err != nil {
			return err
		}
	}
	return nil
}

// armsBelow lists the arms of a folder that one command made with both.
func armsBelow(path string) []string {
	var arms []string
	for _, name := range []string{"baseline", "candidate"} {
		dir := filepath.Join(path, name)
		if suites, err := rundir.Suites(dir); err == nil && len(suites) > 0 && !isFile(filepath.Join(dir, "run.json")) {
			arms = append(arms, dir)
		}
	}
	return arms
}

func (r *reportReader) source(s source) error {
	m, err := s.load()
	if err != nil {
		return err
	}
	r.Results = append(r.Results, m.result)
	return nil
}

// checks reads what the suite asserted about its split in the last pass.
func (r *reportReader) checks(s source) error {
	if !isFile(filepath.Join(s.path, "run.json")) {
		return nil // a saved baseline
	}
	outcome, ok, err := rundir.Dir{Path: s.path}.ReadOutcome()
	if err != nil {
		return withCode(exitIntegrity, err)
	}
	if !ok {
		return nil
	}
	r.Checks = append(r.Checks, checksOf(s.key.Suite, s.key.Split, outcome.Asserted)...)
	return nil
}

// checksOf are the assertions about a split as a report tells them.
func checksOf(suite string, split record.Split, asserted []rundir.Assertion) []reporter.Check {
	var checks []reporter.Check
	for _, a := range asserted {
		state := reporter.CheckFailed
		switch a.State {
		case rundir.Passed:
			state = reporter.CheckPassed
		case rundir.Undefined:
			state = reporter.CheckUndefined
		}
		checks = append(checks, reporter.Check{Suite: suite, Split: split, Name: a.Name, State: state, Message: a.Message})
	}
	return checks
}

// file reads one file by what it says it is.
func (r *reportReader) file(data []byte, name string) error {
	switch schemaOf(data) {
	case gate.VerdictSchema:
		v, err := gate.ParseVerdict(data, name)
		if err != nil {
			return withCode(exitIntegrity, err)
		}
		r.verdict(v)
		return nil
	case record.FinalSchema:
		f, err := record.ReadFinal(bytes.NewReader(data), name)
		if err != nil {
			return withCode(exitIntegrity, err)
		}
		return r.final(f)
	}
	sources, err := sourcesIn(r.std, data, name)
	if err != nil {
		return err
	}
	for _, s := range sources {
		if err := r.source(s); err != nil {
			return err
		}
	}
	return nil
}

// verdict adds the decisions of a verdict; the worst of several speaks.
func (r *reportReader) verdict(v gate.Verdict) {
	rank := []gate.Outcome{gate.Accepted, gate.Indecisive, gate.Rejected}
	if r.verdicts++; r.verdicts == 1 || slices.Index(rank, v.Verdict) > slices.Index(rank, r.Verdict) {
		r.Verdict = v.Verdict
	}
	r.Decisions = append(r.Decisions, v.Suites...)
}

// final adds a published score, and the comparison behind its delta.
func (r *reportReader) final(f record.Final) error {
	r.Finals = append(r.Finals, f)
	if f.TestBaseline == nil || f.Status == record.FinalEqual {
		return nil
	}
	d, err := gate.Compare(*f.TestBaseline, f.Test, gate.DefaultRule())
	if err != nil {
		return withCode(exitIntegrity, err)
	}
	r.Decisions = append(r.Decisions, d)
	return nil
}

// refuseTwins refuses what would be told twice.
func (r *reportReader) refuseTwins() error {
	type id struct {
		key record.Key
		run string
	}
	seen := map[id]bool{}
	for _, s := range r.Results {
		k := id{record.Key{Suite: s.Suite, Split: s.Split, Arm: s.Arm}, s.Run.ID}
		if seen[k] {
			return fail(exitUsage, "found two results of suite %s, split %s, arm %s, run %s, need one: was a path given twice? Two arms of one name are told apart by baseline=PATH candidate=PATH", s.Suite, s.Split, s.Arm, orNone(s.Run.ID))
		}
		seen[k] = true
	}
	judged := map[record.Key]bool{}
	for _, d := range r.Decisions {
		k := record.Key{Suite: d.Suite, Split: d.Split}
		if judged[k] {
			return fail(exitUsage, "found two verdicts on suite %s, split %s, need one", d.Suite, d.Split)
		}
		judged[k] = true
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "without an id"
	}
	return s
}

// errNothing says that a report would be empty.
var errNothing = errors.New("found nothing to report")

// reported refuses an empty report.
func reported(in reporter.Input) error {
	if len(in.Results)+len(in.Decisions)+len(in.Finals) == 0 {
		return withCode(exitUsage, fmt.Errorf("%w: need a run, a result, a verdict or a final.json", errNothing))
	}
	return nil
}
