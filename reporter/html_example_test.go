package reporter_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

func ExampleWriteHTML() {
	const file = `{"suite":"refunds","split":"val","arm":"candidate","reward":0.5,"n_tasks":1,"n_scored":1,"n_cells":2,
		"per_task":[{"task":"late-delivery","reward":0.5,"n_trials":2,"n_valid":2,"trial_rewards":[1,0],"causes":["","expectation"]}]}`
	var r record.SplitResult
	if err := json.Unmarshal([]byte(file), &r); err != nil {
		fmt.Println(err)
		return
	}
	var page bytes.Buffer // or a file
	doc := reporter.Build(reporter.Input{Results: []record.SplitResult{r}})
	if err := reporter.WriteHTML(&page, doc, reporter.HTMLOptions{Title: "Nightly run"}); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "<title>") || strings.Contains(line, "late-delivery</th>") {
			fmt.Print(line)
		}
	}
	// Output:
	// <title>Nightly run</title>
	// <tr><th scope="row">late-delivery</th><td>0.500</td><td>–</td><td>2</td><td>2</td><td class="m t">1 0</td><td class="t">expectation</td></tr>
}
