package config

import (
	"math/big"
	"regexp"
)

// The kinds of every setting. One list serves the file, the environment and
// flags, so that all of them ask for the same.

const maxTrials = 100_000

// maxSeed keeps seeds readable for JSON readers that know only float64.
const maxSeed = 1<<53 - 1 - maxTrials

func unitInterval() kind[float64] {
	return number("a number from 0 to 1", func(v float64) bool { return v >= 0 && v <= 1 })
}

func unitDecimal() kind[string] {
	return decimal("a decimal from 0 to 1", func(r *big.Rat) bool { return between(r, 0, 1) })
}

func trialsKind() kind[int]       { return count(1, maxTrials) }
func seedKind() kind[int64]       { return whole(-maxSeed, maxSeed) }
func armKind() kind[string]       { return text("the name of an arm, such as candidate") }
func procsKind() kind[int]        { return count(1, 1024) }
func workersKind() kind[int]      { return count(1, 10_000) }
func retryKind() kind[int]        { return count(0, 100) }
func coverageKind() kind[float64] { return unitInterval() }
func pathKind() kind[string]      { return text("a path") }

func budgetKind() kind[float64] {
	return number("an amount of USD above 0", func(v float64) bool { return v > 0 })
}

func thresholdKind() kind[float64] {
	return number("a number above 0 and up to 1", func(v float64) bool { return v > 0 && v <= 1 })
}

// splitKind leaves out test in the file: the test split is never a default.
func splitKind() kind[string] {
	k := oneOf("train", "val")
	k.need += " (the test split runs only in the sealed finalize job)"
	return k
}

func envSplitKind() kind[string] { return oneOf("train", "val", "test") }

func ruleKind() kind[string] {
	return oneOf("improve", "no-regression", "non-inferior", "paired-se", "significant",
		"threshold", "strict", "simplicity-tiebreak")
}

func presetKind() kind[string] { return oneOf("search", "release") }

func alphaKind() kind[string] {
	return decimal(`a decimal between 0 and 1, both excluded, such as "0.05"`, func(r *big.Rat) bool {
		return r.Sign() > 0 && r.Cmp(big.NewRat(1, 1)) < 0
	})
}

func kseKind() kind[string] {
	return decimal("a decimal from 0 to 1000", func(r *big.Rat) bool { return between(r, 0, 1000) })
}

func dropKind() kind[string] {
	return decimal("a decimal above 0 and up to 1", func(r *big.Rat) bool {
		return r.Sign() > 0 && between(r, 0, 1)
	})
}

func increaseKind() kind[string] {
	plain := decimal("", func(r *big.Rat) bool { return r.Sign() >= 0 })
	k := plain
	k.need = `"10%" or a decimal in the metric's unit, at least 0`
	k.parse = func(s string) (string, bool) {
		number := s
		if n := len(s); n > 0 && s[n-1] == '%' {
			number = s[:n-1]
		}
		_, ok := plain.parse(number)
		return s, ok
	}
	return k
}

func refKind() kind[string] {
	return matching("a full ref name such as refs/heads/capeval-ledger",
		regexp.MustCompile(`^refs/[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)+$`))
}

func genesisKind() kind[string] {
	return matching("a commit id of 40 or 64 hexadecimal digits, as written by capeval-ci seal init",
		regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`))
}

func ageKind() kind[string] {
	return matching("an age recipient, which begins with age1", regexp.MustCompile(`^age1[0-9a-z]{8,}$`))
}

func priceKind() kind[float64] {
	return number("USD per million tokens, at least 0", func(v float64) bool { return v >= 0 })
}

func confidenceKind() kind[float64] {
	return number("a number between 0 and 1, both excluded", func(v float64) bool { return v > 0 && v < 1 })
}
