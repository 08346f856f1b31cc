package seal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Task is one task of a test split as it is reserved.
type Task struct {
	ID string `json:"id"`
	// Digest is the content digest, "" where unknown. One that begins with
	// "coarse:" is that of a whole source file, and tells no tasks apart.
	Digest string `json:"digest"`
	Trials int    `json:"trials"` // at least 1
}

// content is the digest that identifies what a task holds, "" where none does.
func (t Task) content() string {
	if strings.HasPrefix(t.Digest, "coarse:") {
		return ""
	}
	return t.Digest
}

// Plan is what a look will run of one suite, the same for both roles.
type Plan struct {
	Suite    string
	BaseSeed int64
	Scorer   string // the digest of what scores, "" where unknown
	Tasks    []Task // in any order
}

// Fingerprint names a test split: the digest of its ids and content digests, in
// any order. A coarse digest is left out of it: it changes with every comment of
// its source file, and would buy a new key with each.
func Fingerprint(tasks []Task) string {
	lines := make([]string, len(tasks))
	for i, t := range tasks {
		lines[i] = t.ID + "\x00" + t.content() + "\n"
	}
	return digestLines("capeval-testsplit-v1\n", lines)
}

// Digest names a plan: suite, base seed, scorer, and of each task its id, trials
// and digest. Coarse digests count here, because nothing may change between
// reserve and run; a plan buys no look.
func (p Plan) Digest() string {
	lines := make([]string, len(p.Tasks))
	for i, t := range p.Tasks {
		lines[i] = fmt.Sprintf("%q %d %q\n", t.ID, t.Trials, t.Digest)
	}
	return digestLines(fmt.Sprintf("capeval-testplan-v1\n%q %d %q\n", p.Suite, p.BaseSeed, p.Scorer), lines)
}

func digestLines(head string, lines []string) string {
	slices.Sort(lines)
	h := sha256.New()
	h.Write([]byte(head))
	for _, l := range lines {
		h.Write([]byte(l))
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Slots returns every trial of the plan in a role, by task and trial.
func (p Plan) Slots(role Role) []Slot {
	var slots []Slot
	for _, t := range p.Tasks {
		for k := range t.Trials {
			slots = append(slots, Slot{role, p.Suite, t.ID, k})
		}
	}
	slices.SortFunc(slots, Slot.compare)
	return slots
}

// Difference names, in words, the first task by id in which found is not want,
// "" where they have the same ids, digests and trials.
func Difference(found, want []Task) string {
	byID := func(a, b Task) int { return strings.Compare(a.ID, b.ID) }
	found, want = slices.SortedFunc(slices.Values(found), byID), slices.SortedFunc(slices.Values(want), byID)
	for i, f := range found {
		if i >= len(want) || f.ID < want[i].ID {
			return fmt.Sprintf("task %q was not reserved", f.ID)
		}
		w := want[i]
		switch {
		case f.ID > w.ID:
			return fmt.Sprintf("task %q is not here", w.ID)
		case f.Digest != w.Digest:
			return fmt.Sprintf("task %q has another content", f.ID)
		case f.Trials != w.Trials:
			return fmt.Sprintf("task %q has %d trials, reserved were %d", f.ID, f.Trials, w.Trials)
		}
	}
	if len(want) > len(found) {
		return fmt.Sprintf("task %q is not here", want[len(found)].ID)
	}
	return ""
}

// Role says which arm of the comparison a sealed run measures.
type Role string

// The roles of a finalize.
const (
	Candidate Role = "candidate"
	Baseline  Role = "baseline"
)

// Valid reports whether r is one of the two roles.
func (r Role) Valid() bool { return r == Candidate || r == Baseline }

// Slot is one trial of a look, which is granted once.
type Slot struct {
	Role  Role   `json:"role"`
	Suite string `json:"suite"`
	Task  string `json:"task"`
	Trial int    `json:"trial"` // counts from 0
}

// String returns role/suite/task/trial.
func (s Slot) String() string {
	return fmt.Sprintf("%s/%s/%s/%d", s.Role, s.Suite, s.Task, s.Trial)
}

func (s Slot) compare(o Slot) int {
	return cmp.Or(cmp.Compare(s.Role, o.Role), cmp.Compare(s.Suite, o.Suite), cmp.Compare(s.Task, o.Task), cmp.Compare(s.Trial, o.Trial))
}
