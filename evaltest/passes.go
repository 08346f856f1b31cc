package evaltest

import (
	"fmt"
	"strconv"
)

func (p *passes) read(env func(string) (string, bool)) error {
	p.todo, _ = env(envTodo)
	if v, ok := env(envRetriesLeft); ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return fmt.Errorf("%s: found %q, need a number of passes", envRetriesLeft, v)
		}
		p.retries = n
	}
	if v, ok := env(envBudget); ok {
		usd, err := strconv.ParseFloat(v, 64)
		if err != nil || !(usd > 0) {
			return fmt.Errorf("%s: found %q, need a sum above 0", envBudget, v)
		}
		p.budget = usd
	}
	if v, ok := env(envRound); ok {
		var r round
		if n, err := fmt.Sscanf(v, "%d-%d", &r.first, &r.last); err != nil || n != 2 || r.first < 0 || r.last < r.first {
			return fmt.Errorf("%s: found %q, need the first and the last trial, such as 0-1", envRound, v)
		}
		p.round = &r
	}
	_, p.quiet = env(envQuiet)
	return nil
}
