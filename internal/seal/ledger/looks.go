package ledger

// Split is a test split about to be looked at, or asked about.
type Split struct {
	Suite  string
	Scorer string // "" when unknown
	Tasks  []Task
}

// Look says which look the next one at a split would be, and what the looks
// before it saw. It goes into final.json. No list is nil.
type Look struct {
	Look        int         `json:"look"` // from 1: one more than the most looks at any of the tasks
	LooksByTask LooksByTask `json:"looks_by_task"`

	// Against the last look of the suite, or, where it has none, the last look
	// that held one of the tasks. A task that kept its content under another id is
	// neither added nor removed.
	TasksEdited  []string `json:"tasks_edited"` // same id, other content
	TasksAdded   []string `json:"tasks_added"`
	TasksRemoved []string `json:"tasks_removed"`
	// ScorerChanged is false where either scorer is unknown.
	ScorerChanged bool `json:"scorer_changed"`
	// RenamedFrom is the suite under which the last such look was, when this suite
	// had none; null otherwise.
	RenamedFrom *string `json:"renamed_from"`

	Previous     []Previous `json:"previous"`     // the looks that held one of the tasks, oldest first
	Contaminated []string   `json:"contaminated"` // ids that were shown in train or val
}

// LooksByTask tells how often the tasks were looked at before.
type LooksByTask struct {
	Fresh  int     `json:"fresh"`  // tasks never looked at
	Reused int     `json:"reused"` // the others
	Max    int     `json:"max"`    // earlier looks at the most seen task
	Mean   float64 `json:"mean"`   // earlier looks a task
}

// Previous is an earlier look at tasks of a split.
type Previous struct {
	Attempt string  `json:"attempt"`
	Date    string  `json:"date"`
	Look    int     `json:"look"`
	Release string  `json:"release"`
	Result  *string `json:"result"` // the digest of final.json, null when none was committed
	Seq     int     `json:"seq"`    // of its observed record
	Suite   string  `json:"suite"`
}

// Look returns which look at sp the next would be. For a split that was observed
// it must be asked of the snapshot that the observed record was written on.
// It is undefined, and zero, for a split without tasks or a ledger that is none.
func (s Snapshot) Look(sp Split) Look {
	l := Look{TasksEdited: []string{}, TasksAdded: []string{}, TasksRemoved: []string{}, Previous: []Previous{}, Contaminated: []string{}}
	if s.book == nil || len(sp.Tasks) == 0 {
		return l
	}
	tasks, b := SortTasks(sp.Tasks), s.book
	n := b.seen.count(tasks)
	l.Look = n.look()
	l.LooksByTask = LooksByTask{n.fresh, n.reused, n.max, float64(n.sum) / float64(len(tasks))}

	var any set
	for _, t := range tasks {
		any = any.union(b.seen.of(t))
		if b.seen.contaminated(sp.Suite, t) {
			l.Contaminated = append(l.Contaminated, t.ID)
		}
	}
	var last, lastHere *Entry
	for i, e := range b.seen.looks {
		if e.Record.Suite == sp.Suite {
			lastHere = e
		}
		if any.has(i) {
			last = e
			l.Previous = append(l.Previous, b.previous(e))
		}
	}
	if lastHere == nil && last != nil {
		from := last.Record.Suite
		l.RenamedFrom = &from
	} else {
		last = lastHere
	}
	if last != nil {
		l.compare(&last.Record, sp.Scorer, tasks)
	}
	return l
}

// previous tells of the look e. A key can be looked at more than once, and only
// its last look can have been committed.
func (b *book) previous(e *Entry) Previous {
	r := &e.Record
	p := Previous{Attempt: r.Attempt, Date: r.TS, Look: r.Look, Release: r.Release, Seq: r.Seq, Suite: r.Suite}
	if c := b.keys[r.key()].Committed; c != nil && c.Record.Attempt == r.Attempt {
		d := c.Record.Result.FinalSHA256
		p.Result = &d
	}
	return p
}

func (l *Look) compare(before *Record, scorer string, tasks []Task) {
	l.ScorerChanged = scorer != "" && before.Scorer != "" && scorer != before.Scorer
	then, now := indexTasks(before.Tasks), indexTasks(tasks)
	for _, t := range tasks {
		old, same := then.ids[t.ID]
		switch {
		case same && old.content() != "" && t.content() != "" && old.content() != t.content():
			l.TasksEdited = append(l.TasksEdited, t.ID)
		case !same && !then.digests[t.content()]:
			l.TasksAdded = append(l.TasksAdded, t.ID)
		}
	}
	for _, t := range before.Tasks {
		if _, same := now.ids[t.ID]; !same && !now.digests[t.content()] {
			l.TasksRemoved = append(l.TasksRemoved, t.ID)
		}
	}
}

type taskIndex struct {
	ids     map[string]Task
	digests map[string]bool // without ""
}

func indexTasks(tasks []Task) taskIndex {
	x := taskIndex{map[string]Task{}, map[string]bool{}}
	for _, t := range tasks {
		x.ids[t.ID] = t
		if d := t.content(); d != "" {
			x.digests[d] = true
		}
	}
	return x
}

// Unseen returns those of a suite's train and val tasks that no policy record
// has, sorted: what the next one must carry.
func (s Snapshot) Unseen(suite string, tasks []Task) []Task {
	out := []Task{}
	for _, t := range SortTasks(tasks) {
		d := t.content()
		if s.book == nil || !s.book.seen.shownID[[2]string{suite, t.ID}] || d != "" && !s.book.seen.shown[d] {
			out = append(out, t)
		}
	}
	return out
}
