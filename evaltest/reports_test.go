package evaltest_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/record"
)

func readReport(t *testing.T, path string) types.Report {
	t.Helper()
	var reports []types.Report
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &reports)
	}
	if err != nil || len(reports) != 1 {
		t.Fatalf("%d reports: %v\n%s", len(reports), err, data)
	}
	return reports[0]
}

// Ginkgo's report has one short entry a trial, also where the score is none
// that JSON could hold.
func TestJSONReport(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		reporting, path := how.on("report").report(t, "json")
		r := reporting.run(t)
		r.exits(t, !red)
		report := readReport(t, path)
		source, err := filepath.Abs("testdata/suites/kinds/reports_test.go")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(must(os.ReadFile(source))), "\n")
		want := map[string]string{ // task: what stands on the line that it is attributed to
			"scored": `Task("scored"`, "nan": `Task("nan"`, "loop-a": "Task(id, Val", "loop-b": "Task(id, Val", "by-helper": "declareAt(Offset(1))",
		}
		seen := 0
		for _, spec := range report.SpecReports {
			if spec.LeafNodeType != types.NodeTypeIt {
				continue
			}
			seen++
			id := spec.ContainerHierarchyTexts[len(spec.ContainerHierarchyTexts)-1]
			for _, at := range []types.CodeLocation{spec.LeafNodeLocation, spec.ContainerHierarchyLocations[len(spec.ContainerHierarchyLocations)-1]} {
				if at.FileName != source || !strings.Contains(lines[at.LineNumber-1], want[id]) || want[id] == "" {
					t.Errorf("%s is attributed to %s", id, at)
				}
			}
			if len(spec.ReportEntries) != 1 || spec.ReportEntries[0].Name != "capeval" {
				t.Fatalf("%s has entries %+v", id, spec.ReportEntries)
			}
			var entry struct {
				Task   string
				Seed   int64
				Reward *float64
				Status record.Status
				Cause  record.Cause
			}
			text := spec.ReportEntries[0].Value.AsJSON
			if err := json.Unmarshal([]byte(text), &entry); err != nil || len(text) > 300 || entry.Task != id {
				t.Errorf("%v: entry %s", err, text)
			}
			if id == "nan" && (entry.Reward != nil || entry.Cause != record.CauseInvalidScore || spec.State != types.SpecStateSkipped) {
				t.Errorf("nan: state %s, entry %s", spec.State, text)
			}
			if id == "scored" && (entry.Reward == nil || *entry.Reward != 0.5 || spec.State != types.SpecStatePassed) {
				t.Errorf("scored: state %s, entry %s", spec.State, text)
			}
		}
		if seen != len(want) {
			t.Errorf("%d specs, want %d", seen, len(want))
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestJUnitReport(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		reporting, path := how.on("odd-ids").report(t, "junit")
		reporting.run(t).exits(t, !red)
		f := must(os.Open(path))
		defer f.Close()
		cases := 0
		for d := xml.NewDecoder(f); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "testcase" {
				for _, a := range e.Attr {
					if a.Name.Local == "name" && strings.Contains(a.Value, "[trial 0]") {
						cases++
					}
				}
			}
		}
		if cases != len(oddIDs()) {
			t.Errorf("%d test cases of trials, want %d", cases, len(oddIDs()))
		}
	})
}

// oddIDs are those of the suite's case of that name.
func oddIDs() []string {
	return []string{
		"a & b", "a|b", "!a", "a,b", "f(x)", "a/b", "../../etc/passwd", "100%", "a:b", "{x}", "naïve 日本語 🙂", `with "quotes"`,
		"<b>&amp;</b>", "task", "CON", "[trial 0]", "tab\there", "line\nbreak", strings.Repeat("x", 300), strings.Repeat("x", 299) + "y",
	}
}

// Whatever an id holds, its record is its own and its files stay in the run
// directory.
func TestOddIDs(t *testing.T) {
	everyWay(t, func(t *testing.T, how suiteRun) {
		reporting, path := how.on("odd-ids").report(t, "json")
		r := reporting.run(t)
		r.exits(t, !red)
		ids := oddIDs()
		res := r.result(t)
		if res.NTasks != len(ids) || res.NMissing != 0 {
			t.Errorf("%d tasks, %d missing\n%s", res.NTasks, res.NMissing, r.output)
		}
		files := map[string]bool{}
		for _, id := range ids {
			trials := r.trials(t, id)
			if len(trials) != 1 {
				t.Errorf("%q has %d records", id, len(trials))
				continue
			}
			file := r.dir.RolloutPath(record.Val, id, trials[0].Arm, 0)
			var rollout struct {
				Task    string
				Outputs []string
			}
			if err := json.Unmarshal(must(os.ReadFile(file)), &rollout); err != nil || rollout.Task != id || len(rollout.Outputs) != 1 || rollout.Outputs[0] != id {
				t.Errorf("%s: %v, %+v", file, err, rollout)
			}
			files[file] = true
		}
		if got := filesBelow(t, filepath.Join(r.dir.Path, "rollouts")); len(got) != len(ids) || len(files) != len(ids) {
			t.Errorf("%d rollout files with %d names of %d trials", len(got), len(files), len(ids))
		}
		texts := map[string]bool{}
		for _, spec := range readReport(t, path).SpecReports {
			if n := len(spec.ContainerHierarchyTexts); n > 0 {
				texts[spec.ContainerHierarchyTexts[n-1]] = true
			}
		}
		for _, id := range ids {
			if !texts[id] {
				t.Errorf("the report lacks %q", id)
			}
		}
	})
}

// The label of a task selects it, however odd its id.
func TestOddLabels(t *testing.T) {
	for id, filter := range map[string]string{
		"a & b": "task:a %26 b", "a|b": "task:a%7Cb", "!a": "task:%21a", "f(x)": "task:f%28x%29", "a/b": "task:a%2Fb", "100%": "task:100%25",
	} {
		t.Run(filter, func(t *testing.T) {
			t.Parallel()
			r := suiteRun{}.on("odd-ids").flag("--label-filter=" + filter).run(t)
			r.exits(t, !red)
			res := r.result(t)
			if res.NCells != 1 || len(res.PerTask) != 1 || res.PerTask[0].Task != id {
				t.Errorf("%d cells of %+v, want %q alone\n%s", res.NCells, res.PerTask, id, r.output)
			}
		})
	}
}
