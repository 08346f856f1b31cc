package seal

import "github.com/capeval/capeval/record"

// DeclarationSchema names the form of a declaration.
const DeclarationSchema = "capeval.declaration/v1"

// Declaration is what a suite says of itself in a dry run, without a grant: the
// ids and digests of its tasks, and nothing that they hold. A finalize reserves
// what stands here, and the grant makes the suite's processes check it again.
type Declaration struct {
	Schema   string         `json:"schema"`
	Suite    string         `json:"suite"`
	Package  string         `json:"package"`
	BaseSeed int64          `json:"base_seed"`
	Scorer   string         `json:"scorer_digest"`
	Tasks    []DeclaredTask `json:"tasks"` // of every split, by id
	// Problems is why the suite would refuse to run, each a whole text.
	Problems []DeclaredProblem `json:"problems"`
}

// DeclaredTask is one task of any split.
type DeclaredTask struct {
	Task
	Split record.Split `json:"split"`
}

// DeclaredProblem is one reason to refuse, with the exit code that it owes.
type DeclaredProblem struct {
	Exit int    `json:"exit"`
	Code string `json:"code"`
	Text string `json:"text"`
}

// Of returns the tasks of one split, by id.
func (d Declaration) Of(split record.Split) []Task {
	var tasks []Task
	for _, t := range d.Tasks {
		if t.Split == split {
			tasks = append(tasks, t.Task)
		}
	}
	return tasks
}

// Plan returns what a look at the suite's test split runs.
func (d Declaration) Plan() Plan {
	return Plan{Suite: d.Suite, BaseSeed: d.BaseSeed, Scorer: d.Scorer, Tasks: d.Of(record.Test)}
}
