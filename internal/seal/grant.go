package seal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// ErrSealed is the cause of every refusal to run a test trial that was met
// without a grant.
var ErrSealed = errors.New("the test split is sealed, and this process has no grant")

// Grant is what a finalize job hands to the processes of one suite and role, by
// a private file.
type Grant struct {
	V       int     `json:"v"`       // 1
	Addr    string  `json:"addr"`    // the broker's socket, an absolute path
	Attempt string  `json:"attempt"` // as the ledger knows it
	Nonce   string  `json:"nonce"`   // 32 bytes in hexadecimal, shared with the broker alone
	Role    Role    `json:"role"`
	Suite   string  `json:"suite"`
	FP      string  `json:"fp"`   // [Fingerprint] of the reserved test split
	Plan    string  `json:"plan"` // [Plan.Digest] of the reserved plan
	Ledger  Locator `json:"ledger"`
	// Tasks is the reserved test split, so that a refusal can name the first
	// difference; it may be left out.
	Tasks []Task `json:"tasks,omitempty"`
}

// LedgerDir is the kind of a ledger that lies in a folder, one file a record.
const LedgerDir = "dir"

// Locator says where a process finds the ledger without a network.
type Locator struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Ref     string `json:"ref,omitempty"`
	Genesis string `json:"genesis,omitempty"`
}

// Attempts is a ledger as the library reads it.
type Attempts interface {
	// Check returns nil where g's attempt is the last reservation of its key,
	// neither committed nor aborted, and where g's nonce is the one whose digest
	// the ledger has, if it has one yet. Otherwise it says why not; a [Refusal] is
	// passed on as it is.
	Check(g Grant) error
}

// NewNonce draws a nonce.
func NewNonce() string {
	var b [nonceSize]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

const nonceSize = 32

// NonceSHA256 returns what may be published of a nonce, "" for a text that is
// none.
func NonceSHA256(nonce string) string {
	raw, err := nonceBytes(nonce)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func nonceBytes(nonce string) ([]byte, error) {
	raw, err := hex.DecodeString(nonce)
	if err != nil || len(raw) != nonceSize || strings.ToLower(nonce) != nonce {
		return nil, fmt.Errorf("found a nonce of %d characters, need %d hexadecimal digits in lower case", len(nonce), 2*nonceSize)
	}
	return raw, nil
}

// String leaves out the nonce.
func (g Grant) String() string {
	return fmt.Sprintf("grant of attempt %s for %s of suite %q", g.Attempt, g.Role, g.Suite)
}

// GoString leaves out the nonce.
func (g Grant) GoString() string { return g.String() }

// decodeGrant reads one grant, and refuses whatever is none.
func decodeGrant(data []byte) (Grant, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var g Grant
	if err := dec.Decode(&g); err != nil {
		return Grant{}, errors.New("found no grant in it") // what it holds is nobody's business
	}
	if _, err := dec.Token(); err != io.EOF {
		return Grant{}, fmt.Errorf("found more than a grant in it")
	}
	return g, g.check()
}

// maxAddr is below the 104 bytes that the shortest socket address has.
const maxAddr = 100

func (g Grant) check() error {
	if g.V != 1 {
		return fmt.Errorf("found a grant of version %d, need 1: written by another version?", g.V)
	}
	if _, err := nonceBytes(g.Nonce); err != nil {
		return err
	}
	if err := checkAddr(g.Addr); err != nil {
		return err
	}
	if !g.Role.Valid() {
		return fmt.Errorf("found role %q, need candidate or baseline", g.Role)
	}
	for _, f := range []struct{ name, text string }{{"attempt", g.Attempt}, {"suite", g.Suite}} {
		if err := checkName(f.name, f.text); err != nil {
			return err
		}
	}
	for _, f := range []struct{ name, text string }{{"fp", g.FP}, {"plan", g.Plan}} {
		if err := checkDigest(f.name, f.text); err != nil {
			return err
		}
	}
	if len(g.Tasks) > 0 && Fingerprint(g.Tasks) != g.FP {
		return fmt.Errorf("found tasks whose fingerprint is not fp, need those that were reserved")
	}
	return nil
}

func checkAddr(addr string) error {
	if !filepath.IsAbs(addr) || len(addr) >= maxAddr || strings.ContainsRune(addr, 0) {
		return fmt.Errorf("found a socket address of %d bytes, need an absolute path below %d bytes", len(addr), maxAddr)
	}
	return nil
}

func checkName(what, text string) error {
	const most = 1000
	if text == "" || len(text) > most || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\n") {
		return fmt.Errorf("found %s of %d bytes, need text on one line, 1 to %d bytes", what, len(text), most)
	}
	return nil
}

func checkDigest(what, text string) error {
	digits, ok := strings.CutPrefix(text, "sha256:")
	if raw, err := hex.DecodeString(digits); !ok || err != nil || len(raw) != sha256.Size || strings.ToLower(digits) != digits {
		return fmt.Errorf("found %s of %d characters, need sha256: and 64 hexadecimal digits", what, len(text))
	}
	return nil
}
