package ledger

// Slots are the trials that one finalize may run, each once. The zero value has
// none taken; it is not safe for several goroutines.
type Slots struct{ taken map[slot]bool }

type slot struct {
	role, task string
	trial      int
}

// Take takes a trial, or refuses with S05 when it was taken before.
func (s *Slots) Take(role, task string, trial int) error {
	k := slot{role, task, trial}
	if s.taken[k] {
		return &Refusal{ID: "S05", Role: role, Task: task, Trial: trial}
	}
	if s.taken == nil {
		s.taken = map[slot]bool{}
	}
	s.taken[k] = true
	return nil
}
