package evaltest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/record"
)

// red says that Ginkgo's own failure makes the suite red, which no library can
// undo.
const red = true

func TestAttribution(t *testing.T) {
	missing := func(c record.Cause) want { return want{cause: c} }
	zero := func(c record.Cause) want { return want{reward: 0, scored: true, cause: c} }
	score := func(r float64) want { return want{reward: r, scored: true} }
	cases := []struct {
		name string
		want want
		red  bool
	}{
		{"returns", score(1), false},
		{"score", score(0.75), false},
		{"expect", zero("expectation"), false},
		{"expect-after-score", zero("expectation"), false},
		{"expect-in-helper", zero("expectation"), false},
		{"expect-in-goroutine", zero("expectation"), false},
		{"expect-in-great-grandchild", zero("expectation"), false},
		{"expect-in-http-handler", zero("expectation"), false},
		{"expect-recovered", zero("expectation"), false},
		{"expect-polled", zero("expectation"), false},
		{"expect-intercepted", score(1), false},
		{"expect-with-t", zero("expectation"), false},
		{"errorf-then-panic", zero("expectation"), false},
		{"fail-now", zero("expectation"), false},
		{"agent-failed", zero("agent_error"), false},
		{"agent-limit", zero("agent_limit"), false},
		{"panic-is-failure", zero("agent_error"), false},
		{"limit-heeded", zero("agent_timeout"), false},
		{"limit-then-expect", zero("agent_timeout"), false},
		{"limit-then-score", zero("agent_timeout"), false},
		{"limit-then-return", zero("agent_timeout"), false},
		{"limit-then-panic", zero("agent_timeout"), false},
		{"limit-in-eventually", zero("agent_timeout"), false},
		{"score-then-limit", score(0.5), false},

		{"missing", missing("runner"), false},
		{"missing-rate", missing("rate_limit"), false},
		{"missing-wrapped", missing("rate_limit"), false},
		{"missing-named", missing("scorer_timeout"), false},
		{"missing-named-agent", zero("agent_limit"), false},
		{"missing-named-unknown", missing("runner"), false},
		{"missing-scorer", missing("scorer"), false},
		{"missing-after-score", score(0.5), false},
		{"missing-recovered", missing("runner"), false},
		{"missing-in-defer", missing("runner"), false},
		{"panic", missing("panic"), false},
		{"panic-after-score", score(0.5), false},
		{"skip", missing("skipped"), false},
		{"skip-after-score", score(0.5), false},
		{"score-nan", missing("invalid_score"), false},
		{"score-inf", missing("invalid_score"), false},
		{"score-above", missing("invalid_score"), false},
		{"score-just-above", missing("invalid_score"), false},
		{"score-below", missing("invalid_score"), false},
		{"score-twice", missing("invalid_score"), false},
		{"score-then-nan", missing("invalid_score"), false},
		{"spec-timeout", missing("runner"), false},
		{"node-timeout", missing("runner"), false},
		{"goexit", missing("runner"), false},

		{"ginkgo-fail", zero("expectation"), red},
		{"ginkgo-t", zero("expectation"), red},

		{"before-expect", missing("setup"), false},
		{"before-panic", missing("setup"), false},
		{"before-fail", missing("setup"), red},
		{"before-skip", missing("skipped"), false},
		{"before-timeout", missing("setup"), red},
		{"before-goroutine", missing("setup"), false},
		{"just-before-expect", missing("setup"), false},
		{"before-all-expect", missing("setup"), false},
		{"before-all-panic", missing("setup"), false},
		{"after-expect", score(0.5), false},
		{"after-panic", score(0.5), false},
		{"just-after-expect", score(0.5), false},
		{"after-all-expect", score(0.5), false},
		{"cleanup-expect", score(0.5), false},
		{"after-fail", score(0.5), red},
		{"cleanup-in-body", score(0.5), false},

		{"rollout", score(0.5), false},
		{"rollout-error", missing("runner"), false},
		{"rollout-rate", missing("rate_limit"), false},
		{"rollout-agent-error", zero("agent_error"), false},
		{"rollout-panic", missing("panic"), false},
		{"rollout-panic-is-failure", zero("agent_error"), false},
		{"rollout-expect", zero("expectation"), false},
		{"rollout-limit", zero("agent_timeout"), false},
		{"scorer-panic", missing("scorer"), false},
		{"scorer-missing", missing("scorer"), false},
		{"scorer-expect", zero("expectation"), false},
		{"scorer-nan", missing("invalid_score"), false},
		{"scorer-timeout", missing("scorer_timeout"), false},
		{"scorer-slow-is-no-agent-timeout", score(0.5), false},
	}
	check := func(t *testing.T, r ran, id string, w want) {
		t.Helper()
		trials := r.trials(t, id)
		if len(trials) != 2 {
			t.Fatalf("%d records of 2 cells\n%s", len(trials), r.output)
		}
		for k, trial := range trials {
			w.check(t, trial)
			if trial.Trial != k || trial.Seed != 7+int64(k) {
				t.Errorf("trial %d has number %d and seed %d", k, trial.Trial, trial.Seed)
			}
		}
	}
	// All that must leave the suite green is run in one suite, and all that
	// must not in another.
	many := map[bool][]string{}
	for _, c := range cases {
		many[c.red] = append(many[c.red], c.name)
	}
	hows := map[string]suiteRun{"workers": {env: []string{"CAPEVAL_WORKERS=4"}}}
	maps.Copy(hows, ways)
	for name, how := range hows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := map[bool]ran{}
			for red, names := range many {
				r := how.on("many", append(asRunEvals, "MANY="+strings.Join(names, ","))...).run(t)
				r.exits(t, red)
				if res := r.result(t); res.NCells != 4*len(names) || res.NTasks != 2*len(names) {
					t.Errorf("the denominator is %d cells of %d tasks, want 4 and 2 for each of %d cases", res.NCells, res.NTasks, len(names))
				}
				runs[red] = r
			}
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					check(t, runs[c.red], c.name+"/it", c.want)
					check(t, runs[c.red], c.name+"/next", want{reward: 1, scored: true}) // nobody else is touched
				})
			}
		})
	}
	for _, name := range many[red] { // each of them, not only their sum
		t.Run("alone/"+name, func(t *testing.T) {
			t.Parallel()
			suiteRun{name: name}.run(t).exits(t, red)
		})
	}
}

// What came after a score changes nothing and is not lost either.
func TestNotesOnTrials(t *testing.T) {
	for _, name := range []string{"missing-after-score", "panic-after-score", "skip-after-score", "score-then-limit"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := suiteRun{name: name}.run(t)
			r.exits(t, !red)
			for _, trial := range r.trials(t, "it") {
				if len(trial.Notes) == 0 {
					t.Errorf("no note in %+v", trial)
				}
			}
			if w := r.result(t).Warnings; !slices.ContainsFunc(w, func(w record.Warning) bool { return w.Code == record.WarnNotes && w.Message == "notes on 2 trials" }) {
				t.Errorf("warnings %+v", w)
			}
		})
	}
}

// want is what a record must say.
type want struct {
	reward float64
	scored bool
	cause  record.Cause
}

func (w want) check(t *testing.T, got record.Trial) {
	t.Helper()
	r, defined := got.Reward.Value()
	if defined != w.scored || r != w.reward || got.Cause != w.cause || (got.Status == record.Scored) != w.scored {
		t.Errorf("%s trial %d: got %s, reward %v, cause %q (%s); want scored = %v, reward %v, cause %q",
			got.Task, got.Trial, got.Status, got.Reward, got.Cause, got.Message, w.scored, w.reward, w.cause)
	}
}
