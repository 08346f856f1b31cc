package reporter

import (
	"fmt"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

// Headline is a sentence that stands alone: it needs neither what comes before it
// nor a table. It is one line of clean text; it is not escaped for any form.
type Headline struct {
	Kind  HeadlineKind
	Suite string // as recorded
	Text  string
}

// HeadlineKind says what a headline tells.
type HeadlineKind string

// The kinds of headlines.
const (
	HeadHeldOut    HeadlineKind = "held-out"
	HeadAccepted   HeadlineKind = "accepted"
	HeadRejected   HeadlineKind = "rejected"
	HeadIndecisive HeadlineKind = "indecisive"
	HeadCompared   HeadlineKind = "compared" // nobody judged
	HeadMeasured   HeadlineKind = "measured"
	HeadChecks     HeadlineKind = "checks" // some assertion did not pass
)

// headlines says what a document comes to: the held-out scores, then the
// verdicts. Where there is neither, the results speak.
func headlines(d Document) []Headline {
	var hs []Headline
	for _, h := range d.Finals {
		hs = append(hs, Headline{HeadHeldOut, h.Final.Suite, heldLine(h.Final)})
	}
	for _, s := range d.Decisions {
		hs = append(hs, Headline{kindOf(s.Decision.Verdict), s.Decision.Suite, headline(s)})
	}
	if len(hs) == 0 {
		for _, s := range d.Suites {
			hs = append(hs, Headline{HeadMeasured, s.Result.Suite, measuredLine(s)})
		}
	}
	failed, unclear := 0, 0
	for _, c := range d.Checks {
		switch c.State {
		case CheckFailed:
			failed++
		case CheckUndefined:
			unclear++
		}
	}
	if failed+unclear > 0 {
		hs = append(hs, Headline{HeadChecks, "", fmt.Sprintf("of %d checks %d failed and %d cannot be told", len(d.Checks), failed, unclear)})
	}
	return hs
}

func kindOf(o gate.Outcome) HeadlineKind {
	switch o {
	case gate.Accepted:
		return HeadAccepted
	case gate.Rejected:
		return HeadRejected
	case gate.Indecisive:
		return HeadIndecisive
	}
	return HeadCompared
}

// heldLine is a published score: what it is, how sure it is, which look it was.
func heldLine(f record.Final) string {
	s := fmt.Sprintf("held-out %s of %s, release %s: %s", share(f.Test.Reward, 3), named(f.Suite), named(f.Seal.Release), sureness(f.Test))
	s += fmt.Sprintf(", look %d", f.Seal.Number)
	if f.Comparison != nil && f.Status != record.FinalEqual {
		s += fmt.Sprintf("; %s against the baseline, exact p %s", difference(f.TestDelta), chance(f.Comparison.PTwoSided))
	}
	return s
}

// measuredLine is a result in a sentence.
func measuredLine(s Suite) string {
	r := s.Result
	name := named(r.Suite) + " (" + named(string(r.Split)) + ")"
	if r.Arm != "candidate" {
		name += ", arm " + named(r.Arm)
	}
	if s.NValid == 0 {
		return name + ": nothing was measured, which is not a pass"
	}
	text := fmt.Sprintf("%s: reward %s, %s", name, share(r.Reward, 3), sureness(r))
	switch {
	case r.Subset:
		text += ", only a selection of the split"
	case r.Run.Shard != nil:
		text += fmt.Sprintf(", shard %d of %d", r.Run.Shard.Index, r.Run.Shard.Count)
	}
	return text
}

// sureness is the interval with its method, and the denominators.
func sureness(r record.SplitResult) string {
	interval := "no interval (fewer than 2 tasks scored)"
	if _, ok := r.CI.Low.Value(); ok {
		interval = fmt.Sprintf("%s interval %s (%s)", percent(r.CI.Level), spread(r, between(r.CI.Low, r.CI.High)), named(r.CI.Method))
	}
	return fmt.Sprintf("%s, %d of %d tasks scored, %d of %d cells valid", interval, r.NScored, r.NTasks, r.NCells-r.NMissing, r.NCells)
}
