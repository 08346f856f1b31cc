package evaltest

import (
	"errors"
	"fmt"
	"os"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// settings are what code, capeval.yaml and the environment say, the last the
// strongest.
type settings struct {
	name       string // the suite's, "" until it is known
	codeTrials *int
	codeSeed   *int64

	resolved bool
	cfg      config.Config
	run      config.Run
	todo     map[record.Cell]int // cell -> attempt; nil when every cell is to run
	passes   passes
	problems []string
}

// passes is what the command says about the pass that this process is part of.
// None of it is for users.
type passes struct {
	todo    string  // CAPEVAL_TODO: the suite's folder, whose todo.json lists what this pass runs
	retries int     // CAPEVAL_RETRIES_LEFT: passes that may still follow
	budget  float64 // CAPEVAL_BUDGET_USD, else capeval.yaml; 0 is none
	quiet   bool    // CAPEVAL_QUIET: the command prints the summary
	round   *round  // CAPEVAL_ROUND: nil is every trial
}

// round is a range of trials: a pass that is part of an interleaved run builds
// these and leaves the rest of its plan to later passes.
type round struct{ first, last int }

// The variables by which the command speaks to the library.
const (
	envTodo        = "CAPEVAL_TODO"
	envRetriesLeft = "CAPEVAL_RETRIES_LEFT"
	envBudget      = "CAPEVAL_BUDGET_USD"
	envQuiet       = "CAPEVAL_QUIET"
	envRound       = "CAPEVAL_ROUND"
	envRunID       = "CAPEVAL_RUN_ID"
	envPackage     = "CAPEVAL_PACKAGE"
)

// resolve reads the configuration. It depends on the environment and on files
// that stand still while a suite runs, so that every process of `ginkgo -p`
// builds the same tree.
func (s *settings) resolve() {
	if s.resolved {
		return
	}
	s.resolved = true
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		s.problems = append(s.problems, unjoin(err)...)
	}
	s.cfg = cfg
	s.run = cfg.ForSuite(s.name)
	if s.codeSeed != nil {
		s.run.BaseSeed = s.run.BaseSeed.Code(*s.codeSeed)
	}
	if r := here.sealed.settle(&s.run); r != nil {
		s.problems = append(s.problems, r.Error())
	}
	if err := s.passes.read(os.LookupEnv); err != nil {
		s.problems = append(s.problems, err.Error())
	}
	if s.passes.budget == 0 {
		s.passes.budget = s.run.BudgetUSD.V
	}
	if s.passes.todo != "" {
		cells, ok, err := rundir.Dir{Path: s.passes.todo}.ReadTodo()
		if err == nil && !ok {
			err = fmt.Errorf("%s: %s holds no todo.json, need the cells of this pass", envTodo, s.passes.todo)
		}
		if err != nil {
			s.problems = append(s.problems, err.Error())
		}
		s.todo = map[record.Cell]int{}
		for _, c := range cells {
			s.todo[c.Cell] = c.Attempt
		}
	}
}

// unjoin lists the errors in a joined error.
func unjoin(err error) []string {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		var out []string
		for _, e := range many.Unwrap() {
			out = append(out, unjoin(e)...)
		}
		return out
	}
	return []string{err.Error()}
}

func (s *settings) split() record.Split { return record.Split(s.run.Split.V) }

// trials returns the number of trials of a task whose own decorator says own,
// which is the weakest voice but for the suite's.
func (s *settings) trials(own *int) int {
	v := s.run.Trials
	if s.codeTrials != nil {
		v = v.Code(*s.codeTrials)
	}
	if own != nil {
		v = v.Code(*own)
	}
	return v.V
}

// builds reports whether this process may run the cell, and as which attempt.
func (s *settings) builds(c record.Cell) (attempt int, ok bool) {
	if !s.run.Shard.V.Whole() && record.ShardOf(c, s.run.Shard.V.Count) != s.run.Shard.V.Index {
		return 0, false
	}
	if r := s.passes.round; r != nil && (c.Trial < r.first || c.Trial > r.last) {
		return 0, false
	}
	if s.todo == nil {
		return 1, true
	}
	attempt, ok = s.todo[c]
	return attempt, ok
}

// price returns what the tokens cost by the price table of capeval.yaml.
func (s *settings) price(model string, in, out int) (usd float64, ok bool) {
	p, ok := s.cfg.Prices[model]
	if !ok {
		return 0, false
	}
	return (float64(in)*p.Input.V + float64(out)*p.Output.V) / 1e6, true
}
