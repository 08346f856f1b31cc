package ledger

import (
	"fmt"
	"time"
)

// Attempt is what one finalize pins before it looks: it must find the same when
// it observes and when it commits.
type Attempt struct {
	ID        string // drawn once an attempt, new to the ledger
	Suite     string
	Release   string
	Tasks     []Task // the test split, in any order
	Candidate string
	Baseline  string // "" for none
	Scorer    string // "" when unknown
	Plan      Plan
	Run       Run
}

// Terms are what a reservation may have beside its attempt.
type Terms struct {
	// Supersede names the attempt whose reservation is taken over, "" for none.
	// It is fenced off: it cannot observe any more. Between attempts of one CI run
	// the later run_attempt supersedes the earlier without being told.
	Supersede string
	// Relook is the reason to go past a rule, "" for none: after a look that
	// committed nothing it makes a second one, elsewhere it is written down.
	Relook string
	// MaxLooks refuses a look beyond it; 0 means no limit.
	MaxLooks int
}

// Key returns the key that a speaks of.
func (a Attempt) Key() (Key, error) {
	return NewKey(a.Suite, Fingerprint(a.Tasks), a.Release)
}

// Reserve returns the record that claims a's key, or a [*Refusal]: S06, S07, S08
// or S19.
func (s Snapshot) Reserve(a Attempt, t Terms, at time.Time) (Record, error) {
	r, err := s.open(Reserved, a, at)
	if err != nil {
		return r, err
	}
	k := r.key()
	st := s.State(k)
	r.Reason = t.Relook
	switch {
	case t.Relook != "" && st.Phase == HeldObserved:
		r.Kind, r.Supersedes = Relook, st.Holder()
	case t.Supersede != "":
		r.Supersedes = t.Supersede
	case st.Phase == HeldReserved && laterOfRun(a.Run, st.Reserved.Record.Run):
		r.Supersedes = st.Holder()
	}
	if st.Phase == Free {
		r.Supersedes = "" // given back in the meantime
	}
	if t.MaxLooks > 0 && r.Look > t.MaxLooks {
		if st.Phase == Closed || st.Phase == HeldObserved && r.Kind != Relook {
			return r, refuse(st) // says more
		}
		return r, &Refusal{ID: "S19", Key: k, Look: r.Look, Looks: r.Look - 1, Max: t.MaxLooks}
	}
	return s.allowed(r)
}

// laterOfRun says whether now is a re-run of the CI run that wrote before.
func laterOfRun(now Run, before *Run) bool {
	return before != nil && now.RunID != "" && now.Provider == before.Provider && now.RunID == before.RunID && now.RunAttempt > before.RunAttempt
}

// Observe returns the record that must be on the ledger before the first test
// trial begins, or a [*Refusal]: S06 when a was superseded, S04 or S20 when it
// found something else than it reserved, S07, S08, or S03 when it holds nothing.
// Only the digest of the nonce is published; see [NonceSHA256].
func (s Snapshot) Observe(a Attempt, nonceSHA256 string, at time.Time) (Record, error) {
	r, err := s.open(Observed, a, at)
	if err != nil {
		return r, err
	}
	if e := s.reservation(a.ID); e != nil && e.Record.FP != r.FP {
		return r, samePins(&e.Record, &r) // another key: the tasks changed
	}
	r.NonceSHA256 = nonceSHA256
	return s.allowed(r)
}

// Commit returns the record that closes the key of attempt id with the digest of
// its result. It needs the nonce of the attempt's look, and pins as the ledger
// has them. The refusals are S06, S07, S08, S20, and S03 when id holds no look.
func (s Snapshot) Commit(id, nonce string, res Result, run Run, at time.Time) (Record, error) {
	r, err := s.follow(Committed, id, run, at)
	if err != nil {
		return r, err
	}
	e := &s.reservation(id).Record
	r.Candidate, r.Baseline, r.Scorer, r.Plan = e.Candidate, e.Baseline, e.Scorer, e.Plan
	r.Nonce, r.Result = nonce, &res
	return s.allowed(r)
}

// Salvage returns the record that says that the result of attempt id will be
// that of a look which did not run to its end. Commit follows it.
func (s Snapshot) Salvage(id, nonce, reason string, run Run, at time.Time) (Record, error) {
	r, err := s.follow(Salvaged, id, run, at)
	r.Nonce, r.Reason = nonce, reason
	if err != nil {
		return r, err
	}
	return s.allowed(r)
}

// Abort returns the record that gives back the reservation of attempt id.
func (s Snapshot) Abort(id, reason string, run Run, at time.Time) (Record, error) {
	r, err := s.follow(Aborted, id, run, at)
	r.Reason = reason
	if err != nil {
		return r, err
	}
	return s.allowed(r)
}

// Attempt returns what attempt id pinned, for one who finishes it in another
// process.
func (s Snapshot) Attempt(id string) (Attempt, bool) {
	e := s.reservation(id)
	if e == nil {
		return Attempt{}, false
	}
	r := &e.Record
	a := Attempt{ID: id, Suite: r.Suite, Release: r.Release, Tasks: r.Tasks, Candidate: r.Candidate, Baseline: r.Baseline, Scorer: r.Scorer, Plan: *r.Plan}
	if r.Run != nil {
		a.Run = *r.Run
	}
	return a, true
}

func (s Snapshot) reservation(id string) *Entry {
	if s.book == nil {
		return nil
	}
	return s.book.attempts[id]
}

// open fills a record that carries all of a.
func (s Snapshot) open(kind Kind, a Attempt, at time.Time) (Record, error) {
	k, err := a.Key()
	if err != nil {
		return Record{}, err
	}
	if s.book == nil {
		return Record{}, fmt.Errorf("%w: only Init makes one", ErrMissing)
	}
	tasks := SortTasks(a.Tasks)
	n := s.book.seen.count(tasks)
	o := n.overlap()
	plan := a.Plan
	return Record{
		Kind: kind, Key: k.String(), Suite: k.Suite, FP: k.FP, Release: k.Release, Attempt: a.ID,
		Tasks: tasks, TasksSHA256: TasksSHA256(tasks), Look: n.look(), Overlap: &o,
		Candidate: a.Candidate, Baseline: a.Baseline, Scorer: a.Scorer, Plan: &plan,
		Run: runOf(a.Run), TS: stamp(at),
	}, nil
}

// follow fills a record that names the attempt whose reservation it follows.
func (s Snapshot) follow(kind Kind, id string, run Run, at time.Time) (Record, error) {
	e := s.reservation(id)
	if e == nil {
		return Record{}, &Refusal{ID: "S03", Attempt: id}
	}
	r := &e.Record
	return Record{
		Kind: kind, Key: r.Key, Suite: r.Suite, FP: r.FP, Release: r.Release, Attempt: id,
		TasksSHA256: r.TasksSHA256, Run: runOf(run), TS: stamp(at),
	}, nil
}

func (s Snapshot) allowed(r Record) (Record, error) {
	_, _, err := s.Prepare(r)
	return r, err
}

func runOf(r Run) *Run {
	if r == (Run{}) {
		return nil
	}
	return &r
}

// NewGenesis returns the first record of a ledger named name, which is drawn once.
func NewGenesis(name string, run Run, at time.Time) Record {
	return Record{Kind: Genesis, Ledger: name, Run: runOf(run), TS: stamp(at), Seq: 1, V: Version}
}

// NewPolicy returns a record of the tasks that suite shows in train and val.
func NewPolicy(suite string, tasks []Task, run Run, at time.Time) Record {
	tasks = SortTasks(tasks)
	return Record{Kind: Policy, Suite: suite, Tasks: tasks, TasksSHA256: TasksSHA256(tasks), Run: runOf(run), TS: stamp(at)}
}
