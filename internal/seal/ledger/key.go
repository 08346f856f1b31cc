package ledger

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Key names what may be looked at once: a test split of a suite for a release.
// Candidate, baseline, seeds, trials and commits are not in it, so changing them
// does not buy a second look.
type Key struct{ Suite, FP, Release string }

// NewKey returns the key with its release normalised.
func NewKey(suite, fp, release string) (Key, error) {
	if suite == "" || !utf8.ValidString(suite) {
		return Key{}, fmt.Errorf("ledger: found suite %q, need its name", suite)
	}
	if !isDigest(fp) {
		return Key{}, fmt.Errorf("ledger: found fingerprint %q, need sha256: and 64 hexadecimal digits", fp)
	}
	r, err := NormalRelease(release)
	return Key{suite, fp, r}, err
}

// String returns suite/fp/release.
func (k Key) String() string { return k.Suite + "/" + k.FP + "/" + k.Release }

func (r *Record) key() Key { return Key{r.Suite, r.FP, r.Release} }

const maxRelease = 200

// NormalRelease returns the name under which a release is remembered: composed
// (NFC), without space around it, in lower case, so that V1.0 is not another
// release than v1.0. An empty, overlong or invisible name is an error.
func NormalRelease(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("ledger: found release %q, need valid UTF-8", s)
	}
	r := s
	for { // lower-casing can make a pair that composes
		next := norm.NFC.String(strings.ToLower(strings.TrimSpace(norm.NFC.String(r))))
		if next == r {
			break
		}
		r = next
	}
	if r == "" || len(r) > maxRelease {
		return "", fmt.Errorf("ledger: found a release of %d bytes, need 1 to %d", len(r), maxRelease)
	}
	for _, c := range r {
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return "", fmt.Errorf("ledger: found the invisible character %U in release %q: it would make a second release that looks like the first", c, r)
		}
	}
	return r, nil
}
