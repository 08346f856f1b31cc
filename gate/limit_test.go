package gate_test

import (
	"math"
	"strings"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/stats"
)

func TestParseLimit(t *testing.T) {
	check := func(text string, want gate.Limit) {
		t.Helper()
		got, err := gate.ParseLimit(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
		if again, err := gate.ParseLimit(got.String()); err != nil || again != got {
			t.Errorf("%s: written as %s, which reads as %+v, %v", text, got, again, err)
		}
	}
	check("cost_usd<=+10%", gate.Limit{Metric: "cost_usd", Max: "10", Percent: true})
	check(" tokens <= +0.5 ", gate.Limit{Metric: "tokens", Max: "0.5"})
	check("latency.p95-s<=+0%", gate.Limit{Metric: "latency.p95-s", Max: "0", Percent: true})
	check("quality>=-5%", gate.Limit{Metric: "quality", Max: "5", Percent: true, Falls: true})
	check("tokens>=-50", gate.Limit{Metric: "tokens", Max: "50", Falls: true})
	for _, bad := range []string{"", "cost_usd", "cost_usd<=10%", "cost_usd<=-10%", "cost_usd>=+10%", "cost_usd<+10%", "cost_usd<=+10%%", "cost_usd<=+NaN",
		"cost_usd<=+1e3", "cost_usd<=+inf%", "cost_usd<=+", "<=+10%", "a b<=+10%", "cost_usd<=+10% x", "cost_usd==+10%", "cost_usd<=+-10%", "cost_usd<=+.5"} {
		want := `gate: guard "` + bad + `": need METRIC<=+X or METRIC<=+X% for one that may rise, METRIC>=-X or METRIC>=-X% for one that may fall`
		if l, err := gate.ParseLimit(bad); err == nil || err.Error() != want {
			t.Errorf("%q: got %+v, %v", bad, l, err)
		}
	}
}

// metric makes the values of one metric, one task a number, two trials each that
// straddle it.
func metric(name string, values ...float64) gate.Metrics {
	tasks := map[string][]float64{}
	for i, v := range values {
		tasks[string(rune('a'+i))] = []float64{v * 0.75, v * 1.25}
	}
	return gate.Metrics{name: tasks}
}

func TestLimited(t *testing.T) {
	good := decide(t, arm(t, "b", "000"), arm(t, "c", "111"), gate.Improve())
	check := func(name, limit string, b, c gate.Metrics, want gate.Outcome) gate.Decision {
		t.Helper()
		l, err := gate.ParseLimit(limit)
		if err != nil {
			t.Fatal(err)
		}
		d, err := good.Limited([]gate.Limit{l}, b, c)
		if err != nil || len(d.Guards) != 1 || len(good.Guards) != 0 {
			t.Fatalf("%s: %+v, %v", name, d.Guards, err)
		}
		g := d.Guards[0]
		if g.Verdict != want || g.Limit != limit {
			t.Errorf("%s: got %s, want %s: %+v", name, g.Verdict, want, g)
		}
		if (d.Verdict == gate.Rejected) != (want == gate.Rejected) || want == gate.Rejected && d.Code != gate.CodeGuard || want != gate.Rejected && d.Code != gate.CodeBetter {
			t.Errorf("%s: the decision is %s %s", name, d.Verdict, d.Code)
		}
		return d
	}
	base := metric("cost_usd", 1, 2, 3, 4)
	// Every task at 1.2 times its cost: the ratio is 1.2 without any spread.
	d := check("wholly beyond", "cost_usd<=+10%", base, metric("cost_usd", 1.2, 2.4, 3.6, 4.8), gate.Rejected)
	want := "cost_usd changed by +20.0% (95% CI +20.0%..+20.0%), wholly beyond its limit cost_usd<=+10%; apart from that: better: +1.000 (95% CI +0.360..+1.000), exact p=0.05, 1 paired task, 6 trials"
	if d.Message != want {
		t.Errorf("got %q", d.Message)
	}
	if g := d.Guards[0]; g.Baseline != stats.Defined(2.5) || g.Candidate != stats.Defined(3) || g.CI.Level != 0.95 {
		t.Errorf("got %+v", g)
	}
	check("exactly at the limit", "cost_usd<=+10%", base, metric("cost_usd", 1.1, 2.2, 3.3, 4.4), gate.Accepted)
	check("exactly at an absolute limit", "cost_usd<=+0.3", base, metric("cost_usd", 1.3, 2.3, 3.3, 4.3), gate.Accepted)
	check("a hair above it", "cost_usd<=+0.3", base, metric("cost_usd", 1.30001, 2.30001, 3.30001, 4.30001), gate.Rejected)
	// +1, +1, -1, 0: a mean of +0.25, and an interval on both sides of +10 %.
	d = check("straddling", "cost_usd<=+10%", base, metric("cost_usd", 2, 3, 2, 4), gate.Indecisive)
	low, _ := d.Guards[0].CI.Low.Value()
	high, _ := d.Guards[0].CI.High.Value()
	change, _ := d.Guards[0].Change.Value()
	if !(low < 0.1 && high > 0.1) || math.Abs(change-0.1) > 1e-12 {
		t.Errorf("got %+v", d.Guards[0])
	}
	check("cheaper", "cost_usd<=+10%", base, metric("cost_usd", 0.5, 1, 1.5, 2), gate.Accepted)
	check("one that may fall, fell too far", "cost_usd>=-10%", base, metric("cost_usd", 0.5, 1, 1.5, 2), gate.Rejected)
	check("one that may fall, rose", "cost_usd>=-10%", base, metric("cost_usd", 2, 4, 6, 8), gate.Accepted)
	check("one that may fall, exactly at the limit", "cost_usd>=-10%", base, metric("cost_usd", 0.9, 1.8, 2.7, 3.6), gate.Accepted)
	check("one that may fall, absolute", "cost_usd>=-0.1", base, metric("cost_usd", 0.8, 1.8, 2.8, 3.8), gate.Rejected)
	check("not recorded at all", "tokens<=+10%", base, base, gate.Indecisive)
	check("recorded in one arm", "cost_usd<=+10%", base, nil, gate.Indecisive)
	check("one common task", "cost_usd<=+10%", base, metric("cost_usd", 9), gate.Indecisive)
	check("tasks in one arm only do not count", "cost_usd<=+10%", base, metric("cost_usd", 1, 2), gate.Accepted)
	check("a baseline of 0 has no percentage", "cost_usd<=+10%", metric("cost_usd", 0, 0), metric("cost_usd", 5, 5), gate.Indecisive)
	check("but an absolute change", "cost_usd<=+1", metric("cost_usd", 0, 0), metric("cost_usd", 5, 5), gate.Rejected)
	d = check("not finite", "cost_usd<=+10%", base, metric("cost_usd", math.NaN(), 1, 1, 1), gate.Indecisive)
	for _, s := range []string{`"change": null`, `"candidate": null`, `"limit": "cost_usd\u003c=+10%"`} {
		if got := asJSON(t, d.Guards); !strings.Contains(got, s) {
			t.Errorf("no %s in %s", s, got)
		}
	}

	// The order of a task's trials changes no bit.
	x, y := gate.Metrics{"m": {"a": {0.1, 0.2, 0.3}, "b": {1, 2}}}, gate.Metrics{"m": {"a": {0.3, 0.1, 0.2}, "b": {2, 1}}}
	limit := []gate.Limit{{Metric: "m", Max: "1"}}
	one, _ := good.Limited(limit, x, y)
	other, _ := good.Limited(limit, y, x)
	if asJSON(t, one.Guards) != asJSON(t, other.Guards) {
		t.Error("the order of trials shows")
	}

	// Several beyond their limits are all named.
	both := gate.Metrics{"cost_usd": base["cost_usd"], "tokens": base["cost_usd"]}
	more := gate.Metrics{"cost_usd": metric("x", 2, 4, 6, 8)["x"], "tokens": metric("x", 3, 6, 9, 12)["x"]}
	d, err := good.Limited([]gate.Limit{{Metric: "tokens", Max: "0"}, {Metric: "cost_usd", Max: "10", Percent: true}}, both, more)
	if err != nil || !strings.HasPrefix(d.Message, "tokens changed by +5 (95% CI +0.8915..+9.109), wholly beyond its limit tokens<=+0; cost_usd changed by +100.0% (95% CI +100.0%..+100.0%), wholly beyond its limit cost_usd<=+10%; apart from that: better") {
		t.Errorf("got %q, %v", d.Message, err)
	}

	// A guard that fired before stays what it is.
	stopped := decide(t, arm(t, "b", "1 1"), arm(t, "c", "- -"), gate.Improve())
	d, err = stopped.Limited(limit, base, base)
	if err != nil || d.Code != gate.CodeNoPairedTasks || len(d.Guards) != 1 {
		t.Errorf("got %s, %v", d.Code, err)
	}
	// An indecisive decision is rejected by a limit that is broken.
	small := decide(t, arm(t, "b", "0"), arm(t, "c", "1"), gate.Improve())
	d, err = small.Limited([]gate.Limit{{Metric: "cost_usd", Max: "10", Percent: true}}, base, more)
	if err != nil || d.Verdict != gate.Rejected || d.Code != gate.CodeGuard {
		t.Errorf("got %s %s, %v", d.Verdict, d.Code, err)
	}

	fails := func(l gate.Limit, want string) {
		t.Helper()
		if _, err := good.Limited([]gate.Limit{l}, base, base); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	fails(gate.Limit{Max: "1"}, "gate: a guard without a metric: need a name such as cost_usd")
	fails(gate.Limit{Metric: "m", Max: "NaN"}, `gate: guard m "NaN": need a finite decimal such as 0.05`)
	fails(gate.Limit{Metric: "m"}, `gate: guard m "": need a finite decimal such as 0.05`)
	fails(gate.Limit{Metric: "m", Max: "-1"}, "gate: guard m -1: need a number at least 0 and at most 1000000000")
}
