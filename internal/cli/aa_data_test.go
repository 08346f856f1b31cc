package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/cli"
)

// The four arms of an airline agent that were byte-identical: the seed and three
// repetitions, 12 tasks of 5 trials.
var alike = []string{"seed", "c0_null5", "c0_null5b", "c0_null5c"}

// alikeFiles writes their trials as files that any harness could have written.
func alikeFiles(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("CAPEVAL_DATA")
	if dir == "" {
		t.Skip("CAPEVAL_DATA is not set: the runs of the airline agent are not at hand")
	}
	data, err := os.ReadFile(filepath.Join(dir, "cap-evolve", "tau2_airline_v4.val_per_task.json"))
	if err != nil {
		t.Fatal(err)
	}
	var arms map[string]map[string]struct{ Trials []float64 }
	if err := json.Unmarshal(data, &arms); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	var paths []string
	for _, arm := range alike {
		var b strings.Builder
		for task, row := range arms[arm] { // in any order, as rows may come
			for k, reward := range row.Trials {
				fmt.Fprintf(&b, "{\"suite\":\"airline\",\"task\":%q,\"trial\":%d,\"reward\":%v}\n", task, k, reward)
			}
		}
		path := filepath.Join(to, arm+".jsonl")
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// command calls capeval-ci and returns its exit code and what it printed.
func command(args ...string) (code int, out, said string) {
	var o, e bytes.Buffer
	code = cli.Main(args, cli.IO{In: strings.NewReader(""), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

// On real runs of one agent the rules that hold alpha claim nothing in either
// direction, and the rule of one standard error claims two gains in twelve.
func TestAAOnRealRuns(t *testing.T) {
	paths := alikeFiles(t)
	code, out, said := command(append([]string{"aa", "--format", "json", "--margin", "0.1"}, paths...)...)
	if code != 0 {
		t.Fatalf("code %d: %s", code, said)
	}
	var doc struct {
		Suites []struct {
			Rules []struct {
				Rule                      string
				Pairs, Accepted, Rejected int
				FalseAlarms               int `json:"false_alarms"`
				Indecisive                int
			}
			Noise struct {
				Mean float64 `json:"mean_abs_delta"`
				Max  float64 `json:"max_abs_delta"`
			}
			Tasks       []struct{ Task string }
			NotCompared []any `json:"not_compared"`
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Suites) != 1 || len(doc.Suites[0].Rules) != 8 || len(doc.Suites[0].Tasks) != 12 || len(doc.Suites[0].NotCompared) != 0 {
		t.Fatalf("want one suite with 8 rules and 12 tasks, got %+v", doc)
	}
	// The rule of one standard error is known to accept two of the twelve.
	alarms := map[string]int{"improve": 0, "no-regression": 0, "non-inferior": 0, "paired-se": 2}
	for _, r := range doc.Suites[0].Rules {
		if r.Pairs != 12 || r.Accepted+r.Rejected+r.Indecisive != 12 {
			t.Errorf("%s: %+v, want 12 ordered pairs", r.Rule, r)
		}
		if want, ok := alarms[r.Rule]; ok && r.FalseAlarms != want {
			t.Errorf("%s: %d false alarms, want %d", r.Rule, r.FalseAlarms, want)
		}
	}
	// The rewards, in sixtieths: 34, 28, 31 and 34. So the six pairs differ by 6,
	// 3, 0, 3, 6 and 3.
	if n := doc.Suites[0].Noise; n.Mean != 21.0/360 || n.Max != 0.1 {
		t.Errorf("noise floor %+v: want a mean of 21/360 and a maximum of 1/10", n)
	}
}

// No default rule tells two of those runs apart, in either order.
func TestGateOnRealRuns(t *testing.T) {
	paths := alikeFiles(t)
	for _, b := range paths {
		for _, c := range paths {
			if b == c {
				continue
			}
			if code, out, said := command("gate", "--baseline", b, "--candidate", c); code != 0 {
				t.Errorf("no-regression blocks %s after %s: code %d\n%s%s", filepath.Base(c), filepath.Base(b), code, out, said)
			}
			if code, out, said := command("gate", "--rule", "improve", "--baseline", b, "--candidate", c); code == 0 {
				t.Errorf("improve accepts %s after %s\n%s%s", filepath.Base(c), filepath.Base(b), out, said)
			}
		}
	}
}
