package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/record"
)

// Suite is one split of one suite: the plan and what came of it. A planned cell
// without a trial never started.
type Suite struct {
	Run    record.Run
	Trials []record.Trial
}

// ErrDryRun says that a report lists specs as passed that ran nothing.
var ErrDryRun = errors.New("a dry run measured nothing")

// ErrPartial says that a report lacks specs that were declared.
var ErrPartial = errors.New("the report is not whole")

// Ginkgo reads the file of `ginkgo --json-report`, from one process or many. Each
// split of each suite in it comes back once, sorted by suite and split.
//
// A trial of package evaltest is what its report entry says. Any other spec is a
// task of one trial: passed is reward 1, failed is reward 0, and what failed
// before the body, panicked, ran out of time, was interrupted or skipped is
// missing. So is a spec that passed after a retry, because retries hide failures.
// Specs that a selection left out are deselected in the plan.
//
// A report without a suite, without a spec or of a dry run is refused, and so are
// two specs that nothing tells apart.
func Ginkgo(r io.Reader, name string) ([]Suite, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var reports []types.Report
	if err := json.Unmarshal(data, &reports); err != nil {
		return nil, fmt.Errorf("%s: found no report of ginkgo --json-report: %w", name, err)
	}
	if len(reports) == 0 {
		return nil, fmt.Errorf("%s: found a report without a suite, need one: Ginkgo writes [] when a report entry holds NaN or an infinity", name)
	}
	var suites []Suite
	for _, report := range reports {
		found, err := suitesOf(report)
		if err != nil {
			return nil, fmt.Errorf("%s: suite %q: %w", name, report.SuiteDescription, err)
		}
		suites = append(suites, found...)
	}
	slices.SortStableFunc(suites, func(a, b Suite) int {
		return cmp.Or(strings.Compare(a.Run.Suite, b.Run.Suite), strings.Compare(string(a.Run.Split), string(b.Run.Split)))
	})
	for i := 1; i < len(suites); i++ {
		if suites[i].Run.Key() == suites[i-1].Run.Key() {
			return nil, fmt.Errorf("%s: found two suites called %q, need names of their own", name, suites[i].Run.Suite)
		}
	}
	return suites, nil
}

// IsGinkgo reports whether data looks like the file of `ginkgo --json-report`.
func IsGinkgo(data []byte) bool {
	var reports []struct {
		SuiteConfig *json.RawMessage
		SpecReports *json.RawMessage
	}
	if json.Unmarshal(data, &reports) != nil {
		return false
	}
	for _, r := range reports {
		if r.SuiteConfig == nil {
			return false
		}
	}
	return true
}

// suitesOf returns the splits of one report.
func suitesOf(r types.Report) ([]Suite, error) {
	if r.SuiteConfig.DryRun {
		return nil, fmt.Errorf("%w: all its specs are called passed and none ran; need a report made without --dry-run", ErrDryRun)
	}
	var specs []spec
	for i := range r.SpecReports {
		if s := &r.SpecReports[i]; s.LeafNodeType == types.NodeTypeIt {
			specs = append(specs, specOf(s))
		}
	}
	if len(specs) == 0 {
		why := "need one spec or more"
		if len(r.SpecialSuiteFailureReasons) > 0 {
			why = strings.Join(r.SpecialSuiteFailureReasons, "; ")
		}
		return nil, fmt.Errorf("found no spec: %s", why)
	}
	if n := r.PreRunStats.TotalSpecs; len(specs) < n {
		return nil, fmt.Errorf("%w: found %d of %d specs: a process died before it could report", ErrPartial, len(specs), n)
	}
	if err := tellApart(specs); err != nil {
		return nil, err
	}
	bySplit := map[record.Split][]spec{}
	for _, s := range specs {
		bySplit[s.split] = append(bySplit[s.split], s)
	}
	selected := r.PreRunStats.SpecsThatWillRun
	var suites []Suite
	for _, split := range []record.Split{record.Train, record.Val, record.Test} {
		if group := bySplit[split]; len(group) > 0 {
			if s, ok := suiteOf(r, split, group, selected, len(specs)); ok {
				suites = append(suites, s)
			}
		}
	}
	if len(suites) == 0 {
		return nil, fmt.Errorf("the selection ran none of %d specs, need one or more", len(specs))
	}
	return suites, nil
}

// suiteOf is one split of a report. It is not ok when a selection left out all of
// it: another split ran.
func suiteOf(r types.Report, split record.Split, specs []spec, selected, total int) (Suite, bool) {
	started := 0
	for _, s := range specs {
		if s.started() {
			started++
		}
	}
	pending := func(s spec) bool { return s.report.State == types.SpecStatePending }
	selection := selected < total
	if selection && started == 0 {
		return Suite{}, false
	}
	// Ginkgo calls both skipped: what a selection left out and what was never
	// reached. They can be told apart only when all that was selected started;
	// otherwise everything that did not start is missing.
	left := func(s spec) bool { return pending(s) || !s.started() && selection && started >= selected }

	run := record.Run{
		Schema: record.RunSchema, Suite: name(r), Split: split, Arm: "candidate", Trials: 1, Workers: 1,
		Procs: max(r.SuiteConfig.ParallelTotal, 1), PassThreshold: 1,
	}
	if !r.StartTime.IsZero() {
		run.Started, run.Ended = stamp(r.StartTime), stamp(r.EndTime)
	}
	plan := map[string]*record.PlanTask{}
	var trials []record.Trial
	for _, s := range specs {
		p := plan[s.task]
		if p == nil {
			p = &record.PlanTask{Task: s.task}
			plan[s.task] = p
		}
		p.Trials = max(p.Trials, s.trial+1)
		run.Trials = max(run.Trials, p.Trials)
		switch {
		case left(s):
			p.Deselected = append(p.Deselected, s.trial)
			run.Subset = run.Subset || !pending(s) || s.own
		case s.started():
			trials = append(trials, s.record(run))
		}
		if s.entry != nil {
			run.BaseSeed = s.entry.Seed - int64(s.trial)
		}
	}
	for _, p := range plan {
		slices.Sort(p.Deselected)
		run.Plan = append(run.Plan, *p)
	}
	slices.SortFunc(run.Plan, func(a, b record.PlanTask) int { return strings.Compare(a.Task, b.Task) })
	slices.SortFunc(trials, func(a, b record.Trial) int {
		return cmp.Or(strings.Compare(a.Task, b.Task), cmp.Compare(a.Trial, b.Trial))
	})
	return Suite{run, trials}, true
}

// name is the suite's, or that of its folder.
func name(r types.Report) string {
	if s := strings.TrimSpace(r.SuiteDescription); s != "" {
		return s
	}
	if i := strings.LastIndexAny(r.SuitePath, `/\`); i >= 0 && i < len(r.SuitePath)-1 {
		return r.SuitePath[i+1:]
	}
	return record.DefaultSuite
}
