package main

import (
	"math"
	"math/rand/v2"
)

// rates is a distribution of success rates over tasks.
type rates struct {
	name     string
	quantile func(u float64) float64 // inverse of the distribution function, u in (0, 1)
}

// polar is Beta(.5,.5): most tasks nearly always or nearly never succeed.
func polar() rates {
	return rates{"Beta(.5,.5)", func(u float64) float64 {
		s := math.Sin(math.Pi * u / 2)
		return s * s
	}}
}

// middling is Beta(2,2): most tasks succeed about half of the time. Its
// distribution function is 3p^2 - 2p^3, which this inverts.
func middling() rates {
	return rates{"Beta(2,2)", func(u float64) float64 { return 0.5 - math.Sin(math.Asin(1-2*u)/3) }}
}

// change is what a candidate does to a task's success rate, given the task's
// place among n.
type change struct {
	name  string
	apply func(p float64, i, n int) float64
}

func noChange() change {
	return change{"none", func(p float64, _, _ int) float64 { return p }}
}

// gain moves every task by one step in log odds, the one that raises the mean
// of the distribution by size.
func (r rates) gain(name string, size float64) change {
	step := r.step(size)
	return change{name, func(p float64, _, _ int) float64 { return shift(p, step) }}
}

// repair brings a fifth of the tasks to a success rate of 0.95.
func repair() change {
	return change{"1 in 5 repaired", func(p float64, i, n int) float64 {
		if i < n/5 {
			return 0.95
		}
		return p
	}}
}

func shift(p, step float64) float64 {
	odds := p * math.Exp(step)
	return odds / (1 - p + odds)
}

// step finds the step of a gain by halving.
func (r rates) step(size float64) float64 {
	low, high := 0.0, 8.0
	for range 40 {
		if mid := (low + high) / 2; r.meanGain(mid) < size {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// meanGain is how much a step raises the mean of the distribution.
func (r rates) meanGain(step float64) float64 {
	const points = 2000
	sum := 0.0
	for i := range points {
		p := r.quantile((float64(i) + 0.5) / points)
		sum += shift(p, step) - p
	}
	return sum / points
}

// world is where suites are drawn from.
type world struct {
	rates  rates
	change change
	tasks  int
	trials int // of every task, in each arm
}

// suite holds, task by task, how many trials passed in each arm.
type suite struct{ baseline, candidate []int }

// draw fills s with new tasks and new trials of both arms.
func (w world) draw(rng *rand.Rand, s suite) {
	for i := range w.tasks {
		p := w.rates.quantile(rng.Float64())
		s.baseline[i] = w.passes(rng, p)
		s.candidate[i] = w.passes(rng, w.change.apply(p, i, w.tasks))
	}
}

func (w world) passes(rng *rand.Rand, p float64) (n int) {
	for range w.trials {
		if rng.Float64() < p {
			n++
		}
	}
	return n
}
