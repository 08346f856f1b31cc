package importer_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/importer"
	"github.com/capeval/capeval/record"
)

// report runs a package's specs by Ginkgo's own command and returns the file of
// --json-report. Specs may fail.
func report(t *testing.T, pkg string, env []string, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"run", "github.com/onsi/ginkgo/v2/ginkgo", "--json-report=r.json", "--output-dir=" + dir}, args...)
	c := exec.Command("go", append(args, pkg)...)
	c.Env = append(os.Environ(), env...)
	out, _ := c.CombinedOutput()
	data, err := os.ReadFile(filepath.Join(dir, "r.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return data
}

func read(t *testing.T, data []byte) []importer.Suite {
	t.Helper()
	suites, err := importer.Ginkgo(bytes.NewReader(data), "r.json")
	if err != nil {
		t.Fatal(err)
	}
	return suites
}

// ends tells each task of a suite in a word: its reward, or why it is missing.
func ends(t *testing.T, s importer.Suite) []string {
	t.Helper()
	r, err := record.Summarize(s.Run, s.Trials, record.Options{AnyRun: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, task := range r.PerTask {
		for k, e := range task.TrialRewards {
			word := e.Format(0)
			if !e.Defined() {
				word = string(task.Causes[k])
			}
			all = append(all, task.Task+" = "+word)
		}
	}
	slices.Sort(all)
	return all
}

var odd = []string{
	"odd fails = 0",
	"odd in order first = 0",
	"odd in order second = not_started",
	"odd panics = panic",
	"odd passes = 1",
	"odd passes again and again = 1",
	"odd passes at last = invalid_score", // retries hide failures
	"odd skips = skipped",
	"odd times out = runner",
	"odd twin (odd_test.go:29) = 1", // two specs of one name stay two tasks
	"odd twin (odd_test.go:30) = 0",
	"odd with a broken clean-up had passed = 1", // a verdict given stands
	"odd with a broken set-up never comes to its body = setup",
}

func TestEveryEndOfASpec(t *testing.T) {
	for _, procs := range []int{1, 3} {
		suites := read(t, report(t, "./testdata/odd", nil, fmt.Sprintf("--procs=%d", procs)))
		if len(suites) != 2 || suites[0].Run.Split != record.Train || suites[1].Run.Split != record.Val {
			t.Fatalf("procs %d: found %d suites, need train and val", procs, len(suites))
		}
		if got := ends(t, suites[1]); !slices.Equal(got, odd) {
			t.Errorf("procs %d: got\n%s\nwant\n%s", procs, strings.Join(got, "\n"), strings.Join(odd, "\n"))
		}
		if suites[1].Run.Procs != procs || suites[1].Run.Subset {
			t.Errorf("procs %d: the run says procs %d, subset %v", procs, suites[1].Run.Procs, suites[1].Run.Subset)
		}
	}
}

func TestASelectionIsASubset(t *testing.T) {
	suites := read(t, report(t, "./testdata/odd", nil, "--label-filter=quick"))
	if len(suites) != 1 || !suites[0].Run.Subset {
		t.Fatalf("found %+v, need val alone, a subset", suites)
	}
	if got := ends(t, suites[0]); !slices.Equal(got, []string{"odd fails = 0", "odd passes = 1"}) {
		t.Errorf("got %q", got)
	}
	whole := read(t, report(t, "./testdata/odd", nil, "--label-filter=split:train"))
	if len(whole) != 1 || whole[0].Run.Subset {
		t.Errorf("a filter that leaves all of a split made it a subset: %+v", whole)
	}
}

// After --fail-fast Ginkgo calls what it never reached skipped, as if it had been
// deselected. It stays in the denominator.
func TestWhatWasNeverReachedIsMissing(t *testing.T) {
	suites := read(t, report(t, "./testdata/odd", nil, "--fail-fast", "--seed=1"))
	val := suites[len(suites)-1]
	r, err := record.Summarize(val.Run, val.Trials, record.Options{AnyRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.NTasks != len(odd) || r.ByCause[record.CauseNotStarted] < 5 {
		t.Errorf("%d tasks of which %d never started, need %d tasks", r.NTasks, r.ByCause[record.CauseNotStarted], len(odd))
	}
}

func TestRefusals(t *testing.T) {
	dry := report(t, "./testdata/odd", nil, "--dry-run")
	if _, err := importer.Ginkgo(bytes.NewReader(dry), "r.json"); !errors.Is(err, importer.ErrDryRun) {
		t.Errorf("a dry run: got %v", err)
	}
	empty := report(t, "./testdata/odd", nil, "--label-filter=split:tset")
	if _, err := importer.Ginkgo(bytes.NewReader(empty), "r.json"); err == nil || !strings.Contains(err.Error(), "ran none of") {
		t.Errorf("a filter that selects nothing: got %v", err)
	}
	all := report(t, "./testdata/odd", nil)
	cut := bytes.Replace(all, []byte(`"TotalSpecs": 15`), []byte(`"TotalSpecs": 16`), 1)
	if bytes.Equal(cut, all) {
		t.Fatalf("the report does not count 15 specs")
	}
	if _, err := importer.Ginkgo(bytes.NewReader(cut), "r.json"); !errors.Is(err, importer.ErrPartial) {
		t.Errorf("a report that lacks a spec: got %v", err)
	}
	for _, bad := range []string{"", "[]", "{}", "null", "[{}]", "[1]", `[{"SuiteDescription":"x","SuiteConfig":{}}]`} {
		if got, err := importer.Ginkgo(strings.NewReader(bad), "r.json"); err == nil || !strings.HasPrefix(err.Error(), "r.json: ") {
			t.Errorf("%q: got %+v, %v, need a refusal that names the file", bad, got, err)
		}
	}
}

// What the journal says and what Ginkgo's report says of one run are the same.
func TestAgreesWithTheJournal(t *testing.T) {
	for _, procs := range []string{"--procs=1", "--procs=2"} {
		dir := t.TempDir()
		data := report(t, "../../examples/quickstart", []string{"CAPEVAL_RUN_DIR=" + dir, "CAPEVAL_TRIALS=3"}, procs)
		files, err := filepath.Glob(filepath.Join(dir, "*", "result.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("found %v, %v, need one result", files, err)
		}
		f, err := os.Open(files[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := record.ReadResult(f, files[0])
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		suites := read(t, data)
		got, err := record.Summarize(suites[0].Run, suites[0].Trials, record.Options{AnyRun: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(suites) != 1 || got.Suite != want.Suite || got.Reward != want.Reward || got.Stderr != want.Stderr || got.NCells != want.NCells || got.NMissing != want.NMissing || got.Run.BaseSeed != want.Run.BaseSeed || got.Subset {
			t.Errorf("%s: the report says %s %v (stderr %v, %d cells, %d missing, base seed %d, subset %v), the journal %s %v (stderr %v, %d cells, %d missing, base seed %d)", procs,
				got.Suite, got.Reward, got.Stderr, got.NCells, got.NMissing, got.Run.BaseSeed, got.Subset, want.Suite, want.Reward, want.Stderr, want.NCells, want.NMissing, want.Run.BaseSeed)
		}
		for i, task := range got.PerTask {
			if w := want.PerTask[i]; task.Task != w.Task || !slices.Equal(task.TrialRewards, w.TrialRewards) || !slices.Equal(task.Seeds, w.Seeds) || !slices.Equal(task.Causes, w.Causes) {
				t.Errorf("%s: the report says %+v, the journal %+v", procs, task, w)
			}
		}
	}
}

func TestRealReports(t *testing.T) {
	data := os.Getenv("CAPEVAL_DATA")
	if data == "" {
		t.Skip("CAPEVAL_DATA is not set: no real reports here")
	}
	for file, want := range map[string]string{
		"mixed_outcomes":     "",
		"procs3":             "",
		"fail_fast":          "",
		"dry_run":            "a dry run",
		"empty_label_filter": "ran none of 13 specs",
		"suite_timeout":      "the timeout elapsed",
		"nan_report_entry":   "NaN",
	} {
		b, err := os.ReadFile(filepath.Join(data, "ginkgo", file+".report.json"))
		if err != nil {
			t.Fatal(err)
		}
		if !importer.IsGinkgo(b) {
			t.Errorf("%s: not known as a report of Ginkgo", file)
		}
		suites, err := importer.Ginkgo(bytes.NewReader(b), file)
		switch {
		case want == "" && err != nil:
			t.Error(err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want a refusal that says %q", file, err, want)
		case want == "":
			if got := ends(t, suites[0]); len(got) != 12 { // 13 specs, one pending
				t.Errorf("%s: found %d cells: %q", file, len(got), got)
			}
		}
	}
}

func FuzzGinkgo(f *testing.F) {
	f.Add([]byte(`[{"SuiteDescription":"s","PreRunStats":{"TotalSpecs":1,"SpecsThatWillRun":1},"SpecReports":[{"LeafNodeType":"It","LeafNodeText":"x","State":"passed","NumAttempts":1}]}]`))
	f.Add([]byte(`[{"SpecReports":[{"LeafNodeType":"It","LeafNodeText":"[trial 9999999]","ContainerHierarchyTexts":["a"],"LeafNodeLabels":["capeval"],"State":"failed","NumAttempts":1,"ReportEntries":[{"Name":"capeval","Value":{"AsJSON":"{\"task\":\"a\",\"reward\":7}"}}]}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		suites, err := importer.Ginkgo(bytes.NewReader(data), "r.json")
		if err != nil {
			return
		}
		for _, s := range suites { // what was read can be summarized, or says why not
			r, err := record.Summarize(s.Run, s.Trials, record.Options{AnyRun: true})
			if err == nil && r.NMissing > r.NCells {
				t.Errorf("%d of %d cells are missing", r.NMissing, r.NCells)
			}
		}
	})
}
