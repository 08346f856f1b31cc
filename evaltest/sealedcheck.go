package evaltest

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// grantProblem returns why the grant that this process carries does not open the
// suite, nil when it does. Nothing was asked of the broker but hello.
func (s *suite) grantProblem(report ginkgo.Report) *problem {
	if p := s.grantWrong(); p != nil {
		return p
	}
	if names := seal.OverrideNames(os.Environ()); len(names) > 0 {
		return sealProblem(seal.Override(names))
	}
	if what := s.notWhole(report); what != "" {
		return sealProblem(seal.NotWhole(what))
	}
	return nil
}

// grantWrong is the part of the check that every process makes for itself, once:
// the grant is alive, its tasks and plan are those that were built here, and the
// ledger knows its attempt.
func (s *suite) grantWrong() *problem {
	d := &s.sealed
	if !d.carried() {
		return nil
	}
	d.checked.Do(func() {
		if d.problem != nil {
			d.wrong = sealProblem(*d.problem)
		} else if d.client == nil {
			d.wrong = sealProblem(seal.DeadGrant("", "a variable that was set after the process had begun"))
		} else if r := s.otherThanReserved(); r != nil {
			d.wrong = sealProblem(*r)
		} else if err := s.attemptEnded(); err != nil {
			d.wrong = sealProblem(asRefusal(err, d.grant.Attempt))
		}
	})
	return d.wrong
}

func sealProblem(r seal.Refusal) *problem {
	return &problem{exit: r.Exit, code: r.ID, text: r.Error()}
}

// otherThanReserved compares what was built with what was reserved.
func (s *suite) otherThanReserved() *seal.Refusal {
	g := s.sealed.grant
	if s.settings.name != g.Suite {
		r := seal.OtherSuite(s.settings.name, g.Suite)
		return &r
	}
	plan := s.sealedPlan()
	difference := ""
	if len(g.Tasks) > 0 {
		difference = seal.Difference(plan.Tasks, g.Tasks)
	}
	if fp := seal.Fingerprint(plan.Tasks); fp != g.FP {
		r := seal.OtherSplit(fp, g.FP, difference)
		return &r
	}
	if found := plan.Digest(); found != g.Plan {
		if difference == "" {
			difference = fmt.Sprintf("base seed %d, the files that score (%s), or a number of trials", plan.BaseSeed, cmp.Or(plan.Scorer, "none found"))
		}
		r := seal.OtherPlan(found, g.Plan, difference)
		return &r
	}
	return nil
}

// attemptEnded asks the ledger whether the grant's attempt may still look.
func (s *suite) attemptEnded() error {
	d := &s.sealed
	attempts := d.attempts
	if attempts == nil {
		var err error
		if attempts, err = ledgerOf(d.grant.Ledger); err != nil {
			return seal.DeadGrant(d.grant.Attempt, err.Error())
		}
	}
	err := attempts.Check(d.grant)
	var r seal.Refusal
	if err != nil && !errors.As(err, &r) {
		return seal.EndedAttempt(d.grant.Attempt, err.Error())
	}
	return err
}

// notWhole names what would leave out a part of the reserved plan, "" when
// nothing does.
func (s *suite) notWhole(report ginkgo.Report) string {
	set := &s.settings
	switch {
	case set.todo != nil:
		return "A further pass (--resume, --retry-missing)"
	case !set.run.Shard.V.Whole():
		return "Shard " + set.run.Shard.V.String()
	case report.SuiteHasProgrammaticFocus:
		return "Programmatic focus (FIt, FDescribe, Focus)"
	case restricted(report, s.userFilter):
		return "A filter, focus or skip flag"
	}
	for _, t := range s.reg.of(record.Test) {
		if t.pending {
			return fmt.Sprintf("Pending on task %q", t.id)
		}
	}
	return ""
}

// askedTwice turns what would run test trials again into a refusal of the seal,
// in a sealed run.
func (s *suite) askedTwice(found []problem) []problem {
	if !s.sealed.open() {
		return found
	}
	for i, p := range found {
		switch p.code {
		case "repeat", "flake_attempts", "must_pass_repeatedly":
			found[i] = *sealProblem(seal.WouldAskTwice(p.text))
		}
	}
	return found
}

// mayRead returns whose rows' content TasksFrom may keep, args being what it was
// given: outside a sealed run, nobody may have what a test task holds, whether
// the row, the arguments or a container around them say so.
func mayRead(args []any) func(record.Split) bool {
	open := here.sealed.open()
	around := false
	for _, arg := range args {
		around = around || arg == any(record.Test)
	}
	for _, scope := range here.reg.scopes {
		for _, split := range scope.splits {
			around = around || split == record.Test
		}
	}
	return func(split record.Split) bool { return open || !around && split != record.Test }
}
