package reporter

import (
	"fmt"
	"strings"
)

// section is a part of a document that may end after any of its rows. It takes
// no place at all where not even one of them fits.
type section struct {
	head  string   // what comes before the rows
	rows  []string // the weightiest first; each ends with a newline
	total int      // how many rows there are; rows may lack those that can fit nowhere
	end   string   // closes what the rows stand in
	tail  string   // closes what head opened around it
	keep  int      // so many rows come before any section gets more than it keeps

	shown int
}

// size is how many bytes a section takes with its first n rows, whose own size
// is rows.
func (s *section) size(n, rows int) int {
	if n == 0 {
		return 0
	}
	return len(s.head) + rows + len(s.end) + len(s.rest(n)) + len(s.tail)
}

// rest says how many rows are left out when n are shown.
func (s *section) rest(n int) string {
	if n == s.total {
		return ""
	}
	return fmt.Sprintf("\n%d of %d rows not shown\n", s.total-n, s.total)
}

// take shows as many rows as fit into room bytes, no more than most and no fewer
// than are shown. It returns how many bytes more the section takes.
func (s *section) take(most, room int) int {
	most = min(most, len(s.rows))
	before, best, rows := 0, s.shown, 0
	now := 0
	for n := 0; n <= most; n++ {
		if n > 0 {
			rows += len(s.rows[n-1])
		}
		size := s.size(n, rows)
		if n == s.shown {
			before, now = size, size
		}
		if n > s.shown && size-before <= room {
			best, now = n, size
		}
	}
	s.shown = best
	return now - before
}

// pack chooses how many rows of each section are shown, so that all of them
// together take at most room bytes. It returns how many rows are not shown.
func pack(sections []section, room int) (hidden int) {
	total, whole := 0, 0
	for i := range sections {
		s := &sections[i]
		total += s.total
		rows := 0
		for _, r := range s.rows {
			rows += len(r)
		}
		whole += s.size(s.total, rows)
		if len(s.rows) < s.total {
			whole = room + 1
		}
	}
	if whole <= room {
		for i := range sections {
			sections[i].shown = sections[i].total
		}
		return 0
	}
	room -= len(closing(total, total))
	for i := range sections {
		room -= sections[i].take(sections[i].keep, room)
	}
	for i := range sections {
		room -= sections[i].take(sections[i].total, room)
	}
	for _, s := range sections {
		hidden += s.total - s.shown
	}
	return hidden
}

// closing is the last line of a document that was cut.
func closing(hidden, total int) string {
	return fmt.Sprintf("\nThis report was cut to its budget: %d of %d rows not shown.\n", hidden, total)
}

// write writes what is shown of a section.
func (s *section) write(b *strings.Builder) {
	if s.shown == 0 {
		return
	}
	b.WriteString(s.head)
	for _, r := range s.rows[:s.shown] {
		b.WriteString(r)
	}
	b.WriteString(s.end)
	b.WriteString(s.rest(s.shown))
	b.WriteString(s.tail)
}
