package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
)

// WriteTrial writes t as one line, in one call of Write. It refuses what a
// reader would refuse or read as something else: a trial without a suite, an
// arm, a split or a status, a reward outside 0 to 1, a cause that does not
// belong to the status. An empty Schema is filled in.
func WriteTrial(w io.Writer, t Trial) error {
	return writeLine(w, func(b []byte, l *line) ([]byte, error) { return appendTrial(b, &t, l) })
}

// scratch is what lines are put together in. It is large for a stack: on that
// of a young goroutine it would cost more than the line.
type scratch struct {
	l line
	b []byte
}

var scratches = sync.Pool{New: func() any { return &scratch{b: make([]byte, 0, 1<<10)} }}

// writeLine gives w, in one call, what appendTo appends.
func writeLine(w io.Writer, appendTo func(b []byte, l *line) ([]byte, error)) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	line, err := appendTo(s.b[:0], &s.l)
	s.l.reset(0)
	if err != nil {
		return err
	}
	if cap(line) <= 1<<16 { // a rare long line need not stay
		s.b = line
	}
	_, err = w.Write(line)
	return err
}

// WriteTrials writes every trial as one line, in order.
func WriteTrials(w io.Writer, trials []Trial) error {
	var b []byte
	var l line
	for i := range trials {
		var err error
		if b, err = appendTrial(b, &trials[i], &l); err != nil {
			return err
		}
		if len(b) >= 1<<16 || i == len(trials)-1 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return nil
}

// AppendTrial appends the line of t, its end included, to b.
func AppendTrial(b []byte, t Trial) ([]byte, error) { return appendTrial(b, &t, &line{}) }

func appendTrial(b []byte, t *Trial, l *line) ([]byte, error) {
	if err := l.fromTrial(t); err != nil {
		return b, fmt.Errorf("record: trial %d of task %q: %w", t.Trial, clip(t.Task), err)
	}
	o := object{b: append(b, '{')}
	o.text("schema", TrialSchema)
	o.text("run", t.Run)
	o.text("suite", t.Suite)
	o.text("split", string(t.Split))
	o.text("arm", t.Arm)
	o.text("task", t.Task)
	o.int("trial", int64(t.Trial))
	o.int("attempt", int64(t.Attempt))
	o.int("seed", t.Seed)
	o.key("reward")
	if l.scored {
		o.b = appendFloat(o.b, l.reward)
	} else {
		o.b = append(o.b, "null"...)
	}
	o.text("status", l.text[fStatus])
	o.text("cause", l.text[fCause])
	o.text("message", t.Message)
	o.text("feedback", t.Feedback)
	if len(t.Notes) > 0 {
		o.key("notes")
		for i, n := range t.Notes {
			o.b = append(o.b, "[,"[min(i, 1)])
			o.b = appendString(o.b, n)
		}
		o.b = append(o.b, ']')
	}
	o.text("cluster", t.Cluster)
	o.text("content_digest", t.ContentDigest)
	o.text("output_digest", t.OutputDigest)
	o.key("cached")
	o.b = strconv.AppendBool(o.b, t.Cached)
	o.key("metrics")
	metrics := object{b: append(o.b, '{')}
	for _, m := range l.metrics {
		metrics.key(m.name)
		metrics.b = appendFloat(metrics.b, m.value)
	}
	o.b = append(metrics.b, '}')
	if len(l.units) > 0 {
		o.key("units")
		units := object{b: append(o.b, '{')}
		for _, p := range l.units {
			units.text(p.name, p.value)
		}
		o.b = append(units.b, '}')
	}
	o.text("started", t.Started)
	o.key("seconds")
	o.b = appendFloat(o.b, t.Seconds)
	for _, p := range l.extra { // sorted
		name, raw := p.name, t.Extra[p.name]
		if !json.Valid(raw) {
			return b, fmt.Errorf("record: trial %d of task %q: found %q under key %q, need JSON", t.Trial, clip(t.Task), clip(string(raw)), name)
		}
		o.key(name)
		if raw := bytes.Trim(raw, " \t\r\n"); !bytes.ContainsAny(raw, "\n\r") {
			o.b = append(o.b, raw...)
			continue
		}
		var flat bytes.Buffer
		if err := json.Compact(&flat, raw); err != nil {
			return b, err
		}
		o.b = append(o.b, flat.Bytes()...)
	}
	return append(o.b, '}', '\n'), nil
}

// WriteStart writes s as one line, in one call of Write. An empty Schema is
// filled in.
func WriteStart(w io.Writer, s Start) error {
	s.Schema = StartSchema
	switch {
	case strings.TrimSpace(s.Task) == "":
		return fmt.Errorf("record: found a start mark without a task, need its id")
	case s.Split != "" && !s.Split.Valid():
		return fmt.Errorf("record: found split %q, need train, val or test", s.Split)
	case s.Trial < 0 || s.Trial > maxTrial || s.Attempt < 1 || s.Attempt > maxTrial:
		return fmt.Errorf("record: found trial %d, attempt %d, need 0 or more, 1 or more", s.Trial, s.Attempt)
	}
	return writeLine(w, func(b []byte, _ *line) ([]byte, error) { return s.appendTo(b), nil })
}

func (s *Start) appendTo(b []byte) []byte {
	o := object{b: append(b, '{')}
	o.text("schema", s.Schema)
	for _, p := range [...]pair{{"run", s.Run}, {"suite", s.Suite}, {"split", string(s.Split)}, {"arm", s.Arm}} {
		if p.value != "" {
			o.text(p.name, p.value)
		}
	}
	o.text("task", s.Task)
	o.int("trial", int64(s.Trial))
	o.int("attempt", int64(s.Attempt))
	o.int("seed", s.Seed)
	o.text("started", s.Started)
	return append(o.b, '}', '\n')
}

// object appends the members of a JSON object.
type object struct {
	b   []byte
	any bool
}

func (o *object) key(name string) {
	if o.any {
		o.b = append(o.b, ',')
	}
	o.any = true
	o.b = append(appendString(o.b, name), ':')
}

func (o *object) text(name, value string) {
	o.key(name)
	o.b = appendString(o.b, value)
}

func (o *object) int(name string, value int64) {
	o.key(name)
	o.b = strconv.AppendInt(o.b, value, 10)
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 become the
// replacement character.
func appendString(b []byte, s string) []byte {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\'
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(b, `""`...) // a string always encodes
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})...)
}

// appendFloat appends the shortest decimal that reads back as v.
func appendFloat(b []byte, v float64) []byte {
	if v == 0 {
		return append(b, '0')
	}
	if a := math.Abs(v); a < 1e-6 || a >= 1e21 {
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}
