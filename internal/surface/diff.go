package surface

import (
	"fmt"
	"strings"
)

// Changes are the paths by which a head's surface differs from its base's, each
// list sorted. A file that was renamed is removed and added, also where only the
// case of its name changed.
type Changes struct {
	Added   []string
	Removed []string
	Changed []string // content, mode or kind
}

// Diff compares two manifests.
func Diff(base, head Manifest) Changes {
	var c Changes
	for len(base) > 0 || len(head) > 0 {
		switch {
		case len(head) == 0 || len(base) > 0 && base[0].Path < head[0].Path:
			c.Removed = append(c.Removed, base[0].Path)
			base = base[1:]
		case len(base) == 0 || head[0].Path < base[0].Path:
			c.Added = append(c.Added, head[0].Path)
			head = head[1:]
		default:
			if base[0] != head[0] {
				c.Changed = append(c.Changed, head[0].Path)
			}
			base, head = base[1:], head[1:]
		}
	}
	return c
}

// Empty reports whether nothing changed.
func (c Changes) Empty() bool { return len(c.Added)+len(c.Removed)+len(c.Changed) == 0 }

// maxNamed is how many files a text names.
const maxNamed = 20

// String names the files, changed ones first, such as "evals/a.jsonl (changed),
// evals/b.jsonl (added)". Beyond twenty it counts.
func (c Changes) String() string {
	var files []string
	for _, part := range []struct {
		how   string
		paths []string
	}{{"changed", c.Changed}, {"added", c.Added}, {"removed", c.Removed}} {
		for _, p := range part.paths {
			files = append(files, fmt.Sprintf("%s (%s)", shown(p), part.how))
		}
	}
	if more := len(files) - maxNamed; more > 0 {
		files = append(files[:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(files, ", ")
}

// Refusal is what a gate says of a pull request with these changes: refusal S21,
// exit code 5.
func (c Changes) Refusal() string {
	return "capeval: PROTECTED [S21]\n" +
		"The pull request changes the evaluation surface: " + c.String() + ". Its score is not data.\n" +
		"Do: split the change: evals first, agent second.\n" +
		"Not an option: a comparison in which tasks or scorers changed together with the agent."
}
