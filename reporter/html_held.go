package reporter

import (
	"fmt"
	"strconv"

	"github.com/capeval/capeval/record"
)

// htmlHeld is a published score: which look it was, and what the ledger says.
type htmlHeld struct {
	ID        string
	Title     any
	Text      any
	Notices   []any
	Facts     []htmlFact
	Looks     *htmlTable
	Overrides *htmlTable
	Tasks     []any // changes of the held-out tasks themselves, in sentences
	Ledger    []htmlFact
}

func htmlHold(h Held, id string) *htmlHeld {
	f := h.Final
	return &htmlHeld{
		ID: id, Title: htmlIsolate("Held-out score, release " + htmlName(f.Seal.Release)), Text: htmlIsolate(heldLine(f)),
		Notices: htmlNotices(h.Notices), Facts: htmlHeldFacts(f), Looks: htmlLooks(f, id), Overrides: htmlOverrides(f, id),
		Tasks: htmlHeldTasks(f.Seal), Ledger: htmlLedger(f),
	}
}

// htmlHeldDetail is the change of a published score with its interval.
func htmlHeldDetail(f record.Final) any {
	if f.Comparison == nil {
		return nil
	}
	return htmlIsolate("change " + htmlDifference(f.TestDelta) + ", " + htmlFinalInterval(f.Comparison.CI))
}

func htmlFinalInterval(ci record.Interval) string {
	if _, ok := ci.Low.Value(); !ok {
		return "no interval"
	}
	return fmt.Sprintf("%s interval %s (%s)", percent(ci.Level), htmlRange(ci.Low, ci.High, htmlDifference), named(ci.Method))
}

func htmlHeldFacts(f record.Final) []htmlFact {
	reward := htmlFact{Name: "held-out reward", Value: htmlShare(f.Test.Reward), Note: htmlIsolate(sureness(f.Test))}
	look := f.Seal.Look
	facts := []htmlFact{reward,
		{Name: "look", Value: strconv.Itoa(look.Number), Note: fmt.Sprintf("tasks looked at before: %d of %d, at most %d times", look.ByTask.Reused, look.ByTask.Reused+look.ByTask.Fresh, look.ByTask.Max)},
	}
	if c := f.Comparison; c != nil {
		facts = append(facts,
			htmlFact{Name: "change", Value: htmlDifference(f.TestDelta), Note: htmlIsolate(htmlFinalInterval(c.CI))},
			htmlFact{Name: "exact p", Value: htmlChance(c.PTwoSided), Note: fmt.Sprintf("two-sided, over %d paired tasks", c.NPaired)},
			htmlFact{Name: "interval for this look", Value: htmlRange(c.CILook.Low, c.CILook.High, htmlDifference), Note: htmlIsolate(fmt.Sprintf("at %s: what is left after the looks before (%s)", percent(c.CILook.Level), named(c.CILook.Method)))})
		if c.Verdict != "" {
			facts = append(facts, htmlFact{Name: "verdict", Value: htmlIsolate(htmlName(c.Verdict)), Note: htmlIsolate("rule " + named(c.Rule) + ", " + named(c.Code))})
		}
	}
	return append(facts, htmlFact{Name: "status", Value: htmlIsolate(htmlName(string(f.Status)))})
}

// htmlLooks has one row a look at these tasks, the oldest first and this one last.
func htmlLooks(f record.Final, id string) *htmlTable {
	t := &htmlTable{ID: id + "-looks", Caption: "Every look at these tasks, the oldest first",
		Columns: []htmlColumn{{Name: "release"}, {Name: "suite", Text: true}, {Name: "attempt", Text: true}, {Name: "time", Text: true}, {Name: "result", Text: true}}}
	past := f.Seal.Previous
	if n := len(past) - shownSentences; n > 0 {
		t.Note = count(float64(n)) + " older looks are not shown; the ledger has them."
		past = past[n:]
	}
	for _, p := range past {
		result := htmlName(told(p.Result))
		if p.Result == nil {
			result = "none was committed"
		}
		t.add(htmlIsolate(htmlName(p.Release)), htmlIsolate(htmlName(p.Suite)), htmlIsolate(htmlName(p.Attempt)), htmlIsolate(htmlName(p.Time)), htmlIsolate(result))
	}
	t.add(htmlIsolate(htmlName(f.Seal.Release)), htmlIsolate(htmlName(f.Suite)), htmlIsolate(htmlName(f.Seal.Attempt)), htmlIsolate(htmlName(f.Ledger.Observed)), fmt.Sprintf("this one, look %d", f.Seal.Number))
	return t
}

func htmlOverrides(f record.Final, id string) *htmlTable {
	if len(f.Seal.Overrides) == 0 {
		return nil
	}
	t := &htmlTable{ID: id + "-overrides", Caption: "Looks that were forced",
		Columns: []htmlColumn{{Name: "by"}, {Name: "reason", Text: true}, {Name: "job", Text: true}, {Name: "attempt that had looked before", Text: true}}}
	for i, o := range f.Seal.Overrides {
		if i == shownSentences {
			t.Note = count(float64(len(f.Seal.Overrides)-i)) + " more are not shown; the ledger has them."
			break
		}
		t.add(htmlIsolate(htmlName(o.Actor)), htmlIsolate(htmlLine(o.Reason, 400)), htmlIsolate(htmlName(o.RunURL)), htmlIsolate(htmlName(o.ObservedBy)))
	}
	return t
}

// htmlHeldTasks says how the held-out tasks differ from those of earlier looks.
func htmlHeldTasks(s record.FinalSeal) []any {
	var all []string
	say := func(what string, ids []string) {
		if len(ids) == 0 {
			return
		}
		names := make([]string, 0, shownTasks+1)
		for _, id := range ids[:min(len(ids), shownTasks+1)] {
			names = append(names, htmlName(id))
		}
		list := few(names)
		if len(ids) > shownTasks {
			list = few(names[:shownTasks]) + fmt.Sprintf(" and %s more", count(float64(len(ids)-shownTasks)))
		}
		all = append(all, fmt.Sprintf("%s: %s (%s)", what, count(float64(len(ids))), list))
	}
	say("tasks new since the look before", s.Added)
	say("tasks edited since", s.Edited)
	say("tasks removed since", s.Removed)
	say("contaminated, that is used as train or val before", s.Contaminated)
	if s.RenamedFrom != nil {
		all = append(all, "the suite was called "+htmlName(*s.RenamedFrom)+" before")
	}
	return htmlSentences(all)
}

// htmlLedger is where the look is recorded and what was looked at.
func htmlLedger(f record.Final) []htmlFact {
	var facts []htmlFact
	add := func(name, v string) {
		if v != "" {
			facts = append(facts, htmlFact{Name: name, Value: htmlIsolate(htmlName(v))})
		}
	}
	l := f.Ledger
	add("ledger", l.ID)
	add("scope", l.Scope)
	add("ref", l.Ref)
	add("genesis", l.Genesis)
	add("born", l.Born)
	facts = append(facts, htmlFact{Name: "entry", Value: strconv.Itoa(l.Seq)})
	add("reserved", l.Reserved)
	add("observed", l.Observed)
	add("head before", l.HeadBefore)
	add("key", f.Seal.Key)
	add("fingerprint of the tasks", f.Seal.Fingerprint)
	add("attempt", f.Seal.Attempt)
	source := func(arm string, s record.Source) {
		add(arm+" commit", s.Commit)
		add(arm+" ref", s.Ref)
		add(arm+" folder", s.Dir)
		add(arm+" digest", s.Digest)
	}
	source("candidate", f.Candidate)
	if f.BaselineID != nil {
		add("baseline", *f.BaselineID)
	}
	if f.Baseline != nil {
		source("baseline", *f.Baseline)
	}
	add("scorer", f.Scorer)
	add("plan", f.Plan.Digest)
	add("job", f.Run.URL)
	add("started by", f.Run.Actor)
	return facts
}
