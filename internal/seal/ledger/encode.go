package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxBytes is the largest record that is written or read: room for some 80,000
// tasks.
const MaxBytes = 8 << 20

// Encode returns the canonical bytes of r: JSON with sorted keys, no spare space,
// absent fields left out, and one newline at the end. A record that lacks what
// its kind needs, or holds what it must not, is an error.
func Encode(r Record) ([]byte, error) {
	data, err := marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := Decode(data); err != nil { // also text that JSON cannot hold
		return nil, err
	}
	return data, nil
}

// Decode reads the bytes of one record, and nothing that [Encode] would not have
// written: an unknown key or kind, a repeated key, other spacing, a missing
// field or too many bytes are errors that say what was found.
func Decode(data []byte) (Record, error) {
	var r Record
	if len(data) > MaxBytes {
		return r, fmt.Errorf("found %d bytes, need at most %d", len(data), MaxBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&r)
	if v := version(data); v != 0 && v != Version {
		return r, fmt.Errorf("found format version %d, need %d: it was written by another version of capeval", v, Version)
	}
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return r, fmt.Errorf("found %d bytes that end in the middle of the record", len(data))
	case err != nil:
		return r, fmt.Errorf("found %w", err)
	}
	want, err := marshal(r)
	if err != nil {
		return r, err
	}
	if i, differ := difference(data, want); differ {
		return r, fmt.Errorf("found other bytes than the canonical JSON of its content, from byte %d: %.40q, need %.40q", i, data[i:], want[i:])
	}
	return r, r.check()
}

// Digest returns "sha256:" and the hexadecimal digest of data, as `prev` and the
// other digests of a record have it.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return digestPrefix + hex.EncodeToString(sum[:])
}

const digestPrefix = "sha256:"

func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// version returns the format version of data, 0 where none can be read.
func version(data []byte) int {
	if bytes.HasSuffix(data, []byte(`,"v":1}`+"\n")) {
		return Version // as written, without a second reading
	}
	var r struct{ V int }
	if json.NewDecoder(bytes.NewReader(data)).Decode(&r) != nil {
		return 0
	}
	return r.V
}

// difference returns the first byte at which a and b differ.
func difference(a, b []byte) (int, bool) {
	if bytes.Equal(a, b) {
		return 0, false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i, true
}
