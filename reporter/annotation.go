package reporter

import (
	"fmt"
	"io"
	"strings"

	"github.com/capeval/capeval/gate"
)

// What a forge shows of the workflow commands of one step: so many of each kind,
// so many bytes of each.
const (
	maxAnnotations     = 10
	maxAnnotationBytes = 4000
	maxAnnotationTitle = 120 // runes
)

// WriteAnnotations writes what matters most as workflow commands of GitHub
// Actions, for the log of a step: rejections and failed checks as errors; what
// cannot be told, missing data and tasks shown to have got worse as warnings;
// what is accepted, published or merely measured as notices. Each kind has at
// most as many as a forge shows, and the last then says how many it left out.
//
// A text from outside stays in the one line of its command and starts none of its
// own. A writer that fails is the only cause of an error.
func WriteAnnotations(w io.Writer, d Document) error {
	a := &annotations{lines: map[string][]string{}}
	a.verdicts(d)
	for _, state := range []CheckState{CheckFailed, CheckUndefined} {
		kind := "error"
		if state == CheckUndefined {
			kind = "warning"
		}
		for _, c := range d.Checks {
			if c.State == state {
				a.add(kind, fmt.Sprintf("check of %s: %s", place(c.Suite, string(c.Split)), named(c.Name)), orDash(c.Message))
			}
		}
	}
	a.missing(d.Suites)
	for _, s := range d.Decisions {
		a.regressions(s)
	}
	for _, h := range d.Finals {
		for _, n := range h.Notices {
			if n.Code != NoticeNoCompare && n.Code != NoticeEqual {
				a.add("warning", "held-out score of "+named(h.Final.Suite), n.Text)
			}
		}
	}
	var b strings.Builder
	for _, kind := range []string{"error", "warning", "notice"} {
		lines := a.lines[kind]
		if n := len(lines); n > maxAnnotations {
			more := command(kind, "capeval", fmt.Sprintf("%d more of this kind are in the report", n-maxAnnotations+1))
			lines = append(lines[:maxAnnotations-1:maxAnnotations-1], more)
		}
		for _, l := range lines {
			b.WriteString(l)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// annotations collects commands by kind.
type annotations struct{ lines map[string][]string }

func (a *annotations) add(kind, title, message string) {
	a.lines[kind] = append(a.lines[kind], command(kind, title, message))
}

// verdicts adds what the document comes to.
func (a *annotations) verdicts(d Document) {
	for _, s := range d.Decisions {
		kind := "notice"
		switch s.Decision.Verdict {
		case gate.Rejected:
			kind = "error"
		case gate.Indecisive:
			kind = "warning"
		}
		a.add(kind, place(s.Decision.Suite, string(s.Decision.Split)), headline(s))
	}
	for _, h := range d.Headlines {
		if h.Kind == HeadHeldOut || h.Kind == HeadMeasured {
			a.add("notice", named(h.Suite), h.Text)
		}
	}
}

// maxLacking is how many results may each have a command on what they lack: the
// tasks that got worse come after them.
const maxLacking = 4

// missing adds what was to be measured and was not, one command a result.
func (a *annotations) missing(suites []Suite) {
	lacking := 0
	for _, s := range suites {
		var texts []string
		for _, n := range s.Notices {
			switch n.Code {
			case NoticeNothing, NoticeDry, NoticeSubset, NoticeShard, NoticeMissing, NoticeUnscored:
				texts = append(texts, n.Text)
			}
		}
		if len(texts) == 0 {
			continue
		}
		if lacking++; lacking <= maxLacking {
			a.add("warning", placeOf(s), strings.Join(texts, "; "))
		}
	}
	if more := lacking - maxLacking; more > 0 {
		a.add("warning", "missing data", fmt.Sprintf("%d more results lack measurements", more))
	}
}

// regressions adds the tasks that are shown to have got worse by themselves.
func (a *annotations) regressions(s SuiteDecision) {
	for _, r := range s.Changed {
		if v, _ := r.Delta.Value(); v < 0 && r.Claimed {
			a.add("warning", fmt.Sprintf("%s got worse", named(r.Task)), fmt.Sprintf("%s of %s: reward %s, the baseline's %s (%s, exact p %s)",
				clipMiddle(clean(r.Task), cellRunes), place(s.Decision.Suite, string(s.Decision.Split)), share(r.Candidate, 3), share(r.Baseline, 3), difference(r.Delta), chance(r.P)))
		}
	}
}

// command is one workflow command, its newline included.
func command(kind, title, message string) string {
	head := "::" + kind + " title=" + commandProperty(clipEnd(clean(title), maxAnnotationTitle)) + "::"
	message = clean(message)
	for n := maxAnnotationBytes; ; n = n * 3 / 4 {
		if data := commandData(clipEnd(message, n)); len(head)+len(data) < maxAnnotationBytes || n < 8 {
			return head + data + "\n"
		}
	}
}
