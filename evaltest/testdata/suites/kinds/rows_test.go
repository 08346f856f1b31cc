package kinds

import (
	"fmt"
	"os"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
)

// question is a row's own fields.
type question struct {
	Question string   `json:"question"`
	Points   float64  `json:"points"`
	Tags     []string `json:"tags"`
}

// tasksFile is the file of tasks that the test wrote.
func tasksFile() string { return os.Getenv("TASKS") }

func declareRows() {
	cases["rows"] = func() {
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in question) {
			trace("%s %d: %q %g %q", t.Task(), t.Index(), in.Question, in.Points, in.Tags)
		})
	}
	cases["rows-of-val"] = func() { // the file gives no split, the code does
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in question) { trace("%s", t.Task()) }, Val)
		traced("ordinary")
	}
	cases["raw-rows"] = func() {
		TasksFrom(tasksFile(), func(_ SpecContext, t *Trial, in map[string]any) { trace("%s", fmt.Sprint(in)) })
	}
}
