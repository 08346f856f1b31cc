package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Summarizer makes the summary of one split from records that it sees once, in
// any order. It keeps a short row for each and can hold millions.
type Summarizer struct {
	run     Run
	planned bool // the run holds the plan; otherwise the rows are the plan
	o       Options
	keyed   bool // run has its suite, split and arm
	ids     agreed[string]
	seeds   agreed[int64]

	tasks    blocks[taskRows]
	index    map[string]int32
	last     int32 // the task of the last record
	rows     blocks[row]
	digests  digests
	feedback texts
	costs    costs
	late     []late
	files    []string
	given    int // records that came by Add
	err      error
}

// taskRows is a task and the end of its chain of rows.
type taskRows struct {
	name, cluster, content string
	head                   int32 // row plus 1
	next                   int32 // the highest trial seen, plus 1
	plan                   int32 // position in the plan
}

// NewSummarizer returns a Summarizer for the plan of run. When run is nil, the
// rows are the plan, and the first trial names the suite, split and arm.
func NewSummarizer(run *Run, o Options) *Summarizer {
	s := &Summarizer{o: o, index: map[string]int32{}, files: []string{""}}
	if s.err = o.check(); run == nil || s.err != nil {
		s.run = Run{Schema: RunSchema, PassThreshold: 1}
		return s
	}
	s.run, s.planned, s.keyed = *run, true, true
	if s.err = run.check(); s.err != nil {
		s.err = fmt.Errorf("record: plan: %w", s.err)
		return s
	}
	for i, p := range run.Plan {
		s.index[p.Task] = int32(i)
		t, _ := s.tasks.add()
		*t = taskRows{name: p.Task, cluster: p.Cluster, content: p.ContentDigest, plan: int32(i)}
	}
	return s
}

// Add takes a trial. It refuses one that is not in the plan, or is of another
// suite, split, arm or run.
func (s *Summarizer) Add(t Trial) error {
	var l line
	l.no = s.given + 1
	if s.err == nil {
		if err := l.fromTrial(&t); err != nil {
			s.err = fmt.Errorf("%s: %w", place(s.given), err)
		}
		l.digest()
	}
	s.given++
	l.no = s.given
	return s.add(&l, 0)
}

// AddStart takes a start mark. Where no trial ends it, the cell is missing,
// interrupted. A mark that names no suite is of this one.
func (s *Summarizer) AddStart(m Start) error {
	s.given++
	return s.add(&line{
		no: s.given, start: true, trial: int64(m.Trial), attempt: int64(m.Attempt), seed: m.Seed, set: 1<<fTrial | 1<<fSeed,
		text: [nText]string{fRun: m.Run, fSuite: m.Suite, fSplit: string(m.Split), fArm: m.Arm, fTask: m.Task},
	}, 0)
}

// Read takes every line of r. When the last line is torn, everything before it
// is taken and the error is a *Torn, after which the summary may go on.
func (s *Summarizer) Read(r io.Reader, name string) error {
	if len(s.files) > math.MaxUint16 {
		return fmt.Errorf("record: found more than %d files, need fewer", math.MaxUint16)
	}
	s.files = append(s.files, strings.Clone(name))
	file := uint16(len(s.files) - 1)
	in := newLines(r, name)
	var torn *Torn
	for {
		l, err := in.next()
		switch {
		case err == io.EOF && torn != nil:
			return torn
		case err == io.EOF:
			return nil
		case errors.As(err, &torn):
			continue
		case err != nil:
			s.err = err
			return err
		}
		if err := s.add(l, file); err != nil {
			return err
		}
	}
}

// where names the place of a record.
func (s *Summarizer) where(file uint16, line int) string {
	if file == 0 {
		return place(line - 1)
	}
	return fmt.Sprintf("%s:%d", s.files[file], line)
}

// add takes a line that is finished and hashed. The first error stays.
func (s *Summarizer) add(l *line, file uint16) error {
	if s.err != nil {
		return s.err
	}
	if err := s.place(l, file); err != nil {
		s.err = fmt.Errorf("%s: %w", s.where(file, l.no), err)
	}
	return s.err
}

func (s *Summarizer) place(l *line, file uint16) error {
	if err := s.belongs(l); err != nil {
		return err
	}
	task, err := s.task(l)
	if err != nil {
		return err
	}
	if s.rows.n == math.MaxInt32-1 {
		return fmt.Errorf("found more than %d records, need fewer", math.MaxInt32-1)
	}
	r, i := s.rows.add()
	*r = row{
		seed: l.seed, reward: l.reward, hash: l.hash,
		next: task.head, trial: int32(l.trial), attempt: int32(l.attempt), line: int32(min(l.no, math.MaxInt32)), file: file,
		cause: causeCode(l.text[fCause]), feedback: s.feedback.add(l.text[fFeedback]), digest: s.digests.of(l),
	}
	task.head = int32(i + 1)
	cost := late{row: i, seconds: l.seconds}
	for _, m := range l.metrics {
		switch m.name {
		case "cost_usd":
			cost.usd = m.value
		case "tokens":
			cost.tokens = m.value
		}
	}
	if r.trial >= task.next {
		task.next = r.trial + 1
		s.costs.add(cost)
	} else {
		s.late = append(s.late, cost)
	}
	for flag, on := range [...]bool{l.scored, l.start, len(l.notes) > 0, l.cached} {
		if on {
			r.flags |= 1 << flag
		}
	}
	if l.start {
		r.cause = causeCode(string(CauseInterrupted))
	}
	return nil
}

// belongs refuses records of something else.
func (s *Summarizer) belongs(l *line) error {
	suite, split, arm := l.text[fSuite], l.text[fSplit], l.text[fArm]
	if !s.keyed && !l.start {
		s.run.Suite, s.run.Split, s.run.Arm = strings.Clone(suite), splitOf(split), strings.Clone(arm)
		s.keyed = true
	}
	same := suite == s.run.Suite && split == string(s.run.Split) && arm == s.run.Arm
	if l.start && !same {
		same = !s.keyed || (suite == "" || suite == s.run.Suite) && (split == "" || split == string(s.run.Split)) && (arm == "" || arm == s.run.Arm)
	}
	if !same {
		return fmt.Errorf("found %s, need %s: summarise one at a time", Key{suite, Split(split), arm}, s.run.Key())
	}
	if id := l.text[fRun]; s.planned && !s.o.AnyRun && s.run.ID != "" && id != "" && id != s.run.ID {
		return fmt.Errorf("found run %q, need %q: the record was planted, or belongs to another run", clip(id), s.run.ID)
	}
	if !s.planned && !l.start {
		if id := l.text[fRun]; s.ids.n == 0 {
			s.ids.see(strings.Clone(id))
		} else {
			s.ids.see(id)
		}
		s.seeds.see(l.seed - l.trial)
	}
	return nil
}

// task returns the task of a record, and refuses a cell outside the plan.
func (s *Summarizer) task(l *line) (*taskRows, error) {
	name := l.text[fTask]
	i := s.last
	if int(i) >= s.tasks.n || s.tasks.at(int(i)).name != name {
		var ok bool
		if i, ok = s.index[name]; !ok {
			if s.planned {
				return nil, fmt.Errorf("found task %q, need one of the %d in the plan: the record was planted, or belongs to another run", clip(name), len(s.run.Plan))
			}
			t, n := s.tasks.add()
			t.name = name
			i = int32(n)
			s.index[name] = i
		}
		s.last = i
	}
	t := s.tasks.at(int(i))
	if s.planned {
		if err := s.run.Plan[t.plan].holds(int(l.trial)); err != nil {
			return nil, err
		}
	}
	if c := l.text[fContent]; c != "" && c != t.content {
		if t.content != "" {
			return nil, fmt.Errorf("found content digest %q for task %q, need %q as planned or recorded before: the task changed", clip(c), clip(name), clip(t.content))
		}
		if !s.planned {
			t.content = c
		}
	}
	if c := l.text[fCluster]; c != "" && c != t.cluster {
		if t.cluster != "" {
			return nil, fmt.Errorf("found cluster %q for task %q, need %q as planned or recorded before", clip(c), clip(name), clip(t.cluster))
		}
		t.cluster = s.shared(c)
	}
	return t, nil
}

// shared returns a kept copy of a name that many tasks may have.
func (s *Summarizer) shared(name string) string { return s.feedback.at(s.feedback.add(name)) }

// holds refuses a trial that is not one of p's cells here.
func (p *PlanTask) holds(trial int) error {
	if trial >= p.Trials {
		return fmt.Errorf("found trial %d of task %q, need 0 to %d as planned: the record was planted, or belongs to another run", trial, clip(p.Task), p.Trials-1)
	}
	if contains(p.Deselected, trial) {
		return fmt.Errorf("found trial %d of task %q, which the plan says was deselected: the record was planted, or belongs to another run", trial, clip(p.Task))
	}
	if contains(p.Elsewhere, trial) {
		return fmt.Errorf("found trial %d of task %q, which the plan says belongs to another shard", trial, clip(p.Task))
	}
	return nil
}
