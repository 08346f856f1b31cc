package cli

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"

	"github.com/capeval/capeval/internal/rundir"
)

// judgement is what one reason says about a suite.
type judgement struct {
	code int
	text string
}

// code is the exit code of the run: from records and assertions.
func (s *call) code() int {
	codes := []int{s.signals.code()}
	measured := false
	for _, r := range s.suites {
		for _, j := range r.judge() {
			codes = append(codes, j.code)
		}
		measured = measured || r.hasResult && r.result.NCells > 0 || r.emptyShard()
	}
	if !measured && worst(codes...) == exitOK {
		codes = append(codes, exitUsage)
	}
	return worst(codes...)
}

// judge lists what speaks against a suite, in the order in which it is told.
func (r *suiteRun) judge() []judgement {
	var js []judgement
	add := func(code int, format string, args ...any) {
		js = append(js, judgement{code, fmt.Sprintf(format, args...)})
	}
	interrupted := r.call.signals.code() != exitOK
	if r.refusal != nil {
		add(r.refusal.Exit, "%s", r.refusal.Message)
	}
	if r.resultErr != nil {
		add(exitIntegrity, "%v", r.resultErr)
	}
	if r.died != "" && !interrupted {
		add(exitInfra, "%s", r.died)
	}
	if r.late {
		add(exitInfra, "%s did not begin: the time of the run was over", r.pkg())
	}
	if r.unborn() && !interrupted {
		add(exitInfra, "the test process of %s died before its suite began (%s)", r.pkg(), r.exit.State)
	}
	res := r.result
	if r.hasResult && res.NCells > 0 && res.NMissing == res.NCells {
		add(exitInfra, "%s: nothing was measured, all %d cells are missing", res.Suite, res.NCells)
	}
	if r.outcome != nil {
		for _, a := range r.outcome.Asserted {
			message := strings.ReplaceAll(strings.TrimSpace(a.Message), "\n", "\n  ")
			switch a.State {
			case rundir.Failed:
				add(exitRejected, "%s failed: %s", a.Name, message)
			case rundir.Undefined:
				add(exitUnclear, "%s cannot be judged: %s", a.Name, message)
			case rundir.Panicked:
				add(exitInfra, "%s panicked: %s", a.Name, message)
			}
		}
	}
	if r.redOutside() {
		add(exitRejected, "%s: specs that are no trials are red", r.pkg())
	}
	if j, ok := r.belowCoverage(); ok {
		js = append(js, j)
	}
	if why := r.noBaseline(); why != "" && r.call.flags.saveBaseline != "" && (r.found || r.refusal != nil) {
		add(exitUnclear, "%s: no baseline was written: %s", r.pkg(), why)
	}
	return js
}

// unborn reports whether the process died before there was a plan.
func (r *suiteRun) unborn() bool {
	return r.ran && !r.found && r.refusal == nil && !orderly(r.exit)
}

// redOutside reports whether an ordinary spec or test function failed. Trials
// never make a run red by themselves, whatever go test says of their specs.
func (r *suiteRun) redOutside() bool {
	if r.red {
		return true
	}
	if !r.found && r.refusal == nil && r.ran && r.exit.Code == 1 {
		return !bytes.Contains(r.output.read(), []byte("nothing was measured, and that is not a pass"))
	}
	if r.outcome == nil || !r.ran || r.exit.Code != 1 || r.outcome.Stopped != "" || r.refusal != nil {
		return false
	}
	suiteRed := r.outcome.SpecsRed > 0 || r.hasResult && (r.result.NCells == 0 || r.result.NMissing == r.result.NCells)
	for _, a := range r.outcome.Asserted {
		suiteRed = suiteRed || a.State != rundir.Passed
	}
	failed := bytes.Count(append([]byte("\n"), r.output.read()...), []byte("\n--- FAIL: ")) // test functions
	return !suiteRed || failed > 1                                                          // one of them is the suite's
}

// belowCoverage asks for --min-coverage. A subset and a shard speak of something
// else than the declared tasks, so the floor is not applied to them.
func (r *suiteRun) belowCoverage() (judgement, bool) {
	res := r.result
	if !r.hasResult || res.NTasks == 0 || res.Subset || res.Run.Shard != nil {
		return judgement{}, false
	}
	floor := r.call.minCoverage()
	if big.NewRat(int64(res.NScored), int64(res.NTasks)).Cmp(floor) >= 0 {
		return judgement{}, false
	}
	return judgement{exitUnclear, fmt.Sprintf("%s: %d of %d tasks were scored, need coverage %s: too little was measured to say anything",
		res.Suite, res.NScored, res.NTasks, decimal(floor))}, true
}

// decimal writes r, which came from a decimal, as one.
func decimal(r *big.Rat) string {
	n, exact := r.FloatPrec()
	if !exact {
		return r.RatString()
	}
	return r.FloatString(n)
}

// state says in a word what the run left: measured, partial, nothing, refused.
func (s *call) state() string {
	scored, missing, refused := 0, 0, false
	for _, r := range s.suites {
		refused = refused || r.refusal != nil
		scored += r.result.NCells - r.result.NMissing
		missing += r.result.NMissing
	}
	switch {
	case refused:
		return "refused"
	case scored == 0:
		return "nothing"
	case missing > 0 || s.signals.code() != exitOK:
		return "partial"
	}
	return "measured"
}
