package gitstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// explain finds the first commit of a chain that does more or less than add its
// record. It is called when the trees are known to be wrong, and reads every one.
func (r *reader) explain(ctx context.Context, chain []commit, odd string) error {
	var ids strings.Builder
	for _, c := range chain {
		ids.WriteString(c.id + "\n")
	}
	text, err := r.git.out(ctx, strings.NewReader(ids.String()), "diff-tree", "--stdin", "--root", "-r", "-t", "-z", "--raw", "--no-renames", "--abbrev=64")
	if err != nil {
		return err
	}
	changes := map[string][]string{}
	at := ""
	for items := strings.Split(text, "\x00"); len(items) > 0; items = items[1:] {
		head := strings.TrimSpace(items[0])
		if strings.HasPrefix(head, ":") && len(items) > 1 {
			changes[at] = append(changes[at], head+"\t"+items[1])
			items = items[1:]
		} else if head != "" {
			at = head
		}
	}
	good := ""
	for i, c := range chain {
		if why := unlike(changes[c.id], i+1); why != "" {
			return &ledger.CorruptError{Seq: i + 1, ID: c.id, Reason: why, LastGood: good}
		}
		good = c.id
	}
	if odd == "" {
		odd = fmt.Sprintf("found %d commits whose trees are not those of their records", len(chain))
	}
	return &ledger.CorruptError{Seq: len(chain), ID: good, Reason: odd}
}

// unlike says how changes differ from adding record seq, "" when they do not.
func unlike(changes []string, seq int) string {
	want := "r/" + ledger.FileName(seq)
	if len(changes) == 0 {
		return "it changes nothing, need a commit that adds " + want
	}
	added := false
	for _, ch := range changes {
		head, name, _ := strings.Cut(ch, "\t")
		f := strings.Fields(strings.TrimPrefix(head, ":")) // modes, ids, letter
		if len(f) != 5 {
			return fmt.Sprintf("git told of the change %q", ch)
		}
		isTree := name == "r" && f[1] == "040000" && (f[4] == "M" || f[4] == "A" && seq == 1)
		switch {
		case isTree:
		case f[4] == "A" && f[1] == "100644" && name == want:
			added = true
		default:
			verb := map[string]string{"A": "adds", "M": "changes", "D": "deletes", "T": "changes the type of"}[f[4]]
			return fmt.Sprintf("it %s %q (mode %s), need a commit that only adds %s", verb, name, f[1], want)
		}
	}
	if !added {
		return "it does not add " + want
	}
	return ""
}
