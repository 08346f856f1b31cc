package config

import (
	"fmt"
	"math"
	"math/big"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// form is what a scalar looks like in YAML. A variable and a flag are text
// whatever they hold, so forms matter in the file only.
type form int

const (
	formText form = 1 << iota
	formInt
	formFloat
)

// kind is a type of value with its range: how it may be written, how it is
// read, and how to say what is needed.
type kind[T any] struct {
	need  string
	forms form
	parse func(text string) (T, bool)
}

// read returns the value of text, or an error that says what was found.
func (k kind[T]) read(text string) (T, error) {
	v, ok := k.parse(text)
	if !ok {
		return v, fmt.Errorf("found %s, need %s", shown(text), k.need)
	}
	return v, nil
}

// shown quotes what was found, shortened.
func shown(text string) string {
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "..."
	}
	return strconv.Quote(text)
}

var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// whole is a whole number from low to high in plain digits. 3.0, 1_000 and 0x10
// are refused: readers of YAML disagree about what they are.
func whole(low, high int64) kind[int64] {
	return kind[int64]{
		need:  fmt.Sprintf("a whole number from %d to %d", low, high),
		forms: formInt,
		parse: func(s string) (int64, bool) {
			if !wholeNumber.MatchString(s) {
				return 0, false
			}
			v, err := strconv.ParseInt(s, 10, 64)
			return v, err == nil && v >= low && v <= high
		},
	}
}

// count is a whole number that fits an int.
func count(low, high int) kind[int] {
	k := whole(int64(low), int64(high))
	return kind[int]{k.need, k.forms, func(s string) (int, bool) {
		v, ok := k.parse(s)
		return int(v), ok
	}}
}

// decimalNumber is a decimal without exponent: an exponent can name a number
// with more digits than there is memory.
var decimalNumber = regexp.MustCompile(`^-?[0-9]{1,40}(\.[0-9]{1,40})?$`)

// number is a finite decimal that is kept as a float64.
func number(need string, inside func(float64) bool) kind[float64] {
	return kind[float64]{need, formInt | formFloat, func(s string) (float64, bool) {
		if !decimalNumber.MatchString(s) {
			return 0, false
		}
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil && !math.IsInf(v, 0) && inside(v)
	}}
}

// decimal is a finite decimal that is kept as it was written.
func decimal(need string, inside func(*big.Rat) bool) kind[string] {
	return kind[string]{need, formText | formInt | formFloat, func(s string) (string, bool) {
		if !decimalNumber.MatchString(s) {
			return "", false
		}
		v, ok := new(big.Rat).SetString(s)
		return s, ok && inside(v)
	}}
}

// between reports whether low <= r <= high.
func between(r *big.Rat, low, high int64) bool {
	return r.Cmp(big.NewRat(low, 1)) >= 0 && r.Cmp(big.NewRat(high, 1)) <= 0
}

// oneOf is a closed list of words.
func oneOf(words ...string) kind[string] {
	return kind[string]{oneOfNeed(words), formText, func(s string) (string, bool) {
		return s, slices.Contains(words, s)
	}}
}

func oneOfNeed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return words[0]
}

// text is a name or a path: printable, not blank, on one line.
func text(need string) kind[string] {
	return kind[string]{need, formText, func(s string) (string, bool) {
		printable := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
		return s, printable && strings.TrimSpace(s) == s && s != ""
	}}
}

// matching is text of a given shape.
func matching(need string, shape *regexp.Regexp) kind[string] {
	return kind[string]{need, formText, func(s string) (string, bool) { return s, shape.MatchString(s) }}
}

// duration is a positive time span.
func duration() kind[time.Duration] {
	return kind[time.Duration]{`a time span above 0 such as 90s, 30m or 2h`, formText, func(s string) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil && d > 0
	}}
}

// glob is a slash-separated pattern below the root.
func glob() kind[string] {
	return kind[string]{`a glob below the project such as "evals/**"`, formText, func(s string) (string, bool) {
		_, err := path.Match(strings.ReplaceAll(s, "**", "*"), "")
		up := slices.Contains(strings.Split(s, "/"), "..")
		return s, err == nil && s != "" && !strings.HasPrefix(s, "/") && !up
	}}
}

// shard is i/n, counting from 1.
func shard() kind[Shard] {
	return kind[Shard]{fmt.Sprintf("i/n with 1 <= i <= n <= %d, such as 2/8, or auto", maxShards), formText, func(s string) (Shard, bool) {
		i, n, ok := strings.Cut(s, "/")
		k := count(1, maxShards)
		index, ok1 := k.parse(i)
		total, ok2 := k.parse(n)
		return Shard{index, total}, ok && ok1 && ok2 && index <= total
	}}
}
