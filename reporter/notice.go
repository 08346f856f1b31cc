package reporter

import (
	"fmt"
	"strings"

	"github.com/capeval/capeval/record"
)

// The codes of notices that are no warning of a result or a decision.
const (
	NoticeNothing   = "nothing_measured"
	NoticeDry       = "dry_run"
	NoticeSubset    = "subset"
	NoticeShard     = "missing_shard"
	NoticeCached    = "cached"
	NoticeMissing   = "missing"
	NoticeUnscored  = "unscored"
	NoticeDirty     = "dirty"
	NoticeLook      = "look"
	NoticeOverride  = "override"
	NoticeSalvaged  = "salvaged"
	NoticeLocal     = "local_ledger"
	NoticeScorer    = "scorer_changed"
	NoticeLeaked    = "contaminated"
	NoticeNoCompare = "no_baseline"
	NoticeEqual     = "equal"
)

// noticesOf says what speaks against the numbers of a result. Ids stand in the
// texts as they were recorded.
func noticesOf(s Suite) []Notice {
	r := s.Result
	var ns []Notice
	add := func(code, format string, args ...any) { ns = append(ns, Notice{code, fmt.Sprintf(format, args...)}) }
	if r.Run.Dry {
		add(NoticeDry, "a dry run: nothing was measured")
	}
	if s.NValid == 0 {
		add(NoticeNothing, "nothing was measured, and that is not a pass")
	}
	if r.Subset {
		add(NoticeSubset, "only a selection of the split ran: no gate takes this result")
	}
	if sh := r.Run.Shard; sh != nil {
		add(NoticeShard, "shard %d of %d: no gate takes this result before the shards are merged", sh.Index, sh.Count)
	}
	if r.NCached > 0 {
		add(NoticeCached, "%d scored cells were answered from a cache and not measured", r.NCached)
	}
	if r.NMissing > 0 {
		text := fmt.Sprintf("%d of %d cells are missing%s", r.NMissing, r.NCells, causeList(": ", s.Missing))
		if _, ok := r.Bounds.Low.Value(); ok {
			text += "; were each 0 or 1, the reward would lie in " + between(r.Bounds.Low, r.Bounds.High)
		}
		add(NoticeMissing, "%s", text)
	}
	if n := len(s.Unscored); n > 0 {
		add(NoticeUnscored, "%d of %d tasks have no valid trial and are in no mean", n, r.NTasks)
	}
	for _, w := range r.Warnings {
		add(w.Code, "%s", w.Message)
	}
	if r.Run.Dirty {
		add(NoticeDirty, "the checkout had changes that are in no commit")
	}
	return ns
}

// hold arranges a final.json.
func hold(f record.Final) Held {
	h := Held{Final: f}
	add := func(code, format string, args ...any) {
		h.Notices = append(h.Notices, Notice{code, fmt.Sprintf(format, args...)})
	}
	s := f.Seal
	for _, o := range s.Overrides {
		add(NoticeOverride, "a further look was forced by %s: %s", orDash(o.Actor), orDash(o.Reason))
	}
	if f.Status == record.FinalSalvaged {
		add(NoticeSalvaged, "the job died after the look: what it did not come to is missing")
	}
	if len(s.Contaminated) > 0 {
		add(NoticeLeaked, "%d tasks were used as train or val before: %s", len(s.Contaminated), few(s.Contaminated))
	}
	if s.Number > 1 {
		add(NoticeLook, "look %d: %d of %d tasks were looked at before, at most %s", s.Number, s.ByTask.Reused, s.ByTask.Reused+s.ByTask.Fresh, times(s.ByTask.Max))
	}
	if s.ScorerChanged {
		add(NoticeScorer, "the scorer changed since the look before: the numbers are not of one scale")
	}
	if f.Ledger.Scope == "local" {
		add(NoticeLocal, "the ledger is local: no other machine knows of this look")
	}
	switch {
	case f.Status == record.FinalEqual:
		add(NoticeEqual, "the candidate is the baseline: the difference is 0 by construction and nothing was compared")
	case f.TestBaseline == nil:
		add(NoticeNoCompare, "there was no baseline: nothing was compared")
	}
	return h
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func orDash(s string) string {
	if strings.TrimSpace(s) == "" {
		return "-"
	}
	return s
}

// few names the first of many ids.
func few(ids []string) string {
	if len(ids) <= shownTasks {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:shownTasks], ", "), len(ids)-shownTasks)
}
