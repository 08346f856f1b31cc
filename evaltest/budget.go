package evaltest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/capeval/capeval/internal/durable"
)

// budget is what all processes of a run may spend together. Each adds what its
// trials cost to one file, a number a line.
type budget struct {
	limit float64
	file  *os.File
	out   *durable.Appender
	seen  float64
	rest  []byte // the beginning of a line whose end was not there yet
}

func openBudget(path string, limit float64) (*budget, error) {
	out, err := durable.OpenAppender(path)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &budget{limit: limit, file: file, out: out}, nil
}

func (b *budget) add(usd float64) error {
	if usd == 0 {
		return nil
	}
	_, err := b.out.Write(strconv.AppendFloat(nil, usd, 'g', -1, 64))
	return err
}

// total reads on from where it was. It is not safe for concurrent use.
func (b *budget) total() (float64, error) {
	data, err := io.ReadAll(b.file)
	if err != nil {
		return 0, err
	}
	b.rest = append(b.rest, data...)
	for {
		line, rest, ok := bytes.Cut(b.rest, []byte("\n"))
		if !ok {
			return b.seen, nil
		}
		b.rest = rest
		usd, err := strconv.ParseFloat(string(line), 64)
		if err != nil {
			return 0, fmt.Errorf("%s: found %q, need a sum", b.file.Name(), line)
		}
		b.seen += usd
	}
}
