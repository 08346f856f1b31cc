package evaltest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/capeval/capeval/internal/content"
)

const coarsePrefix = "coarse:"

// contentDigest returns the digest of a task's content: of what Content
// declares, else of the declaring source file, which is coarse: it changes with
// every other task of the file.
func contentDigest(c *contentDecorator, at types.CodeLocation) (d string, coarse bool, err error) {
	if c != nil {
		if c.digest != "" {
			return c.digest, false, nil
		}
		canonical, err := content.Canonical(c.value)
		if err != nil {
			return "", false, fmt.Errorf("Content: %w", err)
		}
		return content.Digest(canonical), false, nil
	}
	sum, err := sourceDigest(at.FileName)
	if err != nil {
		return "", true, nil // a binary away from its source: nothing to tell tasks by
	}
	return coarsePrefix + sum, true, nil
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
	d := content.Digest(data)
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
