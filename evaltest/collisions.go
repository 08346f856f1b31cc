package evaltest

import (
	"fmt"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/capeval/capeval/record"
)

// collisions refuses ids and contents that are in the suite twice.
func (r *registry) collisions() []problem {
	var out []problem
	say := func(code, format string, args ...any) {
		out = append(out, problem{exit: exitUsage, code: code, text: fmt.Sprintf(format, args...)})
	}
	fold := cases.Fold()
	byID := map[string]*task{}
	byDigest := map[string]*task{}
	for _, t := range r.tasks {
		same := fold.String(norm.NFKC.String(strings.TrimSpace(t.id)))
		if first, ok := byID[same]; ok {
			switch {
			case first.id != t.id:
				say("like_ids", "%s: task ids %q and %q (%s) are the same to a reader (after Unicode normalisation, case folding and trimming); rename one", t.at(), t.id, first.id, first.at())
			case first.split != t.split:
				say("two_splits", "%s: task %q is in the splits %s and %s (%s); a task belongs to one split", t.at(), t.id, t.split, first.split, first.at())
			default:
				say("duplicate_id", "%s: task %q is declared twice in split %s, first at %s; ids are unique within a suite", t.at(), t.id, t.split, first.at())
			}
			continue
		}
		byID[same] = t
		if t.coarse || t.digest == "" {
			continue
		}
		if first, ok := byDigest[t.digest]; ok && first.split != t.split && (first.split == record.Test || t.split == record.Test) {
			say("contaminated", "%s: task %q (%s) has the same content as task %q (%s, %s): a test task that is also in train or val is no held-out task", t.at(), t.id, t.split, first.id, first.split, first.at())
		} else if !ok || t.split == record.Test {
			byDigest[t.digest] = t
		}
	}
	return out
}

func (t *task) at() string {
	if t.row != "" {
		return t.row
	}
	return place(t.location)
}
