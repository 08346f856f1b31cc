package gitstore

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"runtime"
	"strconv"
	"sync"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// object returns the name that git gives to an object, in the format whose names
// have n hexadecimal digits.
func object(n int, kind string, data []byte) []byte {
	h := newHash(n)
	h.Write([]byte(kind + " " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return h.Sum(nil)
}

// newHash returns the hash whose sum has n hexadecimal digits.
func newHash(n int) hash.Hash {
	if n == 2*sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}

// flatten returns the content of the tree r of the records whose blobs are given,
// and where in it each record ends: the tree of fewer records is its beginning.
func flatten(blobs []string) (flat []byte, ends []int, err error) {
	ends = make([]int, len(blobs))
	for i, b := range blobs {
		id, err := hex.DecodeString(b)
		if err != nil || len(b) != len(blobs[0]) {
			return nil, nil, fmt.Errorf("gitstore: found the object name %q", b)
		}
		flat = append(flat, "100644 "+ledger.FileName(i+1)+"\x00"...)
		flat = append(flat, id...)
		ends[i] = len(flat)
	}
	return flat, ends, nil
}

// root returns the content of the tree of a commit whose tree r is named id.
func root(id []byte) []byte { return append([]byte("40000 r\x00"), id...) }

// trees returns, for each i, the name of the tree that holds exactly the records
// up to blobs[i]: what commit i must have. known begins with those of an earlier
// call for the same beginning of blobs.
//
// Asking git for the difference of each commit reads every tree as well, and
// takes it apart; a name that must be right proves the same in a third of the
// time, and does so on all processors.
func trees(blobs, known []string) ([]string, error) {
	if len(blobs) == 0 {
		return nil, nil
	}
	digits := len(blobs[0])
	flat, ends, err := flatten(blobs)
	if err != nil {
		return nil, err
	}
	roots := make([]string, len(blobs))
	n := copy(roots, known)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := n + w; i < len(blobs); i += workers {
				r := object(digits, "tree", flat[:ends[i]])
				roots[i] = hex.EncodeToString(object(digits, "tree", root(r)))
			}
		})
	}
	wg.Wait()
	return roots, nil
}
