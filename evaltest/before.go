package evaltest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// The exit codes that the command owes a refusal.
const (
	exitUsage     = 2
	exitSealed    = 4
	exitIntegrity = 5
	exitInfra     = 6
	exitLooked    = 7
)

// before runs in the first process, before every hook: it refuses what cannot
// be measured, or writes the plan and opens the run.
func (s *suite) before(report ginkgo.Report) {
	if report.SuiteConfig.DryRun {
		s.declareAll(report)
		return
	}
	if s.settings.name == "" {
		s.settings.name = report.SuiteDescription
	}
	if len(s.reg.tasks) == 0 && len(s.reg.problems) == 0 && len(loadProblems) == 0 {
		return // no task: nothing of ours
	}
	if p := s.problem(report); p != nil {
		s.refuse(*p)
	}
	run := s.plan(report)
	if len(run.Plan) == 0 {
		if n := s.reg.sealed(); n > 0 {
			s.say("%d sealed test tasks were not built", n)
		}
		return
	}
	root, err := s.place(&run)
	if err != nil {
		s.refuse(problem{exit: exitInfra, code: "run_dir", text: err.Error()})
	}
	dir := rundir.Suite(root, run.Suite)
	if err := dir.Claim(run.Package); err != nil {
		s.refuse(problem{exit: exitUsage, code: "suite_taken", text: err.Error()})
	}
	if p := s.continues(dir, &run); p != nil {
		s.refuse(*p)
	}
	if err := dir.WriteRun(run); err != nil {
		s.refuse(problem{exit: exitInfra, code: "run_dir", text: err.Error()})
	}
	l, err := s.open(root, run)
	if err != nil {
		s.refuse(problem{exit: exitInfra, code: "run_dir", text: err.Error()})
	}
	if err := s.invite(root, run); err != nil {
		s.refuse(problem{exit: exitInfra, code: "run_dir", text: err.Error()})
	}
	s.live = l
	if s.sealed.client == nil { // in a sealed run nothing may begin before the first spec does
		s.startPool()
	}
	s.nearDeadline()
	if run.Sealed > 0 {
		s.say("%d sealed test tasks were not built: they run in the finalize job", run.Sealed)
	}
}

// refuse fails the suite before anything ran, with one clean message.
func (s *suite) refuse(p problem) {
	if root := s.settings.run.RunDir.V; root != "" {
		dir := rundir.Suite(root, s.settings.name)
		if err := os.MkdirAll(dir.Path, 0o755); err == nil {
			_ = dir.WriteRefusal(rundir.Refusal{Exit: p.exit, Code: p.code, Message: p.text})
		}
	}
	s.refused = true
	ginkgo.Fail("capeval refused to run this suite, and nothing ran:\n" + p.text)
}

// problem returns why the suite may not run, nil when it may.
func (s *suite) problem(report ginkgo.Report) *problem {
	set := &s.settings
	found := s.declarationProblems(report)
	if !strings.Contains(report.SuiteConfig.LabelFilter, splitClause(set.split())) {
		found = append(found, problem{exit: exitInfra, code: "no_split_filter",
			text: fmt.Sprintf("the label filter %q lacks the clause that keeps other splits out; something set the filter after the tree was built: remove it", report.SuiteConfig.LabelFilter)})
	}
	if len(found) > 0 {
		p := found[0]
		var lines []string
		for _, f := range found {
			p.exit = max(p.exit, f.exit)
			lines = append(lines, "  "+strings.ReplaceAll(f.text, "\n", "\n  "))
		}
		p.text = strings.Join(lines, "\n")
		return &p
	}
	return s.sealedProblem(report)
}

// declarationProblems lists what is wrong with the suite and how it was called.
func (s *suite) declarationProblems(report ginkgo.Report) []problem {
	var found []problem
	for _, text := range s.settings.problems {
		found = append(found, problem{exit: exitUsage, code: "config", text: text})
	}
	found = append(found, loadProblems...)
	found = append(found, s.reg.problems...)
	found = append(found, s.reg.collisions()...)
	found = append(found, conflicts(report.SuiteConfig)...)
	if repeated() {
		found = append(found, problem{exit: exitUsage, code: "repeat", text: "ginkgo --repeat and --until-it-fails run the suite again and keep the last report only; remove them and say Trials(n)"})
	}
	return s.askedTwice(found)
}

// sealedProblem refuses a request for the test split.
func (s *suite) sealedProblem(report ginkgo.Report) *problem {
	sealed := s.reg.of(record.Test)
	if s.sealed.carried() {
		return s.grantProblem(report)
	}
	if s.settings.split() == record.Test {
		id := "(none declared)"
		if len(sealed) > 0 {
			id = sealed[0].id
		}
		return &problem{exit: exitSealed, code: "S01", text: seal.NoGrant(id).Error()}
	}
	if len(sealed) == 0 || s.settings.todo != nil || report.PreRunStats.SpecsThatWillRun > 0 && s.reg.focusedSealed == 0 {
		return nil // a further pass may have no trial left to build, and only judges
	}
	if s.reg.focusedSealed > 0 && report.SuiteHasProgrammaticFocus {
		return nil // other specs are focused too, and run
	}
	return &problem{exit: exitSealed, code: "S02", text: seal.OnlySealed(len(sealed)).Error()}
}

// conflicts refuses what Ginkgo would do to trials behind our back.
func conflicts(c types.SuiteConfig) []problem {
	var out []problem
	if c.FlakeAttempts > 0 {
		out = append(out, problem{exit: exitUsage, code: "flake_attempts", text: "--flake-attempts runs failed trials again until they pass; remove it: only missing trials may be retried (--retry-missing)"})
	}
	if c.MustPassRepeatedly > 0 {
		out = append(out, problem{exit: exitUsage, code: "must_pass_repeatedly", text: "--must-pass-repeatedly stops at the first failure; remove it and say Trials(n)"})
	}
	return out
}

// plan is what this process was asked to measure.
func (s *suite) plan(report ginkgo.Report) record.Run {
	set := &s.settings
	s.askGit()
	procs, _ := processes()
	scorer, err := scorerDigest()
	if err != nil {
		s.say("the test files cannot be read, so the scorer has no digest: %v", err)
	}
	run := record.Run{
		Schema: record.RunSchema, Suite: set.name, Package: packageName(), Split: set.split(), Arm: set.run.Arm.V,
		BaseSeed: set.run.BaseSeed.V, Trials: set.trials(nil), Workers: s.workers(), Procs: procs, Attempt: 1,
		Sealed: s.reg.sealed(), PassThreshold: set.run.PassThreshold.V, ScorerDigest: scorer, Git: s.git(),
		Versions: versions(), Started: time.Now().UTC().Format(time.RFC3339),
		Subset: restricted(report, s.userFilter),
	}
	if sh := set.run.Shard.V; !sh.Whole() {
		run.Shard = &record.Shard{Index: sh.Index, Count: sh.Count}
	}
	for _, t := range s.reg.of(run.Split) {
		p := record.PlanTask{Task: t.id, Trials: t.trials, Cluster: t.cluster, ContentDigest: t.digest, Location: s.relative(t)}
		if run.Shard != nil {
			for k := range t.trials {
				if record.ShardOf(record.Cell{Task: t.id, Trial: k}, run.Shard.Count) != run.Shard.Index {
					p.Elsewhere = append(p.Elsewhere, k)
				}
			}
		}
		run.Plan = append(run.Plan, p)
	}
	sort.Slice(run.Plan, func(i, j int) bool { return run.Plan[i].Task < run.Plan[j].Task })
	s.deselect(&run)
	return run
}

// deselect leaves out of the plan's denominator what the filters are foreseen to
// leave out, for a run that dies before Ginkgo can tell exactly. Programmatic
// focus cannot be foreseen.
func (s *suite) deselect(run *record.Run) {
	chosen, err := s.selection()
	if !run.Subset || s.focused || err != nil {
		return
	}
	for i := range run.Plan {
		p := &run.Plan[i]
		for k := range p.Trials {
			if c := s.reg.cells[record.Cell{Task: p.Task, Trial: k}]; c != nil && !chosen(c) {
				p.Deselected = append(p.Deselected, k)
			}
		}
	}
}

// restricted reports whether a selection is in force.
func restricted(report ginkgo.Report, userFilter string) bool {
	c := report.SuiteConfig
	return report.SuiteHasProgrammaticFocus || userFilter != "" || c.SemVerFilter != "" ||
		len(c.FocusStrings)+len(c.SkipStrings)+len(c.FocusFiles)+len(c.SkipFiles) > 0
}

// place finds or makes the run directory, and fills in the run's id.
func (s *suite) place(run *record.Run) (string, error) {
	if root := s.settings.run.RunDir.V; root != "" {
		run.ID = os.Getenv(envRunID)
		if run.ID == "" {
			run.ID = filepath.Base(root)
		}
		return rundir.Create(root)
	}
	var entropy [10]byte
	_, _ = rand.Read(entropy[:])
	run.ID = rundir.NewID(time.Now(), entropy)
	return rundir.Create(filepath.Join(s.outDir(), run.ID))
}

// outDir is the folder of run directories.
func (s *suite) outDir() string {
	out := s.settings.run.Out.V
	if filepath.IsAbs(out) {
		return out
	}
	root := s.settings.cfg.Root
	if root == "" {
		root, _ = config.Root(".")
	}
	return filepath.Join(root, out)
}

// continues checks a run against what its folder holds already.
func (s *suite) continues(dir rundir.Dir, run *record.Run) *problem {
	earlier, err := dir.ReadRun()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &problem{exit: exitIntegrity, code: "run_dir", text: err.Error()}
	}
	if s.settings.todo == nil {
		return &problem{exit: exitUsage, code: "run_dir_used",
			text: fmt.Sprintf("%s already holds a run of suite %q; choose another directory, or continue it with `capeval-ci run --resume`", dir.Path, run.Suite)}
	}
	if err := rundir.SamePlan(earlier, *run); err != nil {
		return &problem{exit: exitIntegrity, code: "another_plan", text: fmt.Sprintf("%s cannot be continued: %v", dir.Path, err)}
	}
	run.ID, run.Started = earlier.ID, earlier.Started
	run.Plan, run.Subset = earlier.Plan, earlier.Subset
	run.Attempt = earlier.Attempt
	return nil
}

// relative is where a task is declared, below the project's root.
func (s *suite) relative(t *task) string {
	if t.row != "" {
		return t.row
	}
	file := t.location.FileName
	if rel, err := filepath.Rel(s.settings.cfg.Root, file); err == nil && filepath.IsLocal(rel) {
		file = filepath.ToSlash(rel)
	}
	return fmt.Sprintf("%s:%d", file, t.location.LineNumber)
}

// place names a location as a user reads it.
func place(at types.CodeLocation) string {
	file := at.FileName
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
	}
	return fmt.Sprintf("%s:%d", file, at.LineNumber)
}

func versions() record.Version {
	return record.Version{Capeval: moduleVersion(), Go: runtime.Version(), Ginkgo: types.VERSION}
}
