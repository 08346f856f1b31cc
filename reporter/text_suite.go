package reporter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/capeval/capeval/record"
)

// suite writes the block of one suite: what stands behind its row.
func (t *text) suite(s Suite) error {
	r := s.Result
	t.heading(r)
	if r.NTasks == 0 {
		why := "no task was declared"
		if r.Subset {
			why = "the selection holds no trial"
		}
		t.item(yellow, "nothing", why+", so nothing was measured")
		t.warnings(r, true)
	} else {
		t.item(faint, "reward", rewardLine(r))
		t.item(faint, "stderr", stderrLine(r))
		t.warnings(r, true)
		t.item(faint, "coverage", fmt.Sprintf("%d of %d tasks scored (%s), %d of %d cells valid (%s)",
			r.NScored, r.NTasks, share(r.Coverage, 3), s.NValid, r.NCells, share(r.CellCoverage, 3)))
		t.passes(s)
		t.causes(s)
		if err := t.worst(s); err != nil {
			return err
		}
		t.unscored(s)
	}
	t.warnings(r, false)
	t.item(faint, "time", timeLine(r))
	t.item(faint, "cost", costLine(r.Totals))
	t.item(faint, "run", runLine(r.Run))
	return nil
}

// heading writes the title of a block. It says when the numbers speak of less
// than the whole split.
func (t *text) heading(r record.SplitResult) {
	title := fmt.Sprintf("%s, split %s, arm %s", named(r.Suite), named(string(r.Split)), named(r.Arm))
	title = t.style(bold, shortenMiddle(title, t.width))
	t.line(title)
	if r.Subset {
		t.item(yellow, "subset", "only a selection of the split ran: no gate takes this result")
	}
	if sh := r.Run.Shard; sh != nil {
		t.item(yellow, "shard", fmt.Sprintf("%d of %d: no gate takes this result before the shards are merged", sh.Index, sh.Count))
	}
}

func rewardLine(r record.SplitResult) string {
	s := share(r.Reward, 3)
	if _, ok := r.CI.Low.Value(); !ok {
		return s + ", interval -"
	}
	return s + fmt.Sprintf(", %s interval %s (%s)", percent(r.CI.Level), spread(r, between(r.CI.Low, r.CI.High)), named(r.CI.Method))
}

func stderrLine(r record.SplitResult) string {
	if _, ok := r.Stderr.Value(); !ok && r.NScored < 2 {
		return fmt.Sprintf("- (tasks scored: %d, need 2)", r.NScored)
	}
	s := fmt.Sprintf("%s combined, conservative; between tasks %s, within tasks %s",
		spread(r, share(r.Stderr, 3)), spread(r, share(r.StderrBetween, 3)), spread(r, share(r.StderrWithin, 3)))
	if _, ok := r.StderrClustered.Value(); ok {
		s += ", clustered " + spread(r, share(r.StderrClustered, 3))
	}
	return s
}

// warnings writes those about the spread, or all others.
func (t *text) warnings(r record.SplitResult, aboutSpread bool) {
	for _, w := range r.Warnings {
		if (w.Code == record.WarnIdenticalTrials) == aboutSpread {
			t.item(yellow, "warning", named(w.Code)+": "+shortenEnd(oneLine(w.Message), 400))
		}
	}
}

// passes writes pass^k and pass@k at every k, also those for which the table
// had no room.
func (t *text) passes(s Suite) {
	threshold := fmt.Sprintf(" (a trial passes at reward >= %s)", strconv.FormatFloat(s.Result.PassThreshold, 'g', -1, 64))
	var hat, at []string
	for _, k := range s.HatKs {
		hat = append(hat, fmt.Sprintf("k=%d\u00a0%s", k, share(s.Result.PassHatK[k], 3)))
	}
	for _, k := range s.AtKs {
		at = append(at, fmt.Sprintf("k=%d\u00a0%s", k, share(s.Result.PassAtK[k], 3)))
	}
	if len(hat) == 0 {
		t.item(faint, "pass^k", "-"+threshold)
	} else {
		t.item(faint, "pass^k", strings.Join(hat, ", ")+threshold)
	}
	if len(at) > 0 {
		t.item(faint, "pass@k", strings.Join(at, ", "))
	}
}

// causes writes why trials are missing, what that could hide, and how the agent
// itself failed.
func (t *text) causes(s Suite) {
	r := s.Result
	if r.NMissing > 0 {
		t.item(yellow, "missing", fmt.Sprintf("%d of %d cells%s", r.NMissing, r.NCells, causeList(": ", s.Missing)))
		if _, ok := r.Bounds.Low.Value(); ok {
			t.item(yellow, "bounds", between(r.Bounds.Low, r.Bounds.High)+": the reward if every missing cell were 0 / were 1")
		}
	}
	if len(s.Agent) > 0 {
		t.item(faint, "agent's own", causeList("", s.Agent)+" (measured: reward 0)")
	}
	if len(s.Other) > 0 {
		t.item(yellow, "other causes", causeList("", s.Other))
	}
}

func causeList(before string, cs []CauseCount) string {
	var parts []string
	for _, c := range cs {
		parts = append(parts, named(string(c.Cause))+" "+strconv.Itoa(c.N))
	}
	if len(parts) == 0 {
		return ""
	}
	return before + strings.Join(parts, ", ")
}

// unscored names tasks that have no measurement at all. They are not among the
// worst: nothing is known about them.
func (t *text) unscored(s Suite) {
	if len(s.Unscored) == 0 {
		return
	}
	var ids []string
	for _, task := range s.Unscored[:min(len(s.Unscored), shownTasks)] {
		ids = append(ids, named(task.Task))
	}
	list := strings.Join(ids, ", ")
	if len(s.Unscored) > shownTasks {
		list += ", ..."
	}
	t.item(yellow, "unscored", fmt.Sprintf("%d of %d tasks have no valid trial: %s", len(s.Unscored), s.Result.NTasks, list))
}

// costLine says what the run took. A total of 0 was not reported by any trial.
func costLine(c record.Totals) string {
	usd, tokens := "-", "-"
	if c.CostUSD > 0 {
		usd = money(c.CostUSD)
	}
	if c.Tokens > 0 {
		tokens = count(c.Tokens)
	}
	if usd == "-" && tokens == "-" {
		return "not reported"
	}
	return usd + ", tokens " + tokens
}

func timeLine(r record.SplitResult) string {
	s := "trials took " + span(r.Totals.Seconds)
	if r.Run.Started != "" {
		s = named(r.Run.Started) + " to " + named(r.Run.Ended) + ", " + s
	}
	return s
}

func runLine(r record.RunInfo) string {
	s := fmt.Sprintf("%s, base seed %d, trials %d, workers %d, procs %d", named(r.ID), r.BaseSeed, r.Trials, r.Workers, r.Procs)
	if c := oneLine(r.Commit); c != "" {
		s += ", commit " + head(c, 12)
		if r.Dirty {
			s += " with uncommitted changes"
		}
	}
	return s
}

// named returns an id as one short line, a dash when it is empty.
func named(s string) string {
	if s = oneLine(s); s == "" {
		return "-"
	}
	return shortenMiddle(s, 40)
}
