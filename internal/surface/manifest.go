package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The modes of an entry, as git writes them.
const (
	modeFile      = "100644"
	modeExec      = "100755"
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// Entry is one protected file.
type Entry struct {
	Path string // relative to the top of the repository, slash-separated; any bytes but NUL
	Mode string // 100644, 100755 (executable), 120000 (symbolic link), 160000 (submodule)
	// Digest is "sha256:" and hexadecimal digits of the file's content or of the
	// link's target, or "git:" and the commit of a submodule.
	Digest string
}

// Manifest lists protected files, sorted by path.
type Manifest []Entry

// Digest returns the SHA-256, as "sha256:" and hexadecimal digits, of the whole
// list. Two manifests have one digest when they hold the same files with the
// same modes and contents.
func (m Manifest) Digest() string {
	h := sha256.New()
	_, _ = io.WriteString(h, "capeval.surface/v1\n")
	for _, e := range m {
		fmt.Fprintf(h, "%s %s %s\n", e.Mode, e.Digest, strconv.QuoteToASCII(e.Path)) // quoted: bytes that are no UTF-8 stay apart
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// digest returns the digest of content.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// shown is a path as a message names it: quoted where a reader could take it for
// something else.
func shown(path string) string {
	quoted := strconv.Quote(path)
	if quoted == `"`+path+`"` && !strings.ContainsAny(path, ", ()") {
		return path
	}
	return quoted
}
