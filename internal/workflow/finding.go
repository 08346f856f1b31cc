package workflow

import (
	"cmp"
	"fmt"
	"slices"
)

// The weights of a finding.
const (
	Problem = "problem" // the workflow does not keep what it must
	Warning = "warning" // worth a change; breaks nothing by itself
)

// Finding is one place in a workflow that the policy or actionlint speaks about.
type Finding struct {
	File   string `json:"file"` // relative to the folder that was checked, slash-separated
	Line   int    `json:"line"` // from 1; 0 where the finding is about the whole repository
	Column int    `json:"column"`
	Level  string `json:"level"` // Problem or Warning
	Code   string `json:"code"`  // stable, such as finalize_matrix
	Found  string `json:"found"`
	Need   string `json:"need"`
	// Hint is a change that would do, as the lines of a patch, "" when none is
	// known.
	Hint string `json:"hint"`
}

// String is the finding on one line, without its hint.
func (f Finding) String() string {
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	return fmt.Sprintf("%s: found %s, need %s [%s]", at, f.Found, f.Need, f.Code)
}

// sorted orders findings by place, then code, and drops repeated ones.
func sorted(list []Finding) []Finding {
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Code, b.Code), cmp.Compare(a.Found, b.Found))
	})
	return slices.Compact(list)
}
