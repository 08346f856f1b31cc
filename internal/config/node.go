package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// position returns where n begins. The parser says of a block mapping where its
// first colon stands, so the first key is taken instead.
func position(n ast.Node) *token.Position {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return position(m.Values[0].Key)
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return &token.Position{Line: 1, Column: 1}
	}
	return n.GetToken().Position
}

func isNull(n ast.Node) bool {
	_, null := n.(*ast.NullNode)
	return null || n == nil
}

// keyOf returns the text of a key; ok is false for a merge key, a complex key,
// an anchor, a tag, an alias and null.
func keyOf(k ast.MapKeyNode) (text string, pos *token.Position, ok bool) {
	switch n := k.(type) {
	case *ast.StringNode:
		return n.Value, position(n), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, position(n), true
	}
	return "", position(k), false
}

// plain returns the text of a scalar as it was written, and its form; ok is
// false for what is not a text or a number.
func plain(n ast.Node) (string, form, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		// The parser hands out a number too large for 64 bits as text.
		if n.GetToken().Type == token.StringType && wholeNumber.MatchString(n.Value) {
			return n.Value, formInt, true
		}
		return n.Value, formText, true
	case *ast.LiteralNode:
		return n.Value.Value, formText, true
	case *ast.IntegerNode:
		return n.GetToken().Value, formInt, true
	case *ast.FloatNode:
		return n.GetToken().Value, formFloat, true
	}
	return "", 0, false
}

// describe says what n is, for messages.
func describe(n ast.Node) string {
	if text, f, ok := plain(n); ok {
		return foundScalar(text, f)
	}
	switch n := n.(type) {
	case *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode:
		return "an anchor (anchors are not supported)"
	case *ast.AliasNode:
		return "an alias (aliases are not supported)"
	case *ast.TagNode:
		return "a tag (tags are not supported)"
	case *ast.MergeKeyNode:
		return "a merge key"
	case *ast.MappingKeyNode:
		return "a complex key"
	}
	return "null"
}

// foundScalar shows a text quoted and a number as it was written.
func foundScalar(text string, f form) string {
	if f == formText {
		return "the text " + shown(text)
	}
	return strings.Trim(shown(text), `"`)
}

// meant suggests the known key that an unknown one was probably meant to be.
func meant(key string, known []string) string {
	squeeze := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s))
	}
	for _, k := range known {
		if squeeze(k) == squeeze(key) {
			return "; did you mean " + k + "?"
		}
	}
	return ""
}
