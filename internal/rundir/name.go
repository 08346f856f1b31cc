package rundir

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// The longest readable parts of names. A rollout's name stays below 255 bytes,
// the limit of every file system in use.
const (
	maxName = 100
	maxArm  = 60
)

// fileName returns a file name for id: id itself where that is safe on every
// file system, else a readable part, a tilde and a hash of id. Different ids
// get different names, also where case is ignored, because a name without a
// tilde has no upper case and a name with one carries 80 bits of SHA-256. A
// name never holds two underscores in a row and never begins or ends with one,
// so that "__" separates names without doubt.
func fileName(id string, limit int) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		case 'A' <= r && r <= 'Z':
			return r
		}
		return '-'
	}, id)
	for strings.Contains(safe, "__") {
		safe = strings.ReplaceAll(safe, "__", "_")
	}
	safe = strings.Trim(safe, "._")
	if safe == id && len(id) <= limit && id == strings.ToLower(id) && id != "" && !reserved(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	hash := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
	return safe[:min(len(safe), limit)] + "~" + hash
}

// reserved reports whether id is the name of a device on Windows, with or
// without an extension.
func reserved(id string) bool {
	base, _, _ := strings.Cut(id, ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) &&
		'0' <= base[3] && base[3] <= '9'
}
