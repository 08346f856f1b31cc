package ledger

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// needs says which fields a kind must have, and may have beside them.
type needs struct{ must, may []string }

var (
	ofKey  = []string{"key", "suite", "fp", "release", "attempt", "tasks_sha256"}
	pins   = []string{"candidate", "plan"}
	opens  = slices.Concat(ofKey, pins, []string{"tasks", "look", "overlap"})
	unsure = []string{"baseline", "scorer", "run"}
)

func needsOf(k Kind) (needs, bool) {
	switch k {
	case Genesis:
		return needs{[]string{"ledger"}, []string{"run", "reason"}}, true
	case Policy:
		return needs{[]string{"suite", "tasks", "tasks_sha256"}, []string{"run", "reason"}}, true
	case Reserved:
		return needs{opens, append([]string{"supersedes", "reason"}, unsure...)}, true
	case Relook:
		return needs{slices.Concat(opens, []string{"supersedes", "reason"}), unsure}, true
	case Observed:
		return needs{slices.Concat(opens, []string{"nonce_sha256"}), unsure}, true
	case Committed:
		return needs{slices.Concat(ofKey, pins, []string{"nonce", "result"}), unsure}, true
	case Salvaged:
		return needs{slices.Concat(ofKey, []string{"nonce"}), []string{"run", "reason"}}, true
	case Aborted:
		return needs{ofKey, []string{"run", "reason"}}, true
	}
	return needs{}, false
}

// fields lists which of the fields that depend on the kind r has.
func (r *Record) fields() map[string]bool {
	return map[string]bool{
		"attempt": r.Attempt != "", "baseline": r.Baseline != "", "candidate": r.Candidate != "", "fp": r.FP != "",
		"key": r.Key != "", "ledger": r.Ledger != "", "look": r.Look != 0, "nonce": r.Nonce != "",
		"nonce_sha256": r.NonceSHA256 != "", "overlap": r.Overlap != nil, "plan": r.Plan != nil, "reason": r.Reason != "",
		"release": r.Release != "", "result": r.Result != nil, "run": r.Run != nil, "scorer": r.Scorer != "",
		"suite": r.Suite != "", "supersedes": r.Supersedes != "", "tasks": len(r.Tasks) > 0, "tasks_sha256": r.TasksSHA256 != "",
	}
}

// check says what is wrong with r by itself, whatever stands before it.
func (r *Record) check() error {
	n, ok := needsOf(r.Kind)
	if !ok {
		return fmt.Errorf("found the unknown kind %q", r.Kind)
	}
	has := r.fields()
	for _, f := range n.must {
		if !has[f] {
			return fmt.Errorf("found a %s record without %s", r.Kind, f)
		}
		delete(has, f)
	}
	for _, f := range n.may {
		delete(has, f)
	}
	var odd []string
	for f, there := range has {
		if there {
			odd = append(odd, f)
		}
	}
	if len(odd) > 0 {
		slices.Sort(odd)
		return fmt.Errorf("found a %s record with %s, which it must not have", r.Kind, strings.Join(odd, ", "))
	}
	return r.checkValues()
}

func (r *Record) checkValues() error {
	if r.V != Version {
		return fmt.Errorf("found format version %d, need %d", r.V, Version)
	}
	if r.Seq < 1 || r.Seq > MaxRecords {
		return fmt.Errorf("found record number %d, need 1 to %d", r.Seq, MaxRecords)
	}
	if (r.Kind == Genesis) != (r.Seq == 1) || (r.Seq == 1) != (r.Prev == "") {
		return fmt.Errorf("found a %s record as number %d with prev %q: genesis is number 1, has no prev, and is the only such one", r.Kind, r.Seq, r.Prev)
	}
	if at, err := time.Parse(timeLayout, r.TS); err != nil || at.Unix() < 0 {
		return fmt.Errorf("found ts %q, need UTC like 2026-11-30T21:17:00Z, not before 1970", r.TS)
	}
	for _, d := range []struct{ name, value string }{{"prev", r.Prev}, {"fp", r.FP}, {"tasks_sha256", r.TasksSHA256}, {"nonce_sha256", r.NonceSHA256}} {
		if d.value != "" && !isDigest(d.value) {
			return fmt.Errorf("found %s %q, need sha256: and 64 hexadecimal digits", d.name, d.value)
		}
	}
	if r.Result != nil && !isDigest(r.Result.FinalSHA256) {
		return fmt.Errorf("found final_sha256 %q, need sha256: and 64 hexadecimal digits", r.Result.FinalSHA256)
	}
	if r.Plan != nil && (r.Plan.Trials < 1 || r.Plan.SHA256 != "" && !isDigest(r.Plan.SHA256)) {
		return fmt.Errorf("found a plan of %d trials with sha256 %q, need at least one trial", r.Plan.Trials, r.Plan.SHA256)
	}
	if len(r.Tasks) > 0 {
		if err := r.checkTasks(); err != nil {
			return err
		}
	}
	if r.Key != "" {
		if k, err := NewKey(r.Suite, r.FP, r.Release); err != nil || k != r.key() || r.Key != k.String() {
			return fmt.Errorf("found key %q with suite %q, fp %s and release %q: they do not belong together", r.Key, r.Suite, r.FP, r.Release)
		}
	}
	return nil
}

func (r *Record) checkTasks() error {
	if err := checkTasks(r.Tasks, r.Kind == Policy); err != nil {
		return err
	}
	if got := TasksSHA256(r.Tasks); got != r.TasksSHA256 {
		return fmt.Errorf("found tasks_sha256 %s, the tasks have %s", r.TasksSHA256, got)
	}
	if r.Kind == Policy {
		return nil
	}
	if got := Fingerprint(r.Tasks); got != r.FP {
		return fmt.Errorf("found fp %s, the tasks have %s", r.FP, got)
	}
	return nil
}

const timeLayout = "2006-01-02T15:04:05Z"

// stamp writes at as a record has it.
func stamp(at time.Time) string { return at.UTC().Format(timeLayout) }

func isDigest(s string) bool {
	h, ok := strings.CutPrefix(s, digestPrefix)
	if !ok || len(h) != 64 || strings.ToLower(h) != h {
		return false
	}
	_, err := hex.DecodeString(h)
	return err == nil
}
