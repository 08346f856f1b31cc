package config

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	yaml "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Error is a mistake in capeval.yaml. Lines and columns count from 1; columns
// count characters.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error returns file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// source is the file that is being read, with the mistakes found so far.
// The tree is walked by hand, since decoding into a struct stops at the first
// unknown key, turns 3.5 into 3, and forgets where a value stood.
type source struct {
	name string
	errs []*Error
}

// failf adds a mistake at pos.
func (s *source) failf(pos *token.Position, format string, args ...any) {
	e := &Error{File: s.name, Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
	if pos != nil {
		e.Line, e.Column = pos.Line, pos.Column
	}
	s.errs = append(s.errs, e)
}

// err returns the mistakes in order of position, or nil.
func (s *source) err() error {
	slices.SortStableFunc(s.errs, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	var errs []error
	for _, e := range s.errs {
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// origin names the place of a value by the file's base name.
func (s *source) origin(n ast.Node) string {
	pos := position(n)
	return fmt.Sprintf("%s:%d:%d", path.Base(s.name), pos.Line, pos.Column)
}

// document parses data and returns its one value, nil when it holds none or
// cannot be parsed.
func (s *source) document(data []byte) (root ast.Node) {
	// The parser is not ours; a panic in it is a file that cannot be read.
	defer func() {
		if r := recover(); r != nil {
			root = nil
			s.failf(nil, "cannot be parsed as YAML: %v", r)
		}
	}()
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	var at yaml.Error
	switch {
	case errors.As(err, &at):
		s.failf(at.GetToken().Position, "cannot be parsed as YAML: %s", at.GetMessage())
		return nil
	case err != nil:
		s.failf(nil, "cannot be parsed as YAML: %v", err)
		return nil
	}
	var bodies []ast.Node
	for _, d := range f.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	if len(bodies) > 1 {
		s.failf(position(bodies[1]), "found a second document, need one")
	}
	if len(bodies) == 0 {
		return nil
	}
	return bodies[0]
}

// object is a mapping whose keys were checked.
type object struct {
	s    *source
	pos  *token.Position
	keys []string // in the order of the file
	at   map[string]entry
}

// entry is one key of a mapping and its value.
type entry struct {
	pos   *token.Position
	value ast.Node
}

// object reads n as a mapping with the known keys, or with any keys when none
// are given. A null is an empty mapping. path names n in messages, "" for the
// whole file.
func (s *source) object(n ast.Node, path string, known ...string) object {
	o := object{s: s, pos: position(n), at: map[string]entry{}}
	m, ok := n.(*ast.MappingNode)
	if !ok {
		if !isNull(n) {
			s.failf(o.pos, "found %s for %s, need a mapping", describe(n), named(path))
		}
		return o
	}
	for _, v := range m.Values {
		key, pos, ok := keyOf(v.Key)
		first, repeated := o.at[key]
		switch {
		case !ok:
			s.failf(pos, "found %s as a key in %s, need a plain key", describe(v.Key), named(path))
		case len(known) == 0 && strings.TrimSpace(key) == "":
			s.failf(pos, "found the key %s in %s, need a name", shown(key), path)
		case len(known) > 0 && !slices.Contains(known, key):
			s.failf(pos, "found the unknown key %s in %s, need one of %s%s", shown(key), named(path), oneOfNeed(known), meant(key, known))
		case repeated:
			s.failf(pos, "found the key %s in %s again, need it once: it stands at %d:%d", shown(key), named(path), first.pos.Line, first.pos.Column)
		default:
			o.keys = append(o.keys, key)
			o.at[key] = entry{pos, v.Value}
		}
	}
	return o
}

// get returns the value of key, nil when it is absent or null.
func (o object) get(key string) ast.Node {
	if e, ok := o.at[key]; ok && !isNull(e.value) {
		return e.value
	}
	return nil
}

// list reads n as a sequence.
func (s *source) list(n ast.Node, path string) []ast.Node {
	q, ok := n.(*ast.SequenceNode)
	if !ok {
		s.failf(position(n), "found %s for %s, need a list", describe(n), path)
		return nil
	}
	return q.Values
}

// scalar reads n as a value of kind k.
func scalar[T any](s *source, n ast.Node, path string, k kind[T]) (T, bool) {
	var none T
	written, f, ok := plain(n)
	if ok && f&k.forms != 0 {
		if v, ok := k.parse(written); ok {
			return v, true
		}
		s.failf(position(n), "found %s for %s, need %s", foundScalar(written, f), path, k.need)
		return none, false
	}
	s.failf(position(n), "found %s for %s, need %s", describe(n), path, k.need)
	return none, false
}

// set reads key of o into v, and leaves v alone when the key is absent or null.
func set[T any](o object, path, key string, k kind[T], v *Value[T]) {
	n := o.get(key)
	if n == nil {
		return
	}
	if got, ok := scalar(o.s, n, join(path, key), k); ok {
		*v = v.Over(got, LayerFile, o.s.origin(n))
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func named(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}
