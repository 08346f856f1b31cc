package reporter

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxName is the longest a name may be, in bytes: ids of real suites have up to
// 120 characters.
const maxName = 240

// uniqueNames returns one clean name for every id, none of them empty and no two
// equal. An id that is clean, and not too long, is its own name. Others that
// would be equal to one, or were shortened, carry a few digits of the digest of
// what was recorded; of equal ids the later ones carry a number.
func uniqueNames(ids []string) []string {
	names := make([]string, len(ids))
	taken := make(map[string]bool, len(ids))
	wanted := map[string]int{}
	var left []int
	for i, id := range ids {
		name := line(id, 16*maxName)
		names[i] = name
		if name == id && len(id) <= maxName && id != "" && !taken[id] {
			taken[id] = true
			continue
		}
		wanted[name]++
		left = append(left, i)
	}
	for _, i := range left {
		name := names[i]
		if name == "" || len(name) > maxName || taken[name] || wanted[name] > 1 {
			name = marked(name, ids[i])
		}
		names[i] = name
		for n := 2; taken[names[i]]; n++ {
			names[i] = name + " (" + strconv.Itoa(n) + ")"
		}
		taken[names[i]] = true
	}
	return names
}

// marked is a name that is told from others by the digest of its id.
func marked(name, id string) string {
	sum := sha256.Sum256([]byte(id))
	mark := "#" + hex.EncodeToString(sum[:4])
	if name == "" {
		return "(nothing visible) " + mark
	}
	if room := maxName - 24; len(name) > room { // ids tend to differ at their ends
		name = firstBytes(name, room/2) + "…" + lastBytes(name, room/2)
	}
	return name + " " + mark
}

// joined puts the parts of a class name together; an empty one is left out.
func joined(parts ...string) string {
	s := ""
	for _, p := range parts {
		switch {
		case p == "":
		case s == "":
			s = p
		default:
			s += "." + p
		}
	}
	return s
}

// checkTasks refuses tasks that no case can be named after.
func checkTasks(s Suite) error {
	seen := make(map[string]bool, len(s.Result.PerTask))
	for _, t := range s.Result.PerTask {
		if t.Task == "" {
			return fmt.Errorf("junit: suite %q has a task without an id, and every case needs a name", s.Result.Suite)
		}
		if seen[t.Task] {
			return fmt.Errorf("junit: task %q stands twice in suite %q, and a reader of the file would take one for a retry of the other", short(t.Task), s.Result.Suite)
		}
		seen[t.Task] = true
	}
	return nil
}

// short keeps an id that stands in a message readable.
func short(id string) string {
	if utf8.RuneCountInString(id) <= maxName {
		return id
	}
	return firstBytes(id, maxName/2) + "…" + lastBytes(id, maxName/2)
}
