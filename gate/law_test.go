package gate_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
	"pgregory.net/rapid"
)

// row is one trial of a drawn suite.
type row struct {
	task   string
	reward int // in 60ths, -1 when missing
	output string
}

const sixtieths = 60 // holds halves, thirds, quarters, fifths and tenths

var levels = []int{-1, 0, 0, 0, 60, 60, 60, 30, 15, 20, 40, 6, 54}

// someRows draws the trials of up to four tasks, up to four each.
func someRows(t *rapid.T, what string) [][]row {
	n := rapid.IntRange(0, 4).Draw(t, what+" tasks")
	suite := make([][]row, n)
	for i := range suite {
		for range rapid.IntRange(0, 4).Draw(t, what+" trials") {
			suite[i] = append(suite[i], row{
				task:   fmt.Sprintf("t%d", i),
				reward: rapid.SampledFrom(levels).Draw(t, what+" reward"),
				output: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, what+" output"),
			})
		}
	}
	return suite
}

// summary makes a result of rows in an order that shuffle gives.
func summary(t failer, name string, suite [][]row, shuffle *rand.Rand) record.SplitResult {
	t.Helper()
	run := record.Run{Schema: record.RunSchema, ID: "01" + name, Suite: "s", Split: record.Val, Arm: name, Trials: 1, PassThreshold: 1}
	var trials []record.Trial
	for _, rows := range suite {
		if len(rows) == 0 {
			continue
		}
		run.Plan = append(run.Plan, record.PlanTask{Task: rows[0].task, Trials: len(rows)})
		place := make([]int, len(rows))
		for k := range place {
			place[k] = k
		}
		if shuffle != nil {
			place = shuffle.Perm(len(rows))
		}
		for k, r := range rows {
			trial := record.Trial{Schema: record.TrialSchema, Run: run.ID, Suite: "s", Split: record.Val, Arm: name, Task: r.task, Trial: place[k], Attempt: 1, Seed: int64(place[k]),
				Status: record.Missing, Cause: record.CauseRunner}
			if r.reward >= 0 {
				trial.Status, trial.Cause, trial.Reward, trial.OutputDigest = record.Scored, "", stats.Defined(float64(r.reward)/sixtieths), r.output
			}
			trials = append(trials, trial)
		}
	}
	if shuffle != nil {
		shuffle.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		shuffle.Shuffle(len(run.Plan), func(i, j int) { run.Plan[i], run.Plan[j] = run.Plan[j], run.Plan[i] })
	}
	r, err := record.Summarize(run, trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// someRule draws a rule of the given names.
func someRule(t *rapid.T, names ...string) gate.Rule {
	r := gate.DefaultRule()
	r.Name = rapid.SampledFrom(names).Draw(t, "rule")
	r.Scope = rapid.SampledFrom([]string{gate.ScopeSuite, gate.ScopePopulation}).Draw(t, "scope")
	r.Alpha = rapid.SampledFrom([]string{"0.05", "0.2", "0.5", "0.9"}).Draw(t, "alpha")
	r.Margin = rapid.SampledFrom([]string{"0", "0.1", "0.25"}).Draw(t, "margin")
	if r.Name == gate.RuleNonInferior && r.Margin == "0" {
		r.Margin = "0.05"
	}
	r.TrialsAre = rapid.SampledFrom([]string{"auto", "independent"}).Draw(t, "trials are")
	r.MinCoverage = rapid.SampledFrom([]string{"0", "0.6"}).Draw(t, "min coverage")
	r.MinCellCoverage = rapid.SampledFrom([]string{"0", "0.5"}).Draw(t, "min cell coverage")
	return r
}

// A result is neither better nor worse than itself, whatever it is.
func TestLawItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := summary(t, "x", someRows(t, "x"), nil)
		d := decide(t, r, r, someRule(t, gate.RuleImprove, gate.RulePairedSE, gate.RuleSignificant, gate.RuleThreshold, gate.RuleStrict, gate.RuleSimplicity))
		if d.Verdict == gate.Accepted {
			t.Fatalf("%s accepted a result against itself: %s", d.Rule, d.Message)
		}
		d = decide(t, r, r, someRule(t, gate.RuleNoRegression, gate.RuleNonInferior))
		if d.Verdict == gate.Rejected {
			t.Fatalf("%s rejected a result against itself: %s", d.Rule, d.Message)
		}
		if v, ok := d.Delta.Value(); ok && v != 0 || len(d.Improved)+len(d.Regressed) > 0 {
			t.Fatalf("delta %v, improved %v, regressed %v", d.Delta, d.Improved, d.Regressed)
		}
	})
}

func negated(e stats.Estimate) stats.Estimate {
	v, ok := e.Value()
	if !ok {
		return e
	}
	return stats.Defined(0 - v) // not -0
}

func difference(a gate.Arms) stats.Estimate {
	b, ok := a.Baseline.Value()
	c, _ := a.Candidate.Value()
	if !ok {
		return stats.Undefined()
	}
	return stats.Defined(c - b)
}

func alike(a, b stats.Estimate) bool {
	x, ok := a.Value()
	y, ok2 := b.Value()
	return ok == ok2 && math.Abs(x-y) <= 1e-12*max(1, math.Abs(x))
}

// Renaming the arms mirrors everything.
func TestLawMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c := summary(t, "b", someRows(t, "b"), nil), summary(t, "c", someRows(t, "c"), nil)
		r := someRule(t, gate.RuleImprove)
		there, back := decide(t, b, c, r), decide(t, c, b, r)
		for _, p := range []struct {
			name string
			x, y stats.Estimate
		}{
			{"delta", there.Delta, negated(back.Delta)},
			{"delta, from the rewards", there.Delta, difference(there.Reward)},
			{"reward", there.Reward.Baseline, back.Reward.Candidate},
			{"ci low", there.CI.Low, negated(back.CI.High)},
			{"ci high", there.CI.High, negated(back.CI.Low)},
			{"bounds low", there.Bounds.Low, negated(back.Bounds.High)},
			{"bounds high", there.Bounds.High, negated(back.Bounds.Low)},
			{"better", there.PBetter, back.PWorse},
			{"worse", there.PWorse, back.PBetter},
			{"two-sided", there.PTwoSided, back.PTwoSided},
			{"design", there.PMinDesign, back.PMinDesign},
			{"mde", there.MDE80, back.MDE80},
			{"coverage", there.Coverage, back.Coverage},
			{"cells", there.CellCoverage.Baseline, back.CellCoverage.Candidate},
		} {
			if !alike(p.x, p.y) {
				t.Fatalf("%s: %v and %v", p.name, p.x, p.y)
			}
		}
		if !slices.Equal(there.Improved, back.Regressed) || !slices.Equal(there.Regressed, back.Improved) || there.Unchanged != back.Unchanged ||
			!slices.Equal(there.OnlyBaseline, back.OnlyCandidate) || there.Fragile != back.Fragile {
			t.Fatalf("\n%+v\n%+v", there, back)
		}
		for i := range there.PerTask {
			x, y := there.PerTask[i], back.PerTask[i]
			if x.Task != y.Task || x.Baseline != y.Candidate || x.P != y.P || x.Claimed != y.Claimed || !alike(x.Delta, negated(y.Delta)) || x.NBaseline != y.NCandidate {
				t.Fatalf("\n%+v\n%+v", x, y)
			}
		}
		// What is better one way is worse the other way, and no-regression rejects it.
		r.Margin = "0"
		there = decide(t, b, c, r)
		reverse := r
		reverse.Name = gate.RuleNoRegression
		if there.Code == gate.CodeBetter {
			if back := decide(t, c, b, r); back.Code != gate.CodeWorse {
				t.Fatalf("better, and mirrored %s", back.Code)
			}
		}
		if got := decide(t, c, b, reverse); (there.Code == gate.CodeBetter) != (got.Code == gate.CodeRegression) {
			t.Fatalf("%s, and mirrored %s", there.Code, got.Code)
		}
	})
}

// The order of trials, tasks and rows changes no byte.
func TestLawOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c := someRows(t, "b"), someRows(t, "c")
		seed := rapid.Uint64().Draw(t, "seed")
		shuffle := rand.New(rand.NewPCG(seed, 1))
		r := someRule(t, gate.RuleNames()...)
		r.Exact = rapid.Bool().Draw(t, "exact")
		of := func(shuffle *rand.Rand) string {
			x, y := summary(t, "b", b, shuffle), summary(t, "c", c, shuffle)
			if shuffle != nil {
				shuffle.Shuffle(len(x.PerTask), func(i, j int) { x.PerTask[i], x.PerTask[j] = x.PerTask[j], x.PerTask[i] })
			}
			d := decide(t, x, y, r)
			d.Message += fmt.Sprint(d.Verdict)
			return asJSON(t, d)
		}
		want := of(nil)
		for range 3 {
			if got := of(shuffle); got != want {
				t.Fatalf("\n%s\n%s", want, got)
			}
		}
	})
}

// A missing cell is not a 0: taking it away from the plan changes no number but
// those about coverage, and a 0 in its place does.
func TestLawMissingIsNotZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c := someRows(t, "b"), someRows(t, "c")
		without := func(suite [][]row) [][]row {
			out := make([][]row, len(suite))
			for i, rows := range suite {
				out[i] = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.reward < 0 })
			}
			return out
		}
		r := someRule(t, gate.RuleImprove)
		numbers := func(b, c [][]row) string {
			d, err := gate.Compare(summary(t, "b", b, nil), summary(t, "c", c, nil), r)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(d.NPaired, d.Delta, d.CI, d.PBetter, d.PWorse, d.PMinDesign, d.PMinConditional, d.PPopulation, d.MDE80, d.Improved, d.Regressed, d.Unchanged)
		}
		if got, want := numbers(b, c), numbers(without(b), without(c)); got != want {
			t.Fatalf("\n%s\n%s", got, want)
		}
	})
	d := decide(t, arm(t, "b", "1-1-"), arm(t, "c", "1111"), gate.NoRegression())
	if d.Delta != stats.Defined(0) || d.PerTask[0].Baseline != stats.Defined(1) || d.PerTask[0].NBaseline != 2 {
		t.Errorf("two missing cells: %+v", d.PerTask[0])
	}
}

// The bounds hold the delta where every task is paired, and a delta whose sign
// they turn is fragile.
func TestLawBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, err := gate.Compare(summary(t, "b", someRows(t, "b"), nil), summary(t, "c", someRows(t, "c"), nil), gate.Improve())
		if err != nil {
			t.Fatal(err)
		}
		delta, ok := d.Delta.Value()
		if !ok {
			if d.Fragile || d.CI.Low.Defined() || d.PBetter.Defined() || d.MDE80.Defined() || d.DeltaFraction != nil {
				t.Fatalf("no delta, and yet %+v", d)
			}
			return
		}
		low, ok1 := d.Bounds.Low.Value()
		high, ok2 := d.Bounds.High.Value()
		if !ok1 || !ok2 {
			t.Fatal("a delta without bounds")
		}
		if d.NPaired == d.NTasks && !(low <= delta && delta <= high) {
			t.Fatalf("delta %v outside %v..%v", delta, low, high)
		}
		turns := delta > 0 && low <= 0 || delta < 0 && high >= 0 || delta == 0 && (low < 0 || high > 0)
		if d.Fragile != turns {
			t.Fatalf("delta %v in %v..%v: fragile %v", delta, low, high, d.Fragile)
		}
	})
}

// The p of a decision is the count of relabellings, and the fraction is it to the
// letter: both scopes, unequal trials, graded rewards, thirds, missing cells.
func TestPIsTheCountOfRelabellings(t *testing.T) {
	suites := 2500
	rng := rand.New(rand.NewPCG(7, 11))
	for n := range suites {
		var b, c [][]row
		for i := range 1 + rng.IntN(3) {
			draw := func() (rows []row) {
				for range rng.IntN(4) {
					rows = append(rows, row{task: fmt.Sprintf("t%d", i), reward: levels[rng.IntN(len(levels))]})
				}
				return rows
			}
			b, c = append(b, draw()), append(c, draw())
		}
		r := gate.DefaultRule()
		r.Exact, r.TrialsAre, r.MinCoverage, r.MinCellCoverage = true, "independent", "0", "0"
		r.Name = []string{gate.RuleImprove, gate.RuleNoRegression}[n%2]
		r.Scope = []string{gate.ScopeSuite, gate.ScopePopulation}[n/2%2]
		d := decide(t, summary(t, "b", b, nil), summary(t, "c", c, nil), r)
		better, worse, least, ok := enumerate(b, c, r.Scope)
		if !ok {
			if d.Code != gate.CodeNoPairedTasks && d.Code != gate.CodeEmptySuite || d.PBetter.Defined() {
				t.Fatalf("suite %d: nothing paired, and yet %s p=%v", n, d.Code, d.PBetter)
			}
			continue
		}
		want := better
		if r.Name == gate.RuleNoRegression {
			want = worse
		}
		if d.PExact == nil || *d.PExact != want.String() {
			t.Fatalf("suite %d (%s): exact p %v, want %s\n%v\n%v", n, r.Scope, d.PExact, want, b, c)
		}
		for _, x := range []struct {
			name string
			got  stats.Estimate
			want *big.Rat
		}{{"p_better", d.PBetter, better}, {"p_worse", d.PWorse, worse}, {"p_min_conditional", d.PMinConditional, least}} {
			w, _ := x.want.Float64()
			if g, _ := x.got.Value(); math.Abs(g-w) > 1e-12*w {
				t.Fatalf("suite %d (%s): %s %v, want %v", n, r.Scope, x.name, g, w)
			}
		}
	}
}

// enumerate deals the pooled rewards of every paired task in all ways, or turns
// the signs of the tasks in all ways, and counts. It works in whole numbers: a
// reward in 60ths times 36 holds every difference of means of up to 3 trials.
func enumerate(b, c [][]row, scope string) (better, worse, least *big.Rat, ok bool) {
	const unit = 36
	var observed int
	var outcomes [][]int // of each task, one for every way
	for i := range b {
		x, y := valid(b[i]), valid(c[i])
		if len(x) == 0 || len(y) == 0 {
			continue
		}
		diff := func(x, y []int) int { return unit/len(y)*sum(y) - unit/len(x)*sum(x) }
		seen := diff(x, y)
		observed += seen
		if scope == gate.ScopePopulation {
			outcomes = append(outcomes, []int{seen, -seen})
			continue
		}
		pool := append(slices.Clone(x), y...)
		var ways []int
		for mask := range 1 << len(pool) {
			var p, q []int
			for k, v := range pool {
				if mask>>k&1 == 1 {
					q = append(q, v)
				} else {
					p = append(p, v)
				}
			}
			if len(q) == len(y) {
				ways = append(ways, diff(p, q))
			}
		}
		outcomes = append(outcomes, ways)
	}
	if len(outcomes) == 0 {
		return nil, nil, nil, false
	}
	var all, atLeast, atMost, top int64
	best := math.MinInt
	var deal func(i, total int)
	deal = func(i, total int) {
		if i < len(outcomes) {
			for _, w := range outcomes[i] {
				deal(i+1, total+w)
			}
			return
		}
		all++
		if total >= observed {
			atLeast++
		}
		if total <= observed {
			atMost++
		}
		switch {
		case total > best:
			best, top = total, 1
		case total == best:
			top++
		}
	}
	deal(0, 0)
	return big.NewRat(atLeast, all), big.NewRat(atMost, all), big.NewRat(top, all), true
}

func valid(rows []row) (xs []int) {
	for _, r := range rows {
		if r.reward >= 0 {
			xs = append(xs, r.reward)
		}
	}
	return xs
}

func sum(xs []int) (s int) {
	for _, x := range xs {
		s += x
	}
	return s
}

// Where copies are suspected, the exact p is that of the p that is shown.
func TestExactIsCautiousToo(t *testing.T) {
	r := rule(gate.Improve(), func(r *gate.Rule) { r.Exact = true })
	d := decide(t, copies(t, "b", "00 00 00 00 00"), copies(t, "c", "11 11 11 11 11"), r)
	if d.PExact == nil || *d.PExact != "1/32" || d.PBetter != stats.Defined(1.0/32) {
		t.Errorf("got %v and %v, want 2^-5: five tasks, each one outcome", d.PExact, d.PBetter)
	}
	d = decide(t, arm(t, "b", "000"), arm(t, "c", "111"), r)
	if d.PExact == nil || *d.PExact != "1/20" {
		t.Errorf("got %v, want 1/C(6,3)", d.PExact)
	}
}
