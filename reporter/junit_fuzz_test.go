package reporter_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// FuzzJUnit puts text wherever text enters: whatever it is, the file is
// well-formed, holds to the schema, keeps every budget and says what matters
// first.
func FuzzJUnit(f *testing.F) {
	for _, h := range hostileTexts() {
		f.Add(h, h, h, h, false)
	}
	f.Add("a", "b", strings.Repeat("]]>", 30_000), "c", true)
	f.Add("a", "a#", "line\r\nline", "rate_limit", true)
	f.Fuzz(func(t *testing.T, id, suite, said, cause string, perTrial bool) {
		r := measured(t, "s", "candidate", "a=01-", "b=---", "c=1")
		r.Suite, r.Arm, r.Run.ID, r.Run.Commit, r.Run.Started, r.CI.Method = suite, suite, id, id, said, said
		r.Warnings = []record.Warning{{Code: cause, Message: said}}
		r.PerTask[0].Task, r.PerTask[1].Task = "0"+id, "1"+id
		for i := range r.PerTask {
			row := &r.PerTask[i]
			for k := range row.Causes {
				row.Feedback[k] = said
				if row.Causes[k] != "" {
					row.Causes[k] = record.Cause(cause)
				}
			}
		}
		in := reporter.Input{Results: []record.SplitResult{r}, Verdict: gate.Rejected, Notes: []string{said},
			Decisions: []gate.Decision{{Suite: suite, Split: record.Val, Verdict: gate.Rejected, Code: cause, Message: said,
				PerTask: []gate.TaskDecision{{Task: id}}, Warnings: []record.Warning{{Code: cause, Message: said}}}},
			Checks: []reporter.Check{{Suite: suite, Split: record.Val, Name: id, State: reporter.CheckFailed, Message: said}}}
		ts, _, b := junitOf(t, in, reporter.JUnitOptions{PerTrial: perTrial})
		if bytes.ContainsAny(b, "\x1b\x00\u202e") {
			t.Error("a control got through")
		}
		cases := 0
		for _, s := range ts.Suites {
			for _, c := range s.Testcases {
				texts := []string{}
				if c.SystemOut != nil {
					texts = append(texts, c.SystemOut.Data)
				}
				if c.Error != nil {
					texts = append(texts, c.Error.Data)
					if !strings.HasPrefix(c.Error.Message, "reward ") || !strings.HasPrefix(c.Error.Data, "reward ") {
						t.Errorf("an error begins with %.60q and %.60q", c.Error.Message, c.Error.Data)
					}
				}
				if c.Failure != nil {
					texts = append(texts, c.Failure.Data)
					if len(c.Failure.Message) > 1500 {
						t.Errorf("a message of %d bytes", len(c.Failure.Message))
					}
				}
				for _, text := range texts {
					if len(text) > 64<<10 {
						t.Errorf("a text of %d bytes", len(text))
					}
				}
				if len(c.Name) > 300 {
					t.Errorf("a name of %d bytes", len(c.Name))
				}
			}
			if !strings.HasSuffix(s.Name, "verdict") && s.Name != "capeval.report" {
				cases += len(s.Testcases)
			}
		}
		if want := map[bool]int{false: 3, true: 7}[perTrial]; cases < want {
			t.Errorf("%d cases, want %d", cases, want)
		}
	})
}
