package gate

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/capeval/capeval/stats"
)

// Adaptive says how far a run went that looked at its numbers on the way and
// could stop at each look. The chance of a false claim over all looks together
// stays at alpha, because the parts of it that the looks spend add up to alpha.
type Adaptive struct {
	Look  int `json:"look"`  // the look at which it stopped, from 1
	Looks int `json:"looks"` // that were planned
	// Alpha is the whole, AlphaSpent what this look and those before it spent. The
	// decision's own alpha is this look's part.
	Alpha      string `json:"alpha"`
	AlphaSpent string `json:"alpha_spent"`
	Trials     int    `json:"trials"`  // of the task that has most, in each arm
	Planned    int    `json:"planned"` // trials that it would have had
	// NotNeeded counts the cells of both arms that the stop left out. They are in no
	// denominator.
	NotNeeded int `json:"cells_not_needed"`
}

// spending is how much of alpha is spent by a share of the looks, piecewise
// linear between these points: at five looks .001, .004, .01, .015 and .02 of .05.
// Little is spent early, when little is known.
var spending = [][2]*big.Rat{
	{new(big.Rat), new(big.Rat)},
	{big.NewRat(1, 5), big.NewRat(1, 50)},
	{big.NewRat(2, 5), big.NewRat(1, 10)},
	{big.NewRat(3, 5), big.NewRat(3, 10)},
	{big.NewRat(4, 5), big.NewRat(3, 5)},
	{big.NewRat(1, 1), big.NewRat(1, 1)},
}

// spentPlaces are the decimals to which what is spent is rounded down, so that it
// can be written exactly.
const spentPlaces = 9

// Spend returns the part of alpha, a decimal in (0,1), that look of looks spends,
// and what is spent by then. Both are exact decimals; the parts of all looks add
// up to alpha. Looks count from 1.
//
// The rule of spending, and that it is valid by the union bound, is that of group
// sequential tests (Lan and DeMets 1983) with a spending function of our own.
func Spend(alpha string, look, looks int) (part, spent string, err error) {
	whole, err := decimal("alpha", alpha, "0", "1", true, true)
	if err != nil {
		return "", "", err
	}
	if looks < 1 || look < 1 || look > looks {
		return "", "", fmt.Errorf("gate: found look %d of %d, need a look from 1 to their number", look, looks)
	}
	before, now := spentBy(whole.Rat(), look-1, looks), spentBy(whole.Rat(), look, looks)
	return plainDecimal(new(big.Rat).Sub(now, before)), plainDecimal(now), nil
}

// spentBy is what is spent after look looks, rounded down unless it is all.
func spentBy(alpha *big.Rat, look, looks int) *big.Rat {
	if look == looks {
		return alpha
	}
	at := big.NewRat(int64(look), int64(looks))
	share := new(big.Rat)
	for i := 1; i < len(spending); i++ {
		from, to := spending[i-1], spending[i]
		if at.Cmp(to[0]) > 0 {
			continue
		}
		part := new(big.Rat).Quo(new(big.Rat).Sub(at, from[0]), new(big.Rat).Sub(to[0], from[0]))
		share.Add(from[1], part.Mul(part, new(big.Rat).Sub(to[1], from[1])))
		break
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(spentPlaces), nil)
	n := new(big.Rat).Mul(share.Mul(share, alpha), new(big.Rat).SetInt(scale))
	return new(big.Rat).SetFrac(new(big.Int).Quo(n.Num(), n.Denom()), scale)
}

func plainDecimal(r *big.Rat) string {
	n, _ := r.FloatPrec()
	return r.FloatString(n)
}

// ErrNotAdaptive says that a rule has no exact p that looks could share alpha of.
var ErrNotAdaptive = errors.New("need the rule improve or no-regression")

// CheckAdaptive refuses a rule that cannot stop early.
func CheckAdaptive(r Rule) error {
	if r.Name != RuleImprove && r.Name != RuleNoRegression {
		return fmt.Errorf("gate: rule %s: %w", r.Name, ErrNotAdaptive)
	}
	return nil
}

// Clear reports whether more trials are not worth their price: the candidate is
// shown to be better or worse at the alpha of the decision.
func (d Decision) Clear() bool {
	switch d.Code {
	case CodeBetter, CodeWorse, CodeRegression:
		return true
	case CodeNoRegressionDetected:
		alpha, err := stats.ParseDecimal(d.Alpha)
		return err == nil && stats.Reaches(d.PBetter, alpha)
	}
	return false
}

// Stopped returns the decision with a word on where the run stopped, which a
// reader must not miss.
func (d Decision) Stopped(a Adaptive) Decision {
	d.Adaptive = &a
	d.Warnings = slices.Clone(d.Warnings)
	rest := ""
	if a.NotNeeded > 0 {
		rest = fmt.Sprintf("; %s not needed and in no denominator", counted(a.NotNeeded, "cell")+areOrIs(a.NotNeeded))
	}
	d.warnf(WarnAdaptive, "looked %s of at most %d, and stopped after %d of %d trials a task: alpha %s is this look's part of %s, of which %s is spent%s",
		times(a.Look), a.Looks, a.Trials, a.Planned, d.Alpha, a.Alpha, a.AlphaSpent, rest)
	return d
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func areOrIs(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}
