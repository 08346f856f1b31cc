package record

import "fmt"

// attempt is what has to be known of one attempt at a cell to tell which
// attempt counts.
type attempt struct {
	number int
	scored bool
	open   bool // a start mark
	hash   uint32
	index  int // where the rest of it is
}

// order sorts attempts by number, the end of an attempt before its start.
func (a attempt) order(b attempt) int {
	switch {
	case a.number != b.number:
		return a.number - b.number
	case a.open != b.open:
		if b.open {
			return -1
		}
		return 1
	}
	return a.index - b.index
}

// conflict is a pair of records that cannot both stand.
type conflict struct {
	first, second int // indices
	why           string
}

// choose returns the attempt that counts among those of one cell, sorted by
// order, and calls again for every record that repeats an earlier one. A later
// attempt may replace only a missing one.
func choose(as []attempt, again func(index int)) (attempt, *conflict) {
	last := as[0]
	for _, a := range as[1:] {
		switch {
		case a.number == last.number && a.open:
			again(a.index) // the start of what has ended, or started twice
			continue
		case a.number == last.number && a.hash == last.hash:
			again(a.index)
			continue
		case a.number == last.number:
			return last, &conflict{last.index, a.index, fmt.Sprintf("two different records of attempt %d", a.number)}
		case last.scored:
			return last, &conflict{last.index, a.index, fmt.Sprintf("attempt %d after attempt %d was scored", a.number, last.number)}
		}
		last = a
	}
	return last, nil
}

func (c *conflict) error(task string, trial int, where func(int) string) error {
	return fmt.Errorf("%s: found %s for trial %d of task %q (the other is %s), need one record an attempt, and further attempts only at a missing trial",
		where(c.second), c.why, trial, clip(task), where(c.first))
}
