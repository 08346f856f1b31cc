package seal

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// The wire: one connection a request, one JSON object a line. The broker greets
// with a challenge; the client asks, proves the nonce over all that it asks and
// both challenges, and gets an answer that proves the nonce over the same.

const (
	opHello = "hello" // is this a grant of yours? burns nothing
	opTrial = "trial" // may this trial run?

	maxRequest = 64 << 10
	maxAnswer  = 256 << 10
)

type greeting struct {
	V         int    `json:"v"`
	Challenge string `json:"challenge"`
}

type request struct {
	Op        string `json:"op"`
	Attempt   string `json:"attempt"`
	Role      Role   `json:"role"`
	Suite     string `json:"suite"`
	Task      string `json:"task,omitempty"`
	Trial     int    `json:"trial"`
	PID       int    `json:"pid"`
	Challenge string `json:"challenge"` // the client's
	MAC       string `json:"mac"`
}

func (r request) slot() Slot { return Slot{r.Role, r.Suite, r.Task, r.Trial} }

// answer is a receipt or a refusal; to a hello it is neither.
type answer struct {
	Receipt string   `json:"receipt,omitempty"`
	Refusal *Refusal `json:"refusal,omitempty"`
}

// envelope holds the answer as it was signed.
type envelope struct {
	Answer json.RawMessage `json:"answer"`
	MAC    string          `json:"mac"`
}

// sign returns the HMAC of parts under the nonce, in hexadecimal. Each part
// carries its length, so that no two lists sign alike.
func sign(nonce []byte, parts ...string) string {
	h := hmac.New(sha256.New, nonce)
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func equal(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// signed is what the request proves; challenge is the broker's.
func (r request) signed(nonce []byte, challenge string) string {
	return sign(nonce, "capeval-seal-request-v1", r.Op, r.Attempt, string(r.Role), r.Suite, r.Task,
		strconv.Itoa(r.Trial), strconv.Itoa(r.PID), challenge, r.Challenge)
}

// signAnswer proves that the answer is to this request.
func signAnswer(nonce []byte, challenge string, r request, body []byte) string {
	return sign(nonce, "capeval-seal-answer-v1", challenge, r.Challenge, r.MAC, string(body))
}

func newChallenge() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

var errWire = errors.New("what came is no message of the seal")

// readLine reads one JSON object of at most limit bytes into v.
func readLine(r io.Reader, limit int64, v any) error {
	line, err := bufio.NewReader(io.LimitReader(r, limit)).ReadBytes('\n')
	if err != nil {
		if err == io.EOF && len(line) > 0 {
			err = fmt.Errorf("%w: no line of at most %d bytes", errWire, limit)
		}
		return err
	}
	if !utf8.Valid(line) {
		return fmt.Errorf("%w: no text", errWire)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w: %v", errWire, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one object", errWire)
	}
	return nil
}

func writeLine(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
