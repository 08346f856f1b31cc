package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/capeval/capeval/gate"
)

// tally counts what a rule said in the worlds where it was asked.
type tally struct{ accepted, rejected, indecisive, of int }

// share is a measured share with its Monte-Carlo standard error.
type share struct{ value, se float64 }

func shareOf(n, of int) share {
	p := float64(n) / float64(of)
	return share{p, math.Sqrt(p * (1 - p) / float64(of))}
}

// judge is something that is asked about a suite.
type judge struct {
	name string
	says func(f *forms, s suite) (gate.Outcome, error)
}

// byRule asks the gate.
func byRule(name string, rule gate.Rule) judge {
	return judge{name, func(f *forms, s suite) (gate.Outcome, error) {
		d, err := gate.Decide(f.result("baseline", s.baseline), f.result("candidate", s.candidate), rule)
		return d.Verdict, err
	}}
}

func byTest(name string, accepts func(suite) bool) judge {
	return judge{name, func(_ *forms, s suite) (gate.Outcome, error) {
		if accepts(s) {
			return gate.Accepted, nil
		}
		return gate.Rejected, nil
	}}
}

// measured is what every judge said in one world.
type measured struct {
	world
	tallies []tally // in order of the judges
}

// measure draws reps suites from each world and asks all judges about each.
// Worlds are shared out among workers; each has a stream of its own, so that
// the answer does not depend on how.
func measure(worlds []world, judges []judge, reps, workers int, seed uint64) ([]measured, error) {
	out := make([]measured, len(worlds))
	errs := make([]error, len(worlds))
	next := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range next {
				out[i], errs[i] = worlds[i].measure(judges, reps, rand.New(rand.NewPCG(seed, uint64(i))))
			}
		})
	}
	for _, i := range largestFirst(worlds) {
		next <- i
	}
	close(next)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// largestFirst keeps the workers busy to the end.
func largestFirst(worlds []world) []int {
	order := make([]int, len(worlds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return worlds[b].tasks*worlds[b].trials - worlds[a].tasks*worlds[a].trials
	})
	return order
}

func (w world) measure(judges []judge, reps int, rng *rand.Rand) (measured, error) {
	m := measured{w, make([]tally, len(judges))}
	f := newForms(w.tasks, w.trials)
	s := suite{make([]int, w.tasks), make([]int, w.tasks)}
	known := map[string][]gate.Outcome{}
	key := make([]byte, w.tasks)
	for range reps {
		w.draw(rng, s)
		key = s.kind(key[:0], w.trials)
		said, seen := known[string(key)]
		if !seen {
			for _, j := range judges {
				o, err := j.says(f, s)
				if err != nil {
					return m, err
				}
				said = append(said, o)
			}
			known[string(key)] = said
		}
		for i, o := range said {
			m.tallies[i].count(o)
		}
	}
	return m, nil
}

// kind names all suites that are s in another order of tasks. No judge looks at
// the order, so one of them answers for all: small suites are judged once each,
// however often they are drawn.
func (s suite) kind(key []byte, trials int) []byte {
	for i := range s.baseline {
		key = append(key, byte(s.baseline[i]*(trials+1)+s.candidate[i]))
	}
	slices.Sort(key)
	return key
}

func (t *tally) count(o gate.Outcome) {
	t.of++
	switch o {
	case gate.Accepted:
		t.accepted++
	case gate.Rejected:
		t.rejected++
	default:
		t.indecisive++
	}
}
