package stats

import "slices"

// Holm returns p-values adjusted for being several, in the order given: a claim
// for every one at most alpha is wrong anywhere with a chance of at most alpha,
// however the tests depend on each other. An undefined p-value stays undefined
// and does not count as a test.
func Holm(ps []Estimate) []Estimate {
	adjusted, order := ranked(ps)
	running := 0.0
	for rank, i := range order {
		running = max(running, min(1, float64(len(order)-rank)*ps[i].value))
		adjusted[i] = Defined(running)
	}
	return adjusted
}

// BenjaminiHochberg returns p-values adjusted for being several, in the order
// given: among the ones at most q, the expected share of false finds is at most
// q when the tests are independent. It suits exploring, not claiming. An
// undefined p-value stays undefined and does not count as a test.
func BenjaminiHochberg(ps []Estimate) []Estimate {
	adjusted, order := ranked(ps)
	running := 1.0
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		running = min(running, ps[i].value*(float64(len(order))/float64(rank+1))) // a factor of at least 1: never below p
		adjusted[i] = Defined(running)
	}
	return adjusted
}

// ranked returns room for the results and the places of the defined p-values,
// smallest first.
func ranked(ps []Estimate) (room []Estimate, order []int) {
	for i, p := range ps {
		if p.defined {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := ps[a].value, ps[b].value; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return make([]Estimate, len(ps)), order
}
