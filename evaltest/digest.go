package evaltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"github.com/onsi/ginkgo/v2/types"
)

const coarsePrefix = "coarse:"

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// contentDigest returns the digest of a task's content: of what Content
// declares, else of the declaring source file, which is coarse: it changes with
// every other task of the file.
func contentDigest(c *contentDecorator, at types.CodeLocation) (d string, coarse bool, err error) {
	if c != nil {
		if c.digest != "" {
			return c.digest, false, nil
		}
		canonical, err := canonicalJSON(c.value)
		if err != nil {
			return "", false, fmt.Errorf("Content: %w", err)
		}
		return digest(canonical), false, nil
	}
	sum, err := sourceDigest(at.FileName)
	if err != nil {
		return "", true, nil // a binary away from its source: nothing to tell tasks by
	}
	return coarsePrefix + sum, true, nil
}

// canonicalJSON returns v as JSON with sorted keys, numbers in their shortest
// form and no spare space, so that equal contents have equal bytes.
func canonicalJSON(v any) ([]byte, error) {
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

var sourceDigests sync.Map // file name -> digest

func sourceDigest(file string) (string, error) {
	if d, ok := sourceDigests.Load(file); ok {
		return d.(string), nil
	}
	data, err := os.ReadFile(file)
	if err != nil { // built with -trimpath: the tests run in their own folder
		data, err = os.ReadFile(filepath.Base(file))
	}
	if err != nil {
		return "", err
	}
	d := digest(data)
	sourceDigests.Store(file, d)
	return d, nil
}

// scorerDigest is the digest of the suite package's test files: what scores.
func scorerDigest() (string, error) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		return "", err
	}
	sort.Strings(files)
	h := sha256.New()
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %d\n", f, len(data))
		h.Write(data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
