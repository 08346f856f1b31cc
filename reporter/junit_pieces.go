package reporter

import "io"

// pieces holds a file in pieces, so that it need not move while it grows, and
// hands on every piece that is full to a reader beside the writer.
type pieces struct {
	list [][]byte
	size int
	full chan []byte
}

const pieceSize = 256 << 10

func newPieces() *pieces { return &pieces{full: make(chan []byte, 64)} }

func (p *pieces) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		last := len(p.list) - 1
		if last < 0 || len(p.list[last]) == cap(p.list[last]) {
			if last >= 0 {
				p.full <- p.list[last]
			}
			p.list = append(p.list, make([]byte, 0, pieceSize))
			last++
		}
		n := min(len(rest), cap(p.list[last])-len(p.list[last]))
		p.list[last] = append(p.list[last], rest[:n]...)
		rest = rest[n:]
	}
	p.size += len(b)
	return len(b), nil
}

// end hands on the last piece.
func (p *pieces) end() {
	if last := len(p.list) - 1; last >= 0 {
		p.full <- p.list[last]
	}
	close(p.full)
}

// pieceReader reads the pieces that come.
type pieceReader struct {
	full <-chan []byte
	rest []byte
}

func (r *pieceReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		piece, ok := <-r.full
		if !ok {
			return 0, io.EOF
		}
		r.rest = piece
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
