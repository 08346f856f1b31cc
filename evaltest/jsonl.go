package evaltest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/internal/content"
	"github.com/capeval/capeval/record"
)

// loadProblems are those of files that were read while package variables were
// made, before there was a tree.
var loadProblems []problem

// TasksFrom declares one task for every line of a JSONL file. A line is an
// object with id, split and, if need be, cluster and trials; the rest are the
// user's fields, which the body gets as a T. The content digest is that of the
// line without id and split.
//
// The path is relative to the package. What is wrong with a line is reported as
// file:line before the first trial, and nothing runs. Lines of the test split
// are declared, counted and digested; their content is handed to nobody outside
// the finalize job.
func TasksFrom[T any](path string, body func(ginkgo.SpecContext, *Trial, T), args ...any) bool {
	at := location(args)
	rows, problems := readRows(path, mayRead(args))
	loadProblems = append(loadProblems, problems...)
	for _, row := range rows {
		var in T
		if row.data != nil {
			if err := json.Unmarshal(row.data, &in); err != nil {
				loadProblems = append(loadProblems, rowProblem(row.at, "found a row that is no %T: %v", in, err))
				continue
			}
		}
		decorators := append([]any{at, row.content, row.place}, args...)
		if row.split != "" {
			decorators = append(decorators, row.split)
		}
		if row.cluster != "" {
			decorators = append(decorators, Cluster(row.cluster))
		}
		if row.trials != nil {
			decorators = append(decorators, Trials(*row.trials))
		}
		if body == nil {
			loadProblems = append(loadProblems, rowProblem(row.at, "TasksFrom has a nil body"))
			return true
		}
		Task(row.id, append(decorators, func(ctx ginkgo.SpecContext, t *Trial) { body(ctx, t, in) })...)
	}
	return true
}

// row is one line of a task file.
type row struct {
	id      string
	split   record.Split
	cluster string
	trials  *int
	content contentDecorator
	place   rowDecorator
	at      string
	data    []byte // nil for a sealed row
}

// rowDecorator says where in a file a task stands.
type rowDecorator string

func rowProblem(at, format string, args ...any) problem {
	return problem{exit: exitUsage, code: "bad_row", text: at + ": " + fmt.Sprintf(format, args...)}
}

// readRows reads the rows of a file; may says whose content may be kept.
func readRows(path string, may func(record.Split) bool) ([]row, []problem) {
	f, err := os.Open(path)
	if err != nil {
		return nil, []problem{{exit: exitUsage, code: "no_tasks", text: fmt.Sprintf("TasksFrom: %v; need a JSONL file, its path relative to the package", err)}}
	}
	defer f.Close()
	var rows []row
	var problems []problem
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			at := fmt.Sprintf("%s:%d", path, n)
			if row, err := readRow(text, at, may); err != nil {
				problems = append(problems, rowProblem(at, "%v", err))
			} else {
				rows = append(rows, row)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, []problem{{exit: exitInfra, code: "no_tasks", text: fmt.Sprintf("%s: %v", path, err)}}
		}
	}
	if len(rows)+len(problems) == 0 {
		problems = append(problems, problem{exit: exitUsage, code: "no_tasks", text: fmt.Sprintf("%s: found no row, need one task a line", path)})
	}
	return rows, problems
}

func readRow(text []byte, at string, may func(record.Split) bool) (row, error) {
	fields, err := object(text)
	if err != nil {
		return row{}, err
	}
	r := row{at: at, place: rowDecorator(at), data: text}
	raw, ok := fields["id"]
	if !ok {
		return row{}, fmt.Errorf("found a row without an id, need a unique name")
	}
	if r.id, err = rowID(raw); err != nil {
		return row{}, err
	}
	if raw, ok := fields["split"]; ok {
		var split string
		if err := json.Unmarshal(raw, &split); err != nil || !record.Split(split).Valid() {
			return row{}, fmt.Errorf("found split %s, need train, val or test", raw)
		}
		r.split = record.Split(split)
	}
	if raw, ok := fields["cluster"]; ok {
		if err := json.Unmarshal(raw, &r.cluster); err != nil {
			return row{}, fmt.Errorf("found cluster %s, need a string", raw)
		}
	}
	if raw, ok := fields["trials"]; ok {
		if err := json.Unmarshal(raw, &r.trials); err != nil {
			return row{}, fmt.Errorf("found trials %s, need a whole number", raw)
		}
	}
	delete(fields, "id")
	delete(fields, "split")
	canonical, err := content.Canonical(fields)
	if err != nil {
		return row{}, err
	}
	r.content = contentDecorator{digest: content.Digest(canonical)}
	if !may(r.split) {
		r.data = nil
	}
	return r, nil
}

func rowID(raw json.RawMessage) (string, error) {
	var id string
	null := string(raw) == "null" // which any type takes
	if !null && json.Unmarshal(raw, &id) == nil {
		return id, nil
	}
	var n json.Number
	if !null && json.Unmarshal(raw, &n) == nil && !strings.ContainsAny(n.String(), ".eE") {
		return n.String(), nil
	}
	return "", fmt.Errorf("found id %s, need a string", raw)
}

// object reads one JSON object and refuses a repeated key and trailing text.
func object(text []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("found no JSON object: %v", err)
	}
	if open != json.Delim('{') {
		return nil, fmt.Errorf("found %v, need a JSON object", open)
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("found broken JSON: %v", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("found broken JSON at key %q: %v", key, err)
		}
		name := key.(string)
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("found key %q twice", name)
		}
		fields[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("found broken JSON: %v", err)
	}
	if rest, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("found %v after the object, need one object a line", rest)
	}
	return fields, nil
}
