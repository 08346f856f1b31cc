// Package content names what a task holds by a digest, so that equal tasks are
// known as equal wherever they are read.
//
//	data, err := content.Canonical(map[string]any{"prompt": "refund", "limit": 3.0})
//	name := content.Digest(data)
//
// It promises that equal JSON values have equal bytes, in any order of their keys
// and with any spelling of their numbers. It reads no file.
package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest returns "sha256:" and the hexadecimal digest of data.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Canonical returns v as JSON with sorted keys, numbers in their shortest form
// where that loses nothing, and no spare space. What JSON cannot hold is an error.
func Canonical(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var generic any
	if err := dec.Decode(&generic); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(shortNumbers(generic)); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// shortNumbers replaces every number by a float64, which is written in its
// shortest form, where that loses nothing.
func shortNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = shortNumbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = shortNumbers(e)
		}
	case json.Number:
		const exact = 1 << 53
		if n, err := v.Int64(); err == nil && (n > exact || n < -exact) {
			return v
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return v
}
