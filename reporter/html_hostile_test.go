package reporter_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/reporter"
)

// htmlHostile are texts that try to be more than text in a page.
var htmlHostile = []string{
	`<script>window.pwned=1</script>`, `</style><script>window.pwned=1</script>`, `</script><script>window.pwned=1</script>`,
	`<img src=x onerror=window.pwned=1>`, `"><svg onload=window.pwned=1>`, `' onfocus='window.pwned=1' autofocus='`,
	`javascript:window.pwned=1`, `]]><![CDATA[`, `{{.}}{{template "table"}}`, `<!-- --> <!--`, `</text></svg><p>`, `</desc><script>window.pwned=1</script>`,
	"\ue000\ue001\ue002 \ufffe\uffff", "&lt;b&gt;&#60;", "שלום, 0.5 of عالم 3", "\u202egnp.exe", "\x1b[31m\x00\x07", "${window.pwned=1}`",
}

// htmlHostileInput is a report in which every text is h.
func htmlHostileInput(t *testing.T, h string) reporter.Input {
	in := reporter.Input{Results: hostileResults(results(t), h), Notes: []string{h, h}}
	v := hostileVerdict(t, h)
	in.Decisions, in.Verdict = v.Suites, v.Verdict
	f := published(t)
	f.Suite, f.BaselineID, f.Status = h, &h, record.FinalStatus(h)
	f.Test.Suite, f.Test.Arm, f.TestBaseline.Suite = h, h, h
	f.Comparison.CI.Method, f.Comparison.CILook.Method, f.Comparison.Verdict, f.Comparison.Code, f.Comparison.Rule = h, h, h, h, h
	s := &f.Seal
	s.Key, s.Fingerprint, s.Release, s.Attempt, s.RenamedFrom = h, h, h, h, &h
	s.Edited, s.Added, s.Removed, s.Contaminated = []string{h}, []string{h}, []string{h}, []string{h}
	s.Previous = []record.PastLook{{Suite: h, Release: h, Attempt: h, Time: h, Result: &h}}
	s.Overrides = []record.Override{{Reason: h, Actor: h, RunURL: h, ObservedBy: h}}
	f.Ledger = record.FinalLedger{ID: h, Scope: h, Ref: h, Genesis: h, Born: h, Reserved: h, Observed: h, HeadBefore: h}
	f.Candidate = record.Source{Commit: h, Ref: h, Dir: h, Digest: h}
	f.Baseline, f.Scorer, f.Plan.Digest, f.Run.URL, f.Run.Actor = &f.Candidate, h, h, h, h
	in.Finals = []record.Final{f}
	in.Checks = []reporter.Check{{Suite: h, Split: record.Split(h), Name: h, State: reporter.CheckState(h), Message: h}}
	return in
}

func TestHTMLHostileText(t *testing.T) {
	plain := len(htmlOf(t, htmlHostileInput(t, "plain")))
	for _, h := range slices.Concat(hostile, htmlHostile) {
		page := htmlOf(t, htmlHostileInput(t, h))
		if wrong := htmlWrong(page); len(wrong) > 0 {
			t.Errorf("%.60q: found %v", h, wrong)
		}
		if most := plain + 200_000; len(page) > most {
			t.Errorf("%.60q: %d bytes, need at most %d", h, len(page), most)
		}
	}
}

// What an agent says may be of any size: the page shows its beginning.
func TestHTMLHugeFeedback(t *testing.T) {
	huge := strings.Repeat("\x1b[1m</script>\u0300試 ", 12<<20/18)
	in := reporter.Input{Results: results(t)[:1]}
	task := &in.Results[0].PerTask[0]
	task.Feedback = slices.Clone(task.Feedback)
	for i := range task.Feedback {
		task.Feedback[i] = huge
	}
	in.Notes = []string{huge}
	in.Checks = []reporter.Check{{Name: "floor", State: reporter.CheckFailed, Message: huge}}
	in.Decisions = []gate.Decision{{Suite: "s", Verdict: gate.Indecisive, Code: gate.CodeSubset, Message: huge, Warnings: []record.Warning{{Code: "x", Message: huge}}}}
	d := reporter.Build(in)
	start := time.Now()
	var b bytes.Buffer
	if err := reporter.WriteHTML(&b, d, reporter.HTMLOptions{}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 120_000 {
		t.Errorf("%d bytes, need at most 120,000", b.Len())
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v: more of a text was looked at than is shown", took)
	}
	if wrong := htmlWrong(b.Bytes()); len(wrong) > 0 {
		t.Errorf("found %v", wrong)
	}
}

func FuzzHTML(f *testing.F) {
	for _, h := range slices.Concat(hostile, htmlHostile) {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, h string) {
		if len(h) > 1<<16 {
			t.Skip("the size of texts has its own test")
		}
		page := htmlOf(t, htmlHostileInput(t, h))
		if wrong := htmlWrong(page); len(wrong) > 0 {
			t.Errorf("found %v", wrong)
		}
		if len(page) > 500_000 {
			t.Errorf("%d bytes", len(page))
		}
	})
}
