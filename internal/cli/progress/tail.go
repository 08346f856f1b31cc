package progress

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// tail reads the journals of a suite's folder as they grow.
type tail struct {
	dir   rundir.Dir
	files map[string]*position
}

// position is how far a journal was read, and the beginning of a line whose end
// was not there yet.
type position struct {
	offset int64
	rest   []byte
}

// newTail reads what is written from now on. What journals hold already is an
// earlier pass's.
func newTail(dir rundir.Dir) *tail {
	t := &tail{dir: dir, files: map[string]*position{}}
	for _, path := range t.journals() {
		if info, err := os.Stat(path); err == nil {
			t.files[path] = &position{offset: info.Size()}
		}
	}
	return t
}

func (t *tail) journals() []string {
	paths, _ := filepath.Glob(filepath.Join(escaped(t.dir.Path), "journal", "*.jsonl"))
	return paths
}

// escaped keeps Glob from reading a folder's name as a pattern.
func escaped(path string) string {
	var b bytes.Buffer
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// row is what a view of a trial needs.
type row struct {
	Schema  string        `json:"schema"`
	Task    string        `json:"task"`
	Attempt int           `json:"attempt"`
	Status  record.Status `json:"status"`
	Reward  *float64      `json:"reward"`
	Metrics struct {
		CostUSD float64 `json:"cost_usd"`
	} `json:"metrics"`
}

// next calls each with every trial that ended since the last call. Files that
// are gone and lines that cannot be read are passed over: this is only a view.
func (t *tail) next(each func(row)) {
	for _, path := range t.journals() {
		p := t.files[path]
		if p == nil {
			p = &position{}
			t.files[path] = p
		}
		data := p.read(path)
		for {
			line, rest, whole := bytes.Cut(data, []byte("\n"))
			if !whole {
				break
			}
			data = rest
			var r row
			if json.Unmarshal(line, &r) == nil && r.Schema == record.TrialSchema && r.Attempt > 0 {
				each(r)
			}
		}
		p.rest = bytes.Clone(data)
	}
}

// read returns the rest of the last reading and what was added since.
func (p *position) read(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return p.rest
	}
	defer f.Close()
	added, _ := io.ReadAll(io.NewSectionReader(f, p.offset, 1<<62))
	p.offset += int64(len(added))
	return append(p.rest, added...)
}
