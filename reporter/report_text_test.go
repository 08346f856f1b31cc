package reporter_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/reporter"
)

func reportText(t testing.TB, in reporter.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := reporter.WriteReportText(&b, reporter.Build(in), reporter.TextOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReportTextTellsEverything(t *testing.T) {
	got := reportText(t, sample(t))
	const golden = "testdata/report.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", golden, got)
	}
	at := -1
	for _, part := range []string{"held-out 0.812", "record 7\n", "\nrejected, ", "\nsuite ", "check failed: reward floor", "check undefined: stderr", "check passed: coverage", "note: old.jsonl"} {
		i := strings.Index(got, part)
		if i <= at && part != "\nrejected, " {
			t.Errorf("%q stands at %d, need it after %d", part, i, at)
		}
		at = max(at, i)
	}
}

func TestComparedIsNoVerdict(t *testing.T) {
	f := published(t)
	d, err := gate.Compare(*f.TestBaseline, f.Test, gate.DefaultRule())
	if err != nil {
		t.Fatal(err)
	}
	head := reporter.Build(reporter.Input{Decisions: []gate.Decision{d}}).Headlines[0]
	if head.Kind != reporter.HeadCompared || !strings.HasPrefix(head.Text, "compared, and nobody judged: held (test): the candidate's mean reward is 0.81, the baseline's 0.56, a change of +0.250 (95% interval ") {
		t.Errorf("got %+v", head)
	}
	if got := reportText(t, reporter.Input{}); got != "no suite was measured\n" {
		t.Errorf("nothing reads %q", got)
	}
}
