package agentexec

import (
	"fmt"
	"sync"
)

// capture keeps the first and the last half of what is written to it, in bounded
// memory, and takes everything: a writer is never blocked and never fails.
type capture struct {
	mu    sync.Mutex
	half  int
	head  []byte
	tail  []byte // a ring of half bytes once full
	next  int    // where the ring is written next
	total int64
}

// newCapture returns a capture that keeps at most limit bytes; limit is at
// least 2.
func newCapture(limit int) *capture { return &capture{half: max(limit/2, 1)} }

// Write takes all of p.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	if room := c.half - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head = append(c.head, p[:take]...)
		p = p[take:]
	}
	if len(p) > c.half {
		p = p[len(p)-c.half:]
	}
	if room := c.half - len(c.tail); room > 0 {
		take := min(room, len(p))
		c.tail = append(c.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		c.next = (c.next + k) % c.half
		p = p[k:]
	}
	return n, nil
}

// text returns what was kept, with a line between the halves where bytes are
// missing, and the number of missing bytes.
func (c *capture) text() (string, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := string(c.tail[c.next:]) + string(c.tail[:c.next])
	cut := c.total - int64(len(c.head)) - int64(len(tail))
	if cut == 0 {
		return string(c.head) + tail, 0
	}
	return fmt.Sprintf("%s\n[%d bytes cut]\n%s", c.head, cut, tail), cut
}
