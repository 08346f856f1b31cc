package record

import "strings"

// row is one record in the summariser. It holds no pointers, so that a million
// of them cost the garbage collector nothing.
type row struct {
	seed             int64
	reward           float64
	next             int32 // the task's row before this one, plus 1
	trial, attempt   int32
	line             int32
	digest, feedback uint32 // codes in their texts
	hash             uint32
	file             uint16
	cause            uint8
	flags            uint8
}

// costs are what a record adds to the totals.
type costs struct{ seconds, usd, tokens total }

func (c *costs) add(l late) {
	c.seconds.add(l.seconds)
	c.usd.add(l.usd)
	c.tokens.add(l.tokens)
}

// late is the cost of a row that came after one of the same or a later trial
// of its task. Only such a row can repeat another, which is known at the end.
type late struct {
	row                  int
	seconds, usd, tokens float64
}

const (
	rowScored = 1 << iota
	rowOpen   // a start mark
	rowNoted
	rowCached
	rowAgain // says what another row says
)

func (r *row) is(flag uint8) bool { return r.flags&flag != 0 }

const blockSize = 4096

// blocks is a list that grows without moving.
type blocks[T any] struct {
	list []*[blockSize]T
	n    int
}

// add appends a zero value and returns it with its place.
func (b *blocks[T]) add() (*T, int) {
	if b.n%blockSize == 0 {
		b.list = append(b.list, new([blockSize]T))
	}
	b.n++
	return b.at(b.n - 1), b.n - 1
}

func (b *blocks[T]) at(i int) *T { return &b.list[i/blockSize][i%blockSize] }

// digests keeps digests by a code. Those of the usual width lie end to end in
// blocks of text and need no header of their own.
type digests struct {
	blocks []*strings.Builder
	n      uint32
	odd    texts
}

const (
	digestWidth     = len("sha256:") + 64
	digestsPerBlock = 4096
	digestOdd       = 1 << 31
)

// of adds the output digest of a line.
func (d *digests) of(l *line) uint32 {
	if b := l.raw[0]; len(b) == digestWidth {
		d.block().Write(b)
		return d.n - 1
	}
	l.own()
	s := l.text[fOutput]
	if len(s) != digestWidth {
		return d.odd.add(s) | digestOdd
	}
	d.block().WriteString(s)
	return d.n - 1
}

// block returns where the next digest goes, and counts it.
func (d *digests) block() *strings.Builder {
	if d.n%digestsPerBlock == 0 {
		b := &strings.Builder{}
		b.Grow(digestsPerBlock * digestWidth)
		d.blocks = append(d.blocks, b)
	}
	d.n++
	return d.blocks[(d.n-1)/digestsPerBlock]
}

func (d *digests) at(code uint32) string {
	if code&digestOdd != 0 {
		return d.odd.at(code &^ digestOdd)
	}
	i := int(code%digestsPerBlock) * digestWidth
	return d.blocks[code/digestsPerBlock].String()[i : i+digestWidth]
}

// texts keeps texts by a code, equal ones once as long as there are not too
// many different ones. "" is 0.
type texts struct {
	list  []string
	codes map[string]uint32
}

const maxShared = 1 << 16

func (t *texts) add(s string) uint32 {
	if s == "" {
		return 0
	}
	if code, ok := t.codes[s]; ok {
		return code
	}
	s = strings.Clone(s)
	t.list = append(t.list, s)
	code := uint32(len(t.list))
	if t.codes == nil {
		t.codes = map[string]uint32{}
	}
	if len(t.codes) < maxShared {
		t.codes[s] = code
	}
	return code
}

func (t *texts) at(code uint32) string {
	if code == 0 {
		return ""
	}
	return t.list[code-1]
}
