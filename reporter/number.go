package reporter

import (
	"strconv"
	"strings"
	"time"
)

// number is the part of an estimate that printing needs.
type number interface {
	Value() (float64, bool)
	Format(decimals int) string
}

// share prints a number of [0, 1] with the given decimals, a dash when there is
// none. Only 0 prints as 0 and only 1 as 1: what would round to them says on
// which side it lies.
func share(n number, decimals int) string {
	v, ok := n.Value()
	s := n.Format(decimals)
	if !ok {
		return s
	}
	zero := strconv.FormatFloat(0, 'f', decimals, 64)
	one := strconv.FormatFloat(1, 'f', decimals, 64)
	switch {
	case s == zero && v > 0:
		return "<" + zero[:len(zero)-1] + "1"
	case s == one && v < 1:
		return ">0." + strings.Repeat("9", decimals)
	}
	return s
}

// mark prints the reward of one trial in as few characters as it can: 1, 0,
// 0.5, 0.33. A trial without a reward is a dot.
func mark(n number) string {
	if _, ok := n.Value(); !ok {
		return missingMark
	}
	s := share(n, 2)
	if s[0] == '<' || s[0] == '>' {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// missingMark stands where a trial has no reward.
const missingMark = "·"

// money prints dollars: whole cents from one dollar up, four decimals below.
func money(usd float64) string {
	if usd > 0 && usd < 0.0001 {
		return "<$0.0001"
	}
	if usd < 1 {
		return "$" + strconv.FormatFloat(usd, 'f', 4, 64)
	}
	whole, cents, _ := strings.Cut(strconv.FormatFloat(usd, 'f', 2, 64), ".")
	return "$" + thousands(whole) + "." + cents
}

// count prints a count that may be large.
func count(v float64) string {
	return thousands(strconv.FormatFloat(v, 'f', 0, 64))
}

// thousands groups the digits of a whole number that is not negative.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// span prints a length of time: tenths below a minute, else whole seconds.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// percent prints a level of confidence: 0.95 as 95%.
func percent(level float64) string {
	return strconv.FormatFloat(level*100, 'g', 4, 64) + "%"
}
