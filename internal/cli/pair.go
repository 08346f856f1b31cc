package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/rundir"
)

// pair runs two arms of one plan in turns: a round of trials of the one, the same
// trials of the other, and the other way round in the next. What changes while
// they run, such as the load of a provider, then falls on both.
type pair struct {
	std     IO
	root    string // holds a run directory for each arm
	signals *signals
	arms    [2]*call // baseline, candidate
	turns   int      // that were taken
}

// The places of the arms in a pair.
const (
	baselineArm = iota
	candidateArm
)

// armNames are the names under which the arms are measured and kept.
var armNames = [2]string{"baseline", "candidate"}

// add prepares an arm whose packages lie below dir.
func (p *pair) add(which int, dir string, cfg config.Config, patterns []string, id string) error {
	s := &call{std: p.std, cfg: cfg, dir: dir, signals: p.signals, place: filepath.Join(p.root, armNames[which])}
	s.command.Packages, s.command.ID = patterns, id
	p.arms[which] = s
	if err := s.cfg.Run.Apply("arm", armNames[which], config.LayerFlag, "gate"); err != nil {
		return withCode(exitUsage, err)
	}
	bench, err := gotest.NewBench()
	s.bench = bench
	return withCode(exitInfra, err)
}

// close removes what the arms needed beside their records.
func (p *pair) close() {
	for _, s := range p.arms {
		if s == nil {
			continue
		}
		if s.lock != nil {
			_ = s.lock.Close()
		}
		if s.bench != nil {
			_ = s.bench.Close() // a temporary folder that stays harms nobody
		}
	}
}

// build builds an arm and makes its suites.
func (p *pair) build(ctx context.Context, which int) error {
	s := p.arms[which]
	p.say("%s:", armNames[which])
	binaries, err := s.build(ctx)
	if err != nil {
		return s.buildError(err)
	}
	if err := s.open(); err != nil {
		return err
	}
	for _, bin := range binaries {
		s.suite(bin)
	}
	return nil
}

func (p *pair) say(format string, args ...any) { fmt.Fprintf(p.std.Err, format+"\n", args...) }

// turns is how many rounds there are at most, unless the caller says otherwise:
// each starts the processes of every suite anew.
const turns = 5

// rounds cuts n trials into at most count parts of about one size, the longer
// ones first.
func rounds(n, count int) [][2]int {
	count = max(min(n, count), 1)
	var parts [][2]int
	from := 0
	for i := range count {
		size := n / count
		if i < n%count {
			size++
		}
		parts = append(parts, [2]int{from, from + size - 1})
		from += size
	}
	return parts
}

// measure runs every round, in at most count parts, or as many as it takes until
// enough says so: it is asked after every part but the last, with the number of
// trials a task that both arms have had.
//
// How many trials there are is known when the suites have declared them, so that
// the first trial of every task comes alone.
func (p *pair) measure(count int, enough func(trials int) (bool, error)) error {
	if d := p.arms[baselineArm].cfg.Run.Timeout.V; d > 0 {
		for _, s := range p.arms {
			s.deadline = time.Now().Add(d) // building does not count
		}
	}
	if err := p.turn([2]int{0, 0}, true); err != nil {
		return err
	}
	parts := rounds(p.planned(), count)
	for i, part := range parts {
		if part[0] == 0 {
			part[0] = 1
		}
		if part[0] <= part[1] && !p.stopped() {
			if err := p.turn(part, false); err != nil {
				return err
			}
		}
		if p.stopped() || i == len(parts)-1 || enough == nil {
			continue
		}
		if done, err := enough(part[1] + 1); err != nil || done {
			return err
		}
	}
	return p.end()
}

// turn runs the trials of a part in both arms; who begins changes from turn to
// turn.
func (p *pair) turn(part [2]int, first bool) error {
	order := []int{baselineArm, candidateArm}
	if p.turns%2 == 1 {
		order = []int{candidateArm, baselineArm}
	}
	p.turns++
	for _, which := range order {
		for _, r := range p.arms[which].suites {
			if err := r.turn(part, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopped reports whether nothing more should start: a signal, or the end of the
// time.
func (p *pair) stopped() bool {
	return p.signals.code() != exitOK || p.arms[baselineArm].over()
}

// planned is the number of trials of the task that has most.
func (p *pair) planned() int {
	most := 1
	for _, s := range p.arms {
		for _, r := range s.suites {
			if !r.found {
				continue
			}
			run, err := r.dir.ReadRun()
			if err != nil {
				continue // a suite that never came to its plan is told of at the end
			}
			for _, task := range run.Plan {
				most = max(most, task.Trials)
			}
		}
	}
	return most
}

// turn runs those trials of a suite that belong to a part and have not ended.
func (r *suiteRun) turn(part [2]int, first bool) error {
	if first {
		r.round = fmt.Sprintf("%d-%d", part[0], part[1])
		return r.pass(nil, 1)
	}
	if !r.mayGoOn() {
		return nil
	}
	all, err := r.dir.Todo(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it never came to its plan
	}
	if err != nil {
		return withCode(exitIntegrity, err)
	}
	todo := slices.DeleteFunc(all, func(c rundir.Pending) bool { return c.Trial < part[0] || c.Trial > part[1] })
	if len(todo) == 0 {
		return nil
	}
	return r.pass(todo, 1)
}

// end tries missing trials again as often as asked, arm by arm in turn, and then
// runs the assertions about the splits, which the turns put off.
func (p *pair) end() error {
	for left := p.arms[baselineArm].cfg.Run.RetryMissing.V; left > 0 && !p.stopped(); left-- {
		for _, s := range p.arms {
			for _, r := range s.suites {
				if err := r.again(); err != nil {
					return err
				}
			}
		}
	}
	for _, s := range p.arms {
		for _, r := range s.suites {
			if err := r.owedAssertions(); err != nil {
				return err
			}
			r.summarise()
		}
	}
	return nil
}

// again runs what is missing once more.
func (r *suiteRun) again() error {
	if !r.mayGoOn() {
		return nil
	}
	todo, err := r.dir.Todo(true)
	if err != nil {
		return withCode(exitIntegrity, err)
	}
	if len(todo) == 0 {
		return nil
	}
	r.call.say("%s, %s: %d missing trials are tried again", r.dir.Name, r.call.cfg.Run.Arm.V, len(todo))
	return r.pass(todo, 1)
}
