package record

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/maphash"
	"math"
	"strconv"
	"unicode/utf8"
)

// scan reads the usual form of a line. It reports false for anything out of
// the ordinary, wrong lines included: decode then says what the line means or
// what is wrong with it. Whatever scan reads, decode reads alike.
//
// plain says that s holds printable ASCII without a backslash, so that the
// next quote ends a string. Texts that m knows are not copied again; until the
// line owns what is raw, it needs s.
func scan(s []byte, plain bool, l *line, m *memo) bool {
	p := scanner{s: s, bare: plain, memo: m}
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

// memo holds texts of earlier lines, which most texts of a line repeat. The
// zero value knows none.
type memo struct {
	last  [nText]string // of each field
	some  [256]string   // by their hash, for what alternates
	names [8]string     // of metrics and units
	next  int           // the name that gives way
}

// maxMemo bounds what a memo remembers.
const maxMemo = 256

// field returns b as a string, an earlier one where they are equal.
func (m *memo) field(f int, b []byte) string {
	if m.last[f] == string(b) {
		return m.last[f]
	}
	if len(b) > maxMemo {
		return string(b)
	}
	s := &m.some[maphash.Bytes(hashSeed, b)%uint64(len(m.some))]
	if *s != string(b) {
		*s = string(b)
	}
	m.last[f] = *s
	return *s
}

// name returns b as a string, one of the last names where they are equal.
func (m *memo) name(b []byte) string {
	for _, s := range m.names {
		if s == string(b) {
			return s
		}
	}
	s := string(b)
	if len(b) <= maxMemo {
		m.names[m.next] = s
		m.next = (m.next + 1) % len(m.names)
	}
	return s
}

type scanner struct {
	s    []byte
	i    int
	memo *memo
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
	if rest := p.s[p.i:]; len(rest) >= len(w) && string(rest[:len(w)]) == w {
		p.i += len(w)
		return true
	}
	return false
}

func (p *scanner) end() bool {
	p.space()
	return p.i == len(p.s) && (!p.high || utf8.Valid(p.s))
}

// plain reads a string without escapes.
func (p *scanner) plain() ([]byte, bool) {
	if !p.byte('"') {
		return nil, false
	}
	from := p.i
	if p.bare {
		n := bytes.IndexByte(p.s[from:], '"')
		if n < 0 {
			return nil, false
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
			return nil, false
		case c >= 0x80:
			p.high = true
		}
	}
	return nil, false
}

// str reads a string, the short escapes included.
func (p *scanner) str() ([]byte, bool) {
	from := p.i
	if s, ok := p.plain(); ok {
		return s, true
	}
	if p.i >= len(p.s) || p.s[p.i] != '\\' {
		return nil, false
	}
	b := make([]byte, 0, 2*(p.i-from)+32)
	b = append(b, p.s[from+1:p.i]...)
	for ; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == '"':
			p.i++
			return b, true
		case c < 0x20:
			return nil, false
		case c >= 0x80:
			p.high = true
		case c == '\\':
			p.i++
			if p.i == len(p.s) {
				return nil, false
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
				return nil, false
			}
		}
		b = append(b, c)
	}
	return nil, false
}

// number reads a number's text and whether it is a whole literal.
func (p *scanner) number() (text []byte, whole, ok bool) {
	from := p.i
	p.byte('-')
	if !p.byte('0') && !p.digits() {
		return nil, false, false
	}
	whole = true
	if p.byte('.') {
		whole = false
		if !p.digits() {
			return nil, false, false
		}
	}
	if p.byte('e') || p.byte('E') {
		whole = false
		if !p.byte('+') {
			p.byte('-')
		}
		if !p.digits() {
			return nil, false, false
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
	if v, ok := short(text); ok {
		return v, true
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// short reads a number of at most 15 digits without a sign or an exponent. Such
// a number is a quotient of two whole numbers that float64 holds exactly, so
// that the division rounds as it should.
func short(text []byte) (float64, bool) {
	if len(text) > 16 {
		return 0, false
	}
	var digits uint64
	scale, after := 1.0, false
	for _, c := range text {
		switch {
		case c-'0' <= 9:
			digits = 10*digits + uint64(c-'0')
			if after {
				scale *= 10
			}
		case c == '.':
			after = true
		default:
			return 0, false
		}
	}
	if digits >= 1e15 {
		return 0, false
	}
	return float64(digits) / scale, true
}

func (p *scanner) integer() (int64, bool) {
	text, whole, ok := p.number()
	if !ok || !whole {
		return 0, false
	}
	if v, ok := short(text); ok {
		return int64(v), true
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	return v, err == nil
}

// value reads the value of key into l.
func (p *scanner) value(key []byte, l *line) bool {
	f := keyIndex(key)
	if f < 0 {
		return p.extra(string(key), l)
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
		text, whole, ok := p.number()
		l.text[f] = p.memo.field(f, text)
		return ok && whole
	case f >= fOutput && f < nText:
		l.raw[f-fOutput], ok = p.str()
	case f < nText:
		var text []byte
		text, ok = p.str()
		l.text[f] = p.memo.field(f, text)
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
			l.units = append(l.units, pair{name, p.memo.name(v)})
			return ok
		})
	case f == fNotes:
		ok = p.list(func() bool {
			v, ok := p.str()
			l.notes = append(l.notes, string(v))
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
		if !read(p.memo.name(name)) {
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

func (p *scanner) keep(key string, raw []byte, l *line) bool {
	raw = bytes.TrimRight(raw, " \t\r")
	if !json.Valid(raw) {
		return false
	}
	l.extra = append(l.extra, pair{key, string(raw)})
	return true
}
