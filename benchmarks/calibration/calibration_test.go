package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// draws is enough to see a rule that does not hold alpha, and takes seconds.
func draws() int {
	if testing.Short() {
		return 250
	}
	return 500
}

var unchanged = sync.OnceValues(func() ([]measured, error) {
	return measure(nullWorlds(), nullJudges(), draws(), 2, 1)
})

var powers = sync.OnceValues(func() ([]measured, error) {
	return measure(powerWorlds(), powerJudges(), draws()/3, 2, 2)
})

func nullOf(t *testing.T) []measured {
	t.Helper()
	ms, err := unchanged()
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

// TestNoChange holds the default rules to alpha where nothing changed, and shows
// that the same draws catch a rule that does not hold it.
func TestNoChange(t *testing.T) {
	most := level + 3*math.Sqrt(level*(1-level)/float64(draws()))
	fooled, of := 0, 0
	for _, m := range nullOf(t) {
		f := m.falseShares()
		where := fmt.Sprintf("%s, %d tasks, %d trials", m.rates.name, m.tasks, m.trials)
		if f.improve.value > most {
			t.Errorf("%s: improve accepts %v, at most %.4f", where, f.improve, most)
		}
		if f.noRegression.value > most {
			t.Errorf("%s: no-regression blocks %v, at most %.4f", where, f.noRegression, most)
		}
		if m.tasks == 20 {
			fooled += m.tallies[pairedSE].accepted
			of += m.tallies[pairedSE].of
		}
		if m.tasks == 3 && m.trials == 1 && f.cannotSay.value != 1 {
			t.Errorf("%s: improve cannot say %v, want always: the best p is 1/8", where, f.cannotSay)
		}
	}
	// Beyond one standard error on one side lies .16 of a bell curve.
	if s := shareOf(fooled, of); s.value < 0.10 || s.value > 0.22 {
		t.Errorf("at 20 tasks paired-se accepts %v, want .10 to .22", s)
	}
}

var confession = regexp.MustCompile(`accepts about (\d+) % of the changes`)

// TestConfession holds what the gate says of its compatibility rules to what is
// measured here.
func TestConfession(t *testing.T) {
	for _, n := range taskCounts() {
		w := worst(nullOf(t), n)
		for rule, got := range map[string]share{"paired-se": w.pairedSE, "strict": w.strict} {
			r := gate.Strict()
			if rule == "paired-se" {
				r = gate.PairedSE("1")
			}
			f := newForms(n, 1)
			d, err := gate.Decide(f.result("baseline", make([]int, n)), f.result("candidate", make([]int, n)), r)
			if err != nil {
				t.Fatal(err)
			}
			said := -1.0
			for _, warning := range d.Warnings {
				if m := confession.FindStringSubmatch(warning.Message); m != nil {
					said, _ = strconv.ParseFloat(m[1], 64)
				}
			}
			if far := math.Abs(said/100 - got.value); far > 0.005+4*got.se {
				t.Errorf("%s at %d tasks: the gate says %v %%, measured %v", rule, n, said, got)
			}
		}
	}
}

// TestPower holds the default rule to what it is chosen for: of the exact tests
// it finds most.
func TestPower(t *testing.T) {
	ms, err := powers()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ms {
		improve := shareOf(m.tallies[0].accepted, m.tallies[0].of)
		for i, j := range powerJudges()[:4] {
			other := shareOf(m.tallies[i].accepted, m.tallies[i].of)
			if j.name != "Student t" && other.value > improve.value+3*math.Hypot(improve.se, other.se) {
				t.Errorf("%s %s, %d tasks, %d trials: %s finds %v, improve %v", m.rates.name, m.change.name, m.tasks, m.trials, j.name, other, improve)
			}
		}
		if m.tasks == 50 && improve.value < 0.5 {
			t.Errorf("%s %s, 50 tasks: improve finds %v", m.rates.name, m.change.name, improve)
		}
	}
}

// TestGuide holds the tables of the guide, which were measured at full size, to
// what is measured here with fewer draws.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{}
	for _, line := range strings.Split(string(page), "\n") {
		cells := columns.Split(line, -1)
		for i, cell := range cells {
			if strings.Contains(cell, "+-") && i > 0 {
				shown[strings.Join(cells[:i], " ")] = cells[i:]
				break
			}
		}
	}
	check := func(row string, got []share, draws int) {
		t.Helper()
		cells := shown[row]
		if len(cells) != len(got) {
			t.Errorf("%s: the guide shows %q, want %d figures", row, cells, len(got))
			return
		}
		for i, cell := range cells {
			var want share
			if _, err := fmt.Sscanf(strings.Replace(cell, "+-", "", 1), "%g %g", &want.value, &want.se); err != nil {
				t.Errorf("%s: %q: %v", row, cell, err)
			}
			se := math.Sqrt(want.value * (1 - want.value) / float64(draws))
			if math.Abs(got[i].value-want.value) > 0.01+4*math.Hypot(se, want.se) {
				t.Errorf("%s, figure %d: the guide shows %s, measured %v", row, i+1, cell, got[i])
			}
		}
	}
	for _, n := range taskCounts() {
		w := worst(nullOf(t), n)
		check(fmt.Sprint(n), []share{w.improve, w.noRegression, w.cannotSay, w.pairedSE, w.strict, w.student}, draws())
	}
	better, err := powers()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range better {
		var got []share
		for _, tally := range m.tallies {
			got = append(got, shareOf(tally.accepted, tally.of))
		}
		check(fmt.Sprintf("%s %s %d %d", m.rates.name, m.change.name, m.tasks, m.trials), got, m.tallies[0].of)
	}
}

// columns are parted by two spaces or more.
var columns = regexp.MustCompile(` {2,}`)

// TestReport shows that the tables do not depend on the number of workers, and
// do on the seed.
func TestReport(t *testing.T) {
	tables := func(workers int, seed uint64) string {
		var b bytes.Buffer
		if err := report(&b, 5, workers, seed); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if one, three := tables(1, 1), tables(3, 1); one != three {
		t.Errorf("one worker:\n%s\nthree:\n%s", one, three)
	}
	if tables(2, 1) == tables(2, 2) {
		t.Error("another seed prints the same")
	}
}

// TestResult holds the results that are built here to those that Summarize makes
// of the same trials: the gate says the same of both.
func TestResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, w := range []world{{middling(), noChange(), 6, 3}, {polar(), repair(), 11, 2}, {middling(), middling().gain("", 0.2), 4, 5}} {
		f := newForms(w.tasks, w.trials)
		s := suite{make([]int, w.tasks), make([]int, w.tasks)}
		for range 20 {
			w.draw(rng, s)
			for _, rule := range []gate.Rule{gate.Improve(), gate.NoRegression(), gate.PairedSE("1")} {
				short, err := gate.Decide(f.result("baseline", s.baseline), f.result("candidate", s.candidate), rule)
				if err != nil {
					t.Fatal(err)
				}
				long, err := gate.Decide(summarized(t, f, "baseline", s.baseline), summarized(t, f, "candidate", s.candidate), rule)
				if err != nil {
					t.Fatal(err)
				}
				x, _ := json.Marshal(short)
				y, _ := json.Marshal(long)
				if !bytes.Equal(x, y) {
					t.Fatalf("built here:\n%s\nsummarised:\n%s", x, y)
				}
			}
		}
	}
}

func summarized(t *testing.T, f *forms, arm string, passed []int) record.SplitResult {
	t.Helper()
	var trials []record.Trial
	for i, n := range passed {
		for k := range f.trials {
			reward := 0.0
			if k < n {
				reward = 1
			}
			trials = append(trials, record.Trial{
				Suite: "calibration", Split: record.Val, Arm: arm, Task: f.names[i], Trial: k, Attempt: 1, Seed: int64(k),
				Reward: stats.Defined(reward), Status: record.Scored, OutputDigest: f.outputs[arm][k],
			})
		}
	}
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRivals checks the two tests that live here by hand.
func TestRivals(t *testing.T) {
	rising := func(ds ...int) suite {
		s := suite{make([]int, len(ds)), make([]int, len(ds))}
		for i, d := range ds {
			s.baseline[i], s.candidate[i] = 5, 5+d
		}
		return s
	}
	sign := func(rose, fell int) suite {
		var ds []int
		for range rose {
			ds = append(ds, 2)
		}
		for range fell {
			ds = append(ds, -1)
		}
		return rising(append(ds, 0)...)
	}
	for _, c := range []struct {
		rose, fell int
		want       bool
	}{
		{4, 0, false}, // 1/16
		{5, 0, true},  // 1/32
		{6, 1, false}, // 8/128
		{7, 1, true},  // 9/256
		{0, 5, false},
		{0, 0, false}, // 1
	} {
		if got := signAccepts(sign(c.rose, c.fell)); got != c.want {
			t.Errorf("sign test of %d to %d accepts: %v", c.rose, c.fell, got)
		}
	}
	for _, c := range []struct {
		ds   []int
		want bool
	}{
		{[]int{1, 2, 3}, true},  // t = 3.46 at 2 degrees, p = .037
		{[]int{1, 1, 3}, false}, // t = 2.5, p = .065
		{[]int{-1, -2, -3}, false},
		{[]int{1, 1, 1}, true}, // no spread: t is beyond every bound
		{[]int{0, 0, 0}, false},
		{[]int{4}, false}, // one task has no spread to speak of
	} {
		if got := studentAccepts(rising(c.ds...)); got != c.want {
			t.Errorf("t test of %v accepts: %v", c.ds, got)
		}
	}
}

// TestWorlds checks the distributions by their variances, and the gains by their
// size.
func TestWorlds(t *testing.T) {
	for _, c := range []struct {
		rates    rates
		variance float64
	}{
		{polar(), 0.125},   // ab/((a+b)^2 (a+b+1)) = .25/2
		{middling(), 0.05}, // 4/(16*5)
	} {
		const points = 10000
		sum, squares := 0.0, 0.0
		for i := range points {
			p := c.rates.quantile((float64(i) + 0.5) / points)
			sum += p
			squares += p * p
		}
		mean := sum / points
		if v := squares/points - mean*mean; math.Abs(mean-0.5) > 1e-9 || math.Abs(v-c.variance) > 1e-4 {
			t.Errorf("%s: mean %v, variance %v, want .5 and %v", c.rates.name, mean, v, c.variance)
		}
		if got := c.rates.meanGain(c.rates.step(0.1)); math.Abs(got-0.1) > 1e-9 {
			t.Errorf("%s: a gain of .1 is %v", c.rates.name, got)
		}
	}
	if got := repair().apply(0.2, 1, 10); got != 0.95 {
		t.Errorf("the second of ten tasks: %v, want it repaired", got)
	}
	if got := repair().apply(0.2, 2, 10); got != 0.2 {
		t.Errorf("the third of ten tasks: %v, want it left alone", got)
	}
}
