package evaltest

import (
	"strings"
	"time"

	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// start makes the trial of a cell and writes its start mark.
func (s *suite) start(c *cell) *Trial {
	l := s.live
	t := newTrial(l.run.Suite, c, l.run.BaseSeed+int64(c.index))
	now := time.Now()
	t.began = now
	t.rec = &record.Trial{
		Schema: record.TrialSchema, Run: l.run.ID, Suite: l.run.Suite, Split: l.run.Split, Arm: l.run.Arm,
		Task: c.task.id, Trial: c.index, Attempt: c.attempt, Seed: t.seed,
		Cluster: c.task.cluster, ContentDigest: c.task.digest, Started: now.UTC().Format(time.RFC3339Nano),
		Extra: c.receipt(),
	}
	l.write(l.journal.Start(record.Start{
		Schema: record.StartSchema, Run: t.rec.Run, Suite: t.rec.Suite, Split: t.rec.Split, Arm: t.rec.Arm,
		Task: t.rec.Task, Trial: t.rec.Trial, Attempt: t.rec.Attempt, Seed: t.rec.Seed, Started: t.rec.Started,
	}))
	return t
}

// finish makes the trial's record final and writes it. Whatever comes later
// changes nothing. returned says that the last stage ended by itself.
func (s *suite) finish(t *Trial, returned bool) {
	t.mu.Lock()
	if t.ended {
		t.mu.Unlock()
		return
	}
	rec := t.rec
	rec.Status, rec.Reward, rec.Cause, rec.Message = t.verdict(returned)
	t.worth = worth{rec.Reward, rec.Status, rec.Cause, rec.Message}
	t.ended, t.stage = true, inCleanup
	s.live.writing.Add(1)
	defer s.live.writing.Done()
	rec.Seconds = time.Since(t.began).Seconds()
	rec.Feedback = t.says()
	rec.Notes = t.notes
	rec.OutputDigest = outputDigest(t.outputs)
	rec.Metrics, rec.Units = t.metrics, t.units
	outputs, feedback := t.outputs, t.feedback
	t.rec, t.outputs, t.feedback, t.notes, t.metrics, t.units = nil, nil, nil, nil, nil, nil
	t.mu.Unlock()

	s.live.end(rec, outputs, feedback)
}

// verdict settles what the trial is worth. A failed expectation stands against
// everything but an invalid score; a score stands against whatever was lost
// after it. Called with mu held.
func (t *Trial) verdict(returned bool) (record.Status, stats.Estimate, record.Cause, string) {
	zero := stats.Defined(0)
	if t.failed != nil {
		return record.Scored, zero, t.failed.cause, t.failed.message
	}
	if t.lost == nil && !t.scored {
		end := t.cause()
		switch {
		case end != running && !returned:
			t.lose(lostTo(end, t.stage), "the body did not return within its time")
		case end != running:
			t.lose(lostTo(end, t.stage), "the body returned after the end of its time, without a score")
		}
	}
	switch {
	case t.lost != nil && t.lost.cause.Agent():
		return record.Scored, zero, t.lost.cause, t.lost.message
	case t.lost != nil:
		return record.Missing, stats.Undefined(), t.lost.cause, t.lost.message
	case t.scored:
		if end := t.cause(); end != running {
			t.note("after the score its time ended")
		}
		return record.Scored, t.score, "", ""
	}
	return record.Scored, stats.Defined(1), "", ""
}

// says joins what the scorer said, or what failed. Called with mu held.
func (t *Trial) says() string {
	lines := t.feedback
	if t.failed != nil && t.failed.message != "" {
		lines = append(lines, strings.TrimSpace(t.failed.message))
	} else if t.failed == nil && t.lost != nil && t.lost.cause == record.CauseAgentTimeout {
		lines = append(lines, "the agent's time was over") // what it was doing then differs from run to run
	} else if t.failed == nil && t.lost != nil && t.lost.cause.Agent() {
		lines = append(lines, t.lost.message)
	}
	return scrub(strings.Join(lines, "\n"))
}
