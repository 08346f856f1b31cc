package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// chunkSize is how much of a file is read at once; a longer line makes its
// chunk longer.
const chunkSize = 256 << 10

// Torn is the error for a last line that was cut while it was written: it has
// no line end and its object is not whole. What it would have said is not
// known, so its cell counts as not started. Everything before it is sound.
type Torn struct {
	File string
	Line int
	Size int // bytes of the line that are there
}

// Error says where the line is and what may be done.
func (t *Torn) Error() string {
	return fmt.Sprintf("%s:%d: found a last line of %d bytes that was cut while it was written, need a whole line: run the cell again", t.File, t.Line, t.Size)
}

// Line is one line of a file: a trial, or the mark of a start.
type Line struct {
	No    int    // counts from 1; empty lines count
	Trial Trial  // its zero value when Start is there
	Start *Start // nil for a trial
}

// Reader reads trials and start marks one by one, in order.
//
// It tolerates a byte order mark, CRLF and empty lines. A line without a trial
// number takes the next one of its suite, split, arm and task, counting from 0
// in this file; a file in which some lines have a number and others have none
// is refused. A line without a seed has the seed of base seed 0: its trial
// number. An error other than io.EOF and *Torn is final.
type Reader struct {
	in    *lines
	names map[string]string
}

// NewReader returns a Reader over r. The name stands in messages.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{in: newLines(r, name), names: map[string]string{}}
}

// Next returns the next line. At the end it returns io.EOF; a torn last line
// is a *Torn, once, and then io.EOF.
func (r *Reader) Next() (Line, error) {
	l, err := r.in.next()
	if err != nil {
		return Line{}, err
	}
	if l.start {
		s := l.toStart(r.keep)
		return Line{No: l.no, Start: &s}, nil
	}
	return Line{No: l.no, Trial: l.toTrial(r.keep)}, nil
}

// keep returns s, or an equal name that was kept before.
func (r *Reader) keep(s string) string {
	if s == "" {
		return ""
	}
	if k, ok := r.names[s]; ok {
		return k
	}
	if len(r.names) >= 1<<16 {
		clear(r.names)
	}
	r.names[s] = s
	return s
}

// ReadTrials reads every trial of r. A start mark whose trial is not there
// becomes a trial that is missing, interrupted; these come last, and one that
// names no suite takes the suite, split and arm of the first trial. When the
// last line is torn, the trials before it are returned together with a *Torn.
// With any other error there are no trials.
func ReadTrials(r io.Reader, name string) ([]Trial, error) {
	trials, starts, err := ReadJournal(r, name)
	var torn *Torn
	if err != nil && !errors.As(err, &torn) {
		return nil, err
	}
	key := Key{DefaultSuite, DefaultSplit, DefaultArm}
	if len(trials) > 0 {
		key = trials[0].Key()
	}
	type attempt struct {
		key            Key
		task           string
		trial, attempt int
	}
	ended := map[attempt]bool{}
	if len(starts) > 0 {
		for _, t := range trials {
			ended[attempt{t.Key(), t.Task, t.Trial, t.Attempt}] = true
		}
	}
	for _, s := range starts {
		s.under(key)
		a := attempt{Key{s.Suite, s.Split, s.Arm}, s.Task, s.Trial, s.Attempt}
		if !ended[a] {
			ended[a] = true
			trials = append(trials, s.interrupted())
		}
	}
	return trials, err
}

// ReadJournal reads every trial and every start mark of r, each in order. When
// the last line is torn, what stands before it is returned together with a
// *Torn. With any other error there is nothing.
func ReadJournal(r io.Reader, name string) ([]Trial, []Start, error) {
	var trials []Trial
	var starts []Start
	in := NewReader(r, name)
	size := sizeOf(r)
	var torn *Torn
	for {
		l, err := in.Next()
		switch {
		case err == io.EOF:
			if torn != nil {
				return trials, starts, torn
			}
			return trials, starts, nil
		case errors.As(err, &torn):
		case err != nil:
			return nil, nil, err
		case l.Start != nil:
			if len(starts) == cap(starts) {
				starts = slices.Grow(starts, in.in.room(size, len(starts), len(trials)))
			}
			starts = append(starts, *l.Start)
		default:
			if len(trials) == cap(trials) {
				trials = slices.Grow(trials, in.in.room(size, len(trials), len(starts)))
			}
			trials = append(trials, l.Trial)
		}
	}
}

// sizeOf returns how many bytes a file holds, 0 where r is none.
func sizeOf(r io.Reader) int64 {
	f, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// room returns how many more rows of a kind to make room for, when there are n
// of them and so many others. Rows are large, and append's small steps would
// copy them many times over: they double, or come to what the lines at hand
// promise of a file of that size.
func (in *lines) room(size int64, n, others int) int {
	const few = 64
	if n < few {
		return few
	}
	if c := in.ready.chunks[min(in.chunk, len(in.ready.chunks)-1)]; c.n > 0 {
		all := float64(size) * float64(c.n) / float64(len(c.buf))
		if more := int(1.05*all*float64(n)/float64(n+others)) - n; more > n/8 && more < 1<<20 {
			return more
		}
	}
	return n
}

// lines cuts a file into parsed lines. While one group of chunks is being
// delivered, the next is parsed; the file itself is read in calls of next only.
type lines struct {
	r       io.Reader
	name    string
	carry   []byte // the unfinished line at the end of the last chunk
	lineNo  int    // lines in the chunks read so far
	eof     bool
	err     error // final
	ready   *group
	ahead   *group
	chunk   int // the chunk of ready that is being delivered
	at      int // its next line
	counted countState
	first   int // the line that settled whether trials are numbered
	counts  map[cellName]int64
}

// group is the chunks that are parsed at once.
type group struct {
	chunks []*chunk
	parsed sync.WaitGroup
	err    error // what stopped reading after the last chunk
}

type countState uint8

const (
	countUnknown countState = iota
	countGiven
	countOurs
)

type cellName struct {
	Key
	task string
}

type chunk struct {
	buf   []byte
	first int // number of its first line
	last  bool
	lines []line
	n     int
	torn  *Torn
	memo  memo
}

func newLines(r io.Reader, name string) *lines {
	in := &lines{r: r, name: name, counts: map[cellName]int64{}, ready: &group{}, ahead: &group{}}
	for _, g := range [...]*group{in.ready, in.ahead} {
		for range max(2, runtime.GOMAXPROCS(0)) {
			g.chunks = append(g.chunks, &chunk{})
		}
	}
	in.fill(in.ahead)
	in.turn()
	return in
}

// next returns the next line that says something. It stays valid until the
// next call.
func (in *lines) next() (*line, error) {
	for in.err == nil {
		if in.chunk == len(in.ready.chunks) {
			if in.err = in.ready.err; in.err == nil {
				in.turn()
			}
			continue
		}
		c := in.ready.chunks[in.chunk]
		if in.at < c.n {
			l := &c.lines[in.at]
			in.at++
			if l.err == nil {
				l.err = in.number(l)
			}
			if l.err != nil {
				in.err = fmt.Errorf("%s:%d: %w", in.name, l.no, l.err)
				break
			}
			return l, nil
		}
		if torn := c.torn; torn != nil {
			c.torn = nil
			return nil, torn
		}
		if c.last {
			in.err = io.EOF
			break
		}
		in.chunk++
		in.at = 0
	}
	return nil, in.err
}

// number gives a line without a trial number the next one.
func (in *lines) number(l *line) error {
	state := countGiven
	if !l.has(fTrial) {
		state = countOurs
	}
	if in.counted == countUnknown {
		in.counted, in.first = state, l.no
	}
	if state != in.counted {
		if state == countOurs {
			return fmt.Errorf("found no trial, but line %d has one: need \"trial\" on every line or on none", in.first)
		}
		return fmt.Errorf("found trial %d, but line %d has none: need \"trial\" on every line or on none", l.trial, in.first)
	}
	if state == countOurs {
		k := cellName{Key{l.text[fSuite], splitOf(l.text[fSplit]), l.text[fArm]}, l.text[fTask]}
		n, ok := in.counts[k]
		if !ok {
			k = cellName{Key{strings.Clone(k.Suite), k.Split, strings.Clone(k.Arm)}, strings.Clone(k.task)}
		}
		if n > maxTrial {
			return fmt.Errorf("found more than %d trials of task %q", maxTrial+1, clip(k.task))
		}
		l.trial = n
		in.counts[k] = n + 1
	}
	if !l.has(fSeed) {
		l.seed = l.trial
	}
	return nil
}

// turn takes the group that was parsed ahead and starts the next.
func (in *lines) turn() {
	in.ready, in.ahead = in.ahead, in.ready
	in.chunk, in.at = 0, 0
	in.ready.parsed.Wait()
	in.fill(in.ahead)
}

// fill reads the next chunks and starts to parse them.
func (in *lines) fill(g *group) {
	g.err = nil
	for _, c := range g.chunks {
		c.n, c.torn, c.last, c.buf = 0, nil, false, c.buf[:0]
		if in.eof || g.err != nil {
			c.last = g.err == nil
			continue
		}
		if err := in.read(c); err != nil {
			g.err = fmt.Errorf("%s: %w", in.name, err)
			continue
		}
		g.parsed.Go(func() { c.parse(in.name) })
	}
}

// read fills c with whole lines, or with what is left at the end.
func (in *lines) read(c *chunk) error {
	c.buf = append(c.buf[:0], in.carry...)
	in.carry = in.carry[:0]
	c.first = in.lineNo + 1
	for cut := -1; cut < 0 && !in.eof; {
		old := len(c.buf)
		c.buf = grow(c.buf, chunkSize)
		n, err := io.ReadFull(in.r, c.buf[old:old+chunkSize])
		c.buf = c.buf[:old+n]
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			in.eof = true
		default:
			return err
		}
		if c.first == 1 && old == 0 {
			c.buf = bytes.TrimPrefix(c.buf, []byte("\ufeff"))
		}
		if cut = bytes.LastIndexByte(c.buf, '\n'); cut >= 0 && !in.eof {
			in.carry = append(in.carry, c.buf[cut+1:]...)
			c.buf = c.buf[:cut+1]
		}
	}
	c.last = in.eof
	in.lineNo += bytes.Count(c.buf, []byte{'\n'})
	return nil
}

// grow makes room for n more bytes.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(make([]byte, 0, 2*len(b)+n), b...)
}

// parse turns the text into lines. It stops at the first wrong one.
func (c *chunk) parse(name string) {
	rest := c.buf
	for no := c.first; len(rest) > 0; no++ {
		one, after, ended := bytes.Cut(rest, []byte{'\n'})
		rest = after
		one = bytes.TrimSuffix(one, []byte{'\r'})
		if !ended && c.last {
			one = bytes.TrimRight(one, "\x00") // a crash may leave zeros after the last write
			if len(one) == 0 && c.buf[len(c.buf)-1] == 0 {
				c.torn = &Torn{File: name, Line: no}
				return
			}
		}
		if len(bytes.TrimLeft(one, " \t")) == 0 {
			continue
		}
		if c.n == len(c.lines) {
			c.lines = append(c.lines, line{})
		}
		l := &c.lines[c.n]
		l.reset(no)
		if l.err = l.parse(one, &c.memo); l.err != nil && !ended && errors.Is(l.err, errCut) {
			c.torn = &Torn{File: name, Line: no, Size: len(one)}
			return
		}
		c.n++
		if l.err != nil {
			return
		}
		l.digest()
	}
}

// parse reads one line by the quick way or, when it is unusual, by the sure one.
func (l *line) parse(s []byte, m *memo) error {
	if scan(s, isPlain(s), l, m) && l.finish() == nil {
		return nil
	}
	l.reset(l.no)
	if err := decode(string(s), l); err != nil {
		return err
	}
	return l.finish()
}
