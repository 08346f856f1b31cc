package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Task is one task as the ledger knows it.
type Task struct {
	// Digest is the content digest, "" where unknown. One that begins with
	// "coarse:" is that of a whole source file; it is kept, and tells no tasks
	// apart.
	Digest string `json:"digest"`
	ID     string `json:"id"`
	// Split is "train" or "val" in a policy record, and empty elsewhere.
	Split string `json:"split,omitempty"`
}

// content returns the digest that identifies the task's content, "" where there
// is none.
func (t Task) content() string {
	if strings.HasPrefix(t.Digest, "coarse:") {
		return ""
	}
	return t.Digest
}

// SortTasks returns tasks by id, as a record lists them.
func SortTasks(tasks []Task) []Task {
	return slices.SortedFunc(slices.Values(tasks), Task.compare)
}

// compare orders by id, and by split where one id was in both.
func (t Task) compare(o Task) int {
	return cmp.Or(cmp.Compare(t.ID, o.ID), cmp.Compare(t.Split, o.Split))
}

// checkTasks wants ids that are text on one line, sorted, once each, and a split
// where the record is one of policy.
func checkTasks(tasks []Task, policy bool) error {
	for i, t := range tasks {
		if t.ID == "" || !utf8.ValidString(t.ID) || strings.ContainsAny(t.ID, "\x00\n") {
			return fmt.Errorf("found the task id %q, need text on one line", t.ID)
		}
		if strings.ContainsAny(t.Digest, "\x00\n") {
			return fmt.Errorf("found the digest %q of task %q, need text on one line", t.Digest, t.ID)
		}
		if seen := t.Split == "train" || t.Split == "val"; seen != policy || !policy && t.Split != "" {
			return fmt.Errorf("found split %q for task %q: policy records have train or val, others none", t.Split, t.ID)
		}
		if i > 0 && t.compare(tasks[i-1]) <= 0 {
			return fmt.Errorf("found task %q after %q: tasks are sorted by id, each once", t.ID, tasks[i-1].ID)
		}
	}
	return nil
}

// TasksSHA256 returns the digest of the canonical JSON of tasks, which must be
// sorted. It changes with every id and every digest, coarse ones too.
func TasksSHA256(tasks []Task) string {
	data, err := marshal(tasks)
	if err != nil {
		panic(err) // three strings are always JSON
	}
	return Digest(data)
}

// Fingerprint returns the digest that names a test split: that of its ids and
// content digests, in any order. A coarse digest is left out of it: it changes
// with every comment of its source file, and would buy a new key with each.
func Fingerprint(tasks []Task) string {
	lines := make([]string, len(tasks))
	for i, t := range tasks {
		lines[i] = t.ID + "\x00" + t.content() + "\n"
	}
	slices.Sort(lines)
	h := sha256.New()
	h.Write([]byte("capeval-testsplit-v1\n"))
	for _, l := range lines {
		h.Write([]byte(l))
	}
	return digestPrefix + hex.EncodeToString(h.Sum(nil))
}
