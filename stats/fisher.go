package stats

// equalChance is the relative difference up to which two tables are taken to
// be equally likely; rounding stays far below it.
const equalChance = 1e-7

// Fisher returns the two-sided p-value of Fisher's exact test that a out of n
// and b out of m have the same chance: the chance, given a+b, of a table at
// most as likely as this one. It is undefined when a count is negative or
// above its total. With nothing in a row or a column it is 1: no table but this
// one was possible.
func Fisher(a, n, b, m int) Estimate {
	if a < 0 || b < 0 || a > n || b > m {
		return Undefined()
	}
	if n == 0 || m == 0 || a+b == 0 || a+b == n+m {
		return Defined(1)
	}
	ways := hypergeometric(m, n, a+b)
	limit := ways[a] * (1 + equalChance)
	var unlikely, all float64
	for _, w := range ways {
		all += w
		if w <= limit {
			unlikely += w
		}
	}
	return Defined(chance(unlikely / all))
}
