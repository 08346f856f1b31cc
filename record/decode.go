package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errCut marks a line that ends before its object does.
var errCut = errors.New("the line ends before its object does")

// decode reads any line and says what is wrong with a wrong one.
func decode(s string, l *line) error {
	dec := json.NewDecoder(strings.NewReader(s))
	var whole json.RawMessage
	if err := dec.Decode(&whole); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) && strings.HasPrefix(strings.TrimLeft(s, " \t\r"), "{") {
			return fmt.Errorf("found %q: %w, need one whole JSON object", clip(s), errCut)
		}
		if strings.Contains(s, "NaN") || strings.Contains(s, "Infinity") {
			return fmt.Errorf("found no JSON (%v), need one JSON object: NaN and Infinity are not JSON, a trial without a reward is \"status\":\"missing\"", err)
		}
		return fmt.Errorf("found no JSON (%v), need one JSON object on the line", err)
	}
	if whole[0] != '{' {
		return fmt.Errorf("found %s, need one JSON object on the line", kind(whole))
	}
	if rest := strings.TrimSpace(s[dec.InputOffset():]); rest != "" {
		return fmt.Errorf("found %q after the object, need one object a line", clip(rest))
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("found bytes that are not UTF-8, need UTF-8 text")
	}
	return members(whole, "key", func(key string, raw json.RawMessage) error {
		f := keyIndex(key)
		if f < 0 {
			l.extra = append(l.extra, pair{key, string(raw)})
			return nil
		}
		l.seen |= 1 << f
		if string(raw) == "null" {
			return nil
		}
		l.set |= 1 << f
		return l.decode(f, key, raw)
	})
}

// members calls do for every member of the object, in order. It refuses a
// name that stands twice.
func members(object json.RawMessage, what string, do func(name string, raw json.RawMessage) error) error {
	dec := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := dec.Token(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := tok.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("found %s %q twice, need it once", what, clip(name))
		}
		seen[name] = true
		if err := do(name, raw); err != nil {
			return err
		}
	}
	return nil
}

// decode reads one known value that is not null.
func (l *line) decode(f int, key string, raw json.RawMessage) (err error) {
	switch {
	case f == fTask && isNumber(raw):
		if strings.ContainsAny(string(raw), ".eE") {
			return fmt.Errorf("found task %s, need a string or a whole number", clip(string(raw)))
		}
		l.text[f] = string(raw)
	case f < nText:
		l.text[f], err = text(key, raw)
	case f == fTrial:
		l.trial, err = integer(key, raw)
	case f == fAttempt:
		l.attempt, err = integer(key, raw)
	case f == fSeed:
		l.seed, err = integer(key, raw)
	case f == fReward:
		l.reward, err = float(key, raw)
	case f == fSeconds:
		l.seconds, err = float(key, raw)
	case f == fCached:
		if err := json.Unmarshal(raw, &l.cached); err != nil {
			return fmt.Errorf("found %s in cached, need true or false", kind(raw))
		}
	case f == fMetrics:
		if raw[0] != '{' {
			return fmt.Errorf("found %s in metrics, need an object of numbers", kind(raw))
		}
		return members(raw, "metric", func(name string, raw json.RawMessage) error {
			v, err := float("metric "+clip(name), raw)
			l.metrics = append(l.metrics, number{name, v})
			return err
		})
	case f == fUnits:
		if raw[0] != '{' {
			return fmt.Errorf("found %s in units, need an object of texts", kind(raw))
		}
		return members(raw, "unit", func(name string, raw json.RawMessage) error {
			v, err := text("unit "+clip(name), raw)
			l.units = append(l.units, pair{name, v})
			return err
		})
	case f == fNotes:
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return fmt.Errorf("found %s in notes, need a list of texts", kind(raw))
		}
		for _, raw := range list {
			v, err := text("notes", raw)
			if err != nil {
				return err
			}
			l.notes = append(l.notes, v)
		}
	}
	return err
}

func text(key string, raw json.RawMessage) (string, error) {
	var s string
	if raw[0] != '"' {
		return "", fmt.Errorf("found %s in %s, need a string", kind(raw), key)
	}
	err := json.Unmarshal(raw, &s)
	return s, err
}

func integer(key string, raw json.RawMessage) (int64, error) {
	v, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("found %s in %s, need a whole number", kind(raw), key)
	}
	return v, nil
}

func float(key string, raw json.RawMessage) (float64, error) {
	if !isNumber(raw) {
		return 0, fmt.Errorf("found %s in %s, need a number", kind(raw), key)
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("found %s in %s, need a number that a float64 can hold", kind(raw), key)
	}
	return v, nil
}

func isNumber(raw json.RawMessage) bool { return raw[0] == '-' || raw[0]-'0' <= 9 }

// kind says what a JSON value is, for a message.
func kind(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "the string " + clip(string(raw))
	}
	return clip(string(raw))
}
