package reporter_test

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// Real ids of 65 to 120 characters, some hundreds of them: the table of tasks has a
// row for each, whole.
func TestHTMLOfLongRealIDs(t *testing.T) {
	var rows map[string]bool
	real(t, &rows, "swe-bench-pro", "claude-sonnet-4-paper.eval_results.json")
	rewards := map[string]float64{}
	for id, passed := range rows {
		rewards[id] = 0
		if passed {
			rewards[id] = 1
		}
	}
	page := htmlOf(t, reporter.Input{Results: []record.SplitResult{summarized(t, "candidate", rewards)}})
	if _, err := html.Parse(bytes.NewReader(page)); err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for id := range rewards {
		if !strings.Contains(text, html.EscapeString(id)) {
			t.Fatalf("the page lacks task %s", id)
		}
	}
}
