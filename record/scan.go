package record

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scan reads the usual form of a line. It reports false for anything out of
// the ordinary, wrong lines included: decode then says what the line means or
// what is wrong with it. Whatever scan reads, decode reads alike.
//
// plain says that s holds printable ASCII without a backslash, so that the
// next quote ends a string.
func scan(s string, plain bool, l *line) bool {
	p := scanner{s: s, bare: plain}
	p.space()
	if !p.byte('{') {
		return false
	}
	p.space()
	if p.byte('}') {
		return p.end()
	}
	for {
		key, ok := p.plain()
		if !ok {
			return false
		}
		p.space()
		if !p.byte(':') {
			return false
		}
		p.space()
		if !p.value(key, l) {
			return false
		}
		p.space()
		if p.byte(',') {
			p.space()
			continue
		}
		return p.byte('}') && p.end()
	}
}

// isPlain reports whether b holds printable ASCII without a backslash. It looks
// at eight bytes at a time.
func isPlain(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		slash := x ^ ones*'\\'
		if (x|(x-ones*0x20)|(slash-ones)&^slash)&highs != 0 {
			return false
		}
	}
	for _, c := range b {
		if c < 0x20 || c >= 0x80 || c == '\\' {
			return false
		}
	}
	return true
}

type scanner struct {
	s    string
	i    int
	bare bool // printable ASCII without a backslash
	high bool // a byte above 0x7f was seen in a string
}

func (p *scanner) space() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == '\r') {
		p.i++
	}
}

func (p *scanner) byte(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *scanner) word(w string) bool {
	if strings.HasPrefix(p.s[p.i:], w) {
		p.i += len(w)
		return true
	}
	return false
}

func (p *scanner) end() bool {
	p.space()
	return p.i == len(p.s) && (!p.high || utf8.ValidString(p.s))
}

// plain reads a string without escapes.
func (p *scanner) plain() (string, bool) {
	if !p.byte('"') {
		return "", false
	}
	from := p.i
	if p.bare {
		n := strings.IndexByte(p.s[from:], '"')
		if n < 0 {
			return "", false
		}
		p.i += n + 1
		return p.s[from : from+n], true
	}
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			return p.s[from : p.i-1], true
		case c == '\\' || c < 0x20:
			return "", false
		case c >= 0x80:
			p.high = true
		}
	}
	return "", false
}

// str reads a string, the short escapes included.
func (p *scanner) str() (string, bool) {
	from := p.i
	if s, ok := p.plain(); ok {
		return s, true
	}
	if p.i >= len(p.s) || p.s[p.i] != '\\' {
		return "", false
	}
	b := make([]byte, 0, 2*(p.i-from)+32)
	b = append(b, p.s[from+1:p.i]...)
	for ; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == '"':
			p.i++
			return string(b), true
		case c < 0x20:
			return "", false
		case c >= 0x80:
			p.high = true
		case c == '\\':
			p.i++
			if p.i == len(p.s) {
				return "", false
			}
			switch p.s[p.i] {
			case '"', '\\', '/':
				c = p.s[p.i]
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			default:
				return "", false
			}
		}
		b = append(b, c)
	}
	return "", false
}

// number reads a number's text and whether it is a whole literal.
func (p *scanner) number() (text string, whole, ok bool) {
	from := p.i
	p.byte('-')
	if !p.byte('0') && !p.digits() {
		return "", false, false
	}
	whole = true
	if p.byte('.') {
		whole = false
		if !p.digits() {
			return "", false, false
		}
	}
	if p.byte('e') || p.byte('E') {
		whole = false
		if !p.byte('+') {
			p.byte('-')
		}
		if !p.digits() {
			return "", false, false
		}
	}
	return p.s[from:p.i], whole, true
}

func (p *scanner) digits() bool {
	from := p.i
	for p.i < len(p.s) && p.s[p.i]-'0' <= 9 {
		p.i++
	}
	return p.i > from
}

func (p *scanner) float() (float64, bool) {
	text, _, ok := p.number()
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

func (p *scanner) integer() (int64, bool) {
	text, whole, ok := p.number()
	if !ok || !whole {
		return 0, false
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil
}

// value reads the value of key into l.
func (p *scanner) value(key string, l *line) bool {
	f := keyIndex(key)
	if f < 0 {
		return p.extra(key, l)
	}
	if l.seen&(1<<f) != 0 {
		return false
	}
	l.seen |= 1 << f
	if p.word("null") {
		return true
	}
	l.set |= 1 << f
	var ok bool
	switch {
	case f == fTask && p.i < len(p.s) && p.s[p.i] != '"':
		var whole bool
		l.text[f], whole, ok = p.number()
		return ok && whole
	case f < nText:
		l.text[f], ok = p.str()
	case f == fTrial:
		l.trial, ok = p.integer()
	case f == fAttempt:
		l.attempt, ok = p.integer()
	case f == fSeed:
		l.seed, ok = p.integer()
	case f == fReward:
		l.reward, ok = p.float()
	case f == fSeconds:
		l.seconds, ok = p.float()
	case f == fCached:
		l.cached = p.word("true")
		ok = l.cached || p.word("false")
	case f == fMetrics:
		ok = p.members(func(name string) bool {
			v, ok := p.float()
			l.metrics = append(l.metrics, number{name, v})
			return ok
		})
	case f == fUnits:
		ok = p.members(func(name string) bool {
			v, ok := p.str()
			l.units = append(l.units, pair{name, v})
			return ok
		})
	case f == fNotes:
		ok = p.list(func() bool {
			v, ok := p.str()
			l.notes = append(l.notes, v)
			return ok
		})
	}
	return ok
}

func (p *scanner) members(read func(name string) bool) bool {
	if !p.byte('{') {
		return false
	}
	p.space()
	if p.byte('}') {
		return true
	}
	for {
		name, ok := p.plain()
		if !ok {
			return false
		}
		p.space()
		if !p.byte(':') {
			return false
		}
		p.space()
		if !read(name) {
			return false
		}
		p.space()
		if !p.byte(',') {
			return p.byte('}')
		}
		p.space()
	}
}

func (p *scanner) list(read func() bool) bool {
	if !p.byte('[') {
		return false
	}
	p.space()
	if p.byte(']') {
		return true
	}
	for {
		if !read() {
			return false
		}
		p.space()
		if !p.byte(',') {
			return p.byte(']')
		}
		p.space()
	}
}

// extra reads a value of any form under a key that is not known.
func (p *scanner) extra(key string, l *line) bool {
	for _, e := range l.extra {
		if e.name == key {
			return false
		}
	}
	from, depth := p.i, 0
	for p.i < len(p.s) {
		switch c := p.s[p.i]; c {
		case '"':
			p.i++
			for p.i < len(p.s) && p.s[p.i] != '"' {
				if p.s[p.i] == '\\' {
					p.i++
				}
				if p.i < len(p.s) && p.s[p.i] >= 0x80 {
					p.high = true
				}
				p.i++
			}
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return p.keep(key, p.s[from:p.i], l)
			}
			if c != ',' {
				depth--
			}
		}
		p.i++
	}
	return false
}

func (p *scanner) keep(key, raw string, l *line) bool {
	raw = strings.TrimRight(raw, " \t\r")
	if !json.Valid([]byte(raw)) {
		return false
	}
	l.extra = append(l.extra, pair{key, raw})
	return true
}
