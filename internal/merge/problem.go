package merge

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says what is wrong with a set of shards.
type Kind int

// The kinds of problems.
const (
	Usage     Kind = iota + 1 // what was named is no run directory
	Sealed                    // shards of the test split
	Integrity                 // another plan or commit, a cell twice, a planted or dry run
	Missing                   // a lost shard, a cell that never ended
)

// Problem is one reason not to merge.
type Problem struct {
	Kind Kind
	Text string
}

// Problems are all the reasons not to merge, in a stable order. As an error they
// are told one after the other.
type Problems []Problem

func (p Problems) Error() string {
	var texts []string
	for _, problem := range p {
		texts = append(texts, problem.Text)
	}
	return strings.Join(texts, "\n")
}

func (p *Problems) add(k Kind, format string, args ...any) {
	problem := Problem{k, fmt.Sprintf(format, args...)}
	if !slices.Contains(*p, problem) {
		*p = append(*p, problem)
	}
}

// err returns p as an error, nil where there is no problem.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
