package cli

import (
	"fmt"
	"path/filepath"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// read returns what both arms have measured by now: the first n trials of every
// task, all of them where n is 0.
func (p *pair) read(std IO, n int) ([2]arm, error) {
	var both [2]arm
	for which, s := range p.arms {
		a := arm{path: filepath.Join(p.root, armNames[which])}
		for _, r := range s.suites {
			if !r.found {
				continue
			}
			m, ok, err := r.measured(n)
			if err != nil {
				return both, err
			}
			if ok {
				a.suites = append(a.suites, m)
			}
		}
		both[which] = a
	}
	if len(both[baselineArm].suites)+len(both[candidateArm].suites) == 0 {
		return both, p.nothing()
	}
	return both, nil
}

// nothing says why neither arm has a result.
func (p *pair) nothing() error {
	for which, s := range p.arms {
		for _, r := range s.suites {
			for _, j := range r.judge() {
				return fail(j.code, "%s: %s", armNames[which], j.text)
			}
		}
	}
	if code := p.signals.code(); code != exitOK {
		return fail(code, "interrupted before there was a plan")
	}
	return fail(exitInfra, "no suite came to its first trial in either arm")
}

// measured is the suite's result over the first n trials of every task; ok is
// false where there is no plan.
func (r *suiteRun) measured(n int) (m measured, ok bool, err error) {
	run, err := r.dir.ReadRun()
	if err != nil {
		return m, false, nil // it never came to its plan, and judge tells why
	}
	trials, _, err := r.dir.ReadJournal()
	if err != nil {
		return m, false, withCode(exitIntegrity, err)
	}
	if n > 0 {
		run, trials, _ = rundir.Cut(run, trials, n)
	}
	if m.result, err = record.Summarize(run, trials, record.Options{}); err != nil {
		return m, false, withCode(exitIntegrity, err)
	}
	m.metrics, err = metricsOf(trials)
	return m, true, withCode(exitIntegrity, err)
}

// shorten ends the plans of both arms after n trials a task and returns how many
// cells that leaves out.
func (p *pair) shorten(n int) (int, error) {
	total := 0
	for _, s := range p.arms {
		for _, r := range s.suites {
			if !r.found {
				continue
			}
			dropped, err := r.dir.Shorten(n, fmt.Sprintf("the case was clear after %d trials a task", n))
			if err != nil {
				return 0, withCode(exitIntegrity, err)
			}
			total += dropped
			r.short = true
		}
	}
	return total, nil
}

// told is what a report on the pair tells beside the verdict.
func (p *pair) told() reporter.Input {
	var in reporter.Input
	for which, s := range p.arms {
		for _, r := range s.suites {
			r.summarise()
			if !r.hasResult {
				continue
			}
			in.Results = append(in.Results, r.result)
			if which == candidateArm && r.outcome != nil {
				in.Checks = append(in.Checks, checksOf(r.result.Suite, r.result.Split, r.outcome.Asserted)...)
			}
		}
	}
	return in
}

// code is what the runs themselves owe: a signal, a process that died, a refusal,
// and the assertions of the candidate. What the baseline asserts about itself is
// no news.
func (p *pair) code() int {
	codes := []int{p.signals.code()}
	for which, s := range p.arms {
		for _, r := range s.suites {
			for _, j := range r.judge() {
				if which == candidateArm || j.code != exitRejected && j.code != exitUnclear {
					codes = append(codes, j.code)
					p.say("%s: %s", armNames[which], j.text)
				}
			}
		}
	}
	return worst(codes...)
}
