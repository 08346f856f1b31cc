package ledger

import "math/bits"

// seen knows which looks held a task, and which tasks were shown in train or val.
type seen struct {
	looks    []*Entry
	byID     map[string]set // looks by the ids they held, in any suite
	byDigest map[string]set
	shownID  map[[2]string]bool // suite and id
	shown    map[string]bool    // content digest
}

func newSeen() seen {
	return seen{byID: map[string]set{}, byDigest: map[string]set{}, shownID: map[[2]string]bool{}, shown: map[string]bool{}}
}

func (s *seen) look(e *Entry) {
	n := len(s.looks)
	s.looks = append(s.looks, e)
	for _, t := range e.Record.Tasks {
		s.byID[t.ID] = s.byID[t.ID].with(n)
		if d := t.content(); d != "" {
			s.byDigest[d] = s.byDigest[d].with(n)
		}
	}
}

func (s *seen) policy(suite string, tasks []Task) {
	for _, t := range tasks {
		s.shownID[[2]string{suite, t.ID}] = true
		if d := t.content(); d != "" {
			s.shown[d] = true
		}
	}
}

// contaminated says whether a task of suite was shown in train or val: under its
// id in this suite, or with its content in any.
func (s *seen) contaminated(suite string, t Task) bool {
	d := t.content()
	return s.shownID[[2]string{suite, t.ID}] || d != "" && s.shown[d]
}

// of returns the looks that held a task with the id or the content of t.
func (s *seen) of(t Task) set {
	ids := s.byID[t.ID]
	if d := t.content(); d != "" {
		return ids.union(s.byDigest[d])
	}
	return ids
}

// tally counts the earlier looks at the tasks of a split.
type tally struct{ fresh, reused, max, sum int }

func (s *seen) count(tasks []Task) tally {
	var n tally
	for _, t := range tasks {
		k := s.of(t).len()
		if k == 0 {
			n.fresh++
		} else {
			n.reused++
		}
		n.max, n.sum = max(n.max, k), n.sum+k
	}
	return n
}

func (n tally) look() int        { return n.max + 1 }
func (n tally) overlap() Overlap { return Overlap{Fresh: n.fresh, Reused: n.reused} }

// set is a set of small numbers.
type set []uint64

func (s set) with(n int) set {
	for len(s) <= n/64 {
		s = append(s, 0)
	}
	s[n/64] |= 1 << (n % 64)
	return s
}

func (s set) has(n int) bool { return n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }

func (s set) union(o set) set {
	if len(s) < len(o) {
		s, o = o, s
	}
	for i, w := range o {
		if s[i]|w != s[i] { // rarely: a task keeps both its id and its content
			u := append(set(nil), s...)
			for j := i; j < len(o); j++ {
				u[j] |= o[j]
			}
			return u
		}
	}
	return s
}

func (s set) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
