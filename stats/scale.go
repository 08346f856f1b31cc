package stats

// budget is the largest number of steps into which the test statistic divides
// a difference of 1.
const budget = 10_000

// workload is the largest number of additions for counting the ways to deal
// one task. Up to 300 trials in each arm stay below it at 1/100.
const workload = 1 << 33

// scale turns the difference of one task into an integer, W times it.
type scale struct {
	q      int64 // reward denominator
	common int64 // W = q*common holds every difference exactly; 0 when W is the budget and differences are rounded
}

// scaleOf returns the scale for tasks whose rewards lie on l.
func scaleOf(l lattice, tasks []Pair) scale {
	s := scale{q: int64(l.q), common: 1}
	if l.fine {
		s.q = maxDenominator
	}
	for _, p := range tasks {
		s.q = min(s.q, affordable(int64(len(p.Baseline)), int64(len(p.Candidate))))
	}
	last := 0
	for _, p := range tasks {
		for _, m := range [2]int{len(p.Baseline), len(p.Candidate)} {
			if m == last {
				continue
			}
			last = m
			s.common *= int64(m) / gcd(s.common, int64(m))
			if s.q*s.common > budget {
				return scale{q: s.q}
			}
		}
	}
	return s
}

// affordable returns the largest reward denominator with which the ways to deal
// one task can be counted, at least 1.
func affordable(mb, mc int64) int64 {
	least := min(mb, mc)
	return max(1, workload/((mb+mc)*least*least))
}

// at returns the integer of one reward, rounded half up.
func (s scale) at(r float64) int64 { return int64(float64(r*float64(s.q)) + 0.5) }

// difference returns W times candidate/(q*mc) - baseline/(q*mb), rounded half
// away from 0.
func (s scale) difference(baseline, candidate, mb, mc int64) int64 {
	if s.common > 0 {
		return candidate*(s.common/mc) - baseline*(s.common/mb)
	}
	num := 2*budget*(candidate*mb-baseline*mc) + s.q*mb*mc // twice, and a half on top
	den := 2 * s.q * mb * mc
	if num-s.q*mb*mc < 0 {
		return -((2*s.q*mb*mc - num) / den)
	}
	return num / den
}

// gcd returns the greatest common divisor of two integers of which one may be
// 0; the sign is that of a.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
